import { getPolicy } from '@muster/contract/api/policies'
import { ApiError } from '@muster/contract/client'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { query } from '../../app/api/api.ts'
import { useMay, useMe } from '../../app/api/queries.ts'
import { usePageTitle } from '../../app/shell/page-title.ts'
import { EmptyState, NoPermission, SkeletonRows } from '../../ui/layout/States.tsx'
import { PolicyEditor } from './PolicyEditor.tsx'

/** One policy: its content, its machines, its history. `new` creates one. */
export function PolicyPage() {
  const { policy_id } = useParams({ from: '/signed-in/gated/frame/policies/$policy_id' })
  return policy_id === 'new' ? <NewPolicy /> : <KnownPolicy key={policy_id} id={Number(policy_id)} />
}

function NewPolicy() {
  usePageTitle('New policy')
  const me = useMe()
  const mayManage = useMay('can_manage_automation_policies')
  if (me === undefined) return <SkeletonRows rows={8} />
  return mayManage ? (
    <PolicyEditor />
  ) : (
    <NoPermission message="Your role does not allow you to create policies." />
  )
}

function KnownPolicy({ id }: { id: number }) {
  const { data: policy, error, refetch } = useQuery(query(getPolicy, { params: { id } }))
  usePageTitle(policy?.name)
  if (error instanceof ApiError && (error.status === 404 || error.status === 400)) {
    return <EmptyState message="Policy not found. You may not have access to it." />
  }
  if (policy === undefined) return <LoadingState error={error} onRetry={() => void refetch()} rows={8} />
  return <PolicyEditor policy={policy} />
}
