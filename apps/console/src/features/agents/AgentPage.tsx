import { EmptyState } from '../../ui/States.tsx'

export function AgentPage() {
  return <EmptyState message="" />
}
