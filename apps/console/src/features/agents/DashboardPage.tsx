import { EmptyState } from '../../ui/States.tsx'

export function DashboardPage() {
  return <EmptyState message="" />
}
