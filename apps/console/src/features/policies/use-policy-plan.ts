import {
  createPolicy,
  deletePolicy,
  editPolicy,
  listPolicies,
  planPolicy,
  type Policy,
  type PolicyDocument,
} from '@muster/contract/api/policies'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { notifyDone } from '../../app/shell/notify.ts'

export interface PolicySave {
  /** Absent for a new policy. */
  id: number | undefined
  /** The new content; absent = delete. */
  document: PolicyDocument | undefined
  /** Revision that was opened. */
  modified: string | undefined
  /** Kept in the history. */
  reason: string
}

/** The effect of a save or deletion on machines, and the save of exactly this effect. */
export function usePolicyPlan(
  { id, document, modified, reason }: PolicySave,
  {
    done,
    onSaved,
    enabled = true,
  }: { done: string; onSaved: (policy: Policy | undefined) => void; enabled?: boolean },
) {
  const queryClient = useQueryClient()
  const plan = useQuery({
    queryKey: ['plan of a policy', id, document],
    queryFn: ({ signal }) => call(planPolicy, { body: { id, policy: document } }, { signal }),
    placeholderData: keepPreviousData,
    enabled,
    gcTime: 0,
    staleTime: 0,
    retry: false,
  })
  const save = useMutation({
    mutationFn: async (token: string): Promise<Policy | undefined> => {
      if (document === undefined) {
        await call(deletePolicy, { params: { id: id ?? 0 }, query: { plan: token } })
        return undefined
      }
      const body = { ...document, plan: token, reason }
      if (id === undefined) return call(createPolicy, { body })
      return call(editPolicy, { params: { id }, body: { ...body, modified } })
    },
    meta: { errorsShown: true },
    onSuccess: async (policy) => {
      await queryClient.invalidateQueries({ queryKey: queryKey(listPolicies) })
      notifyDone(done)
      onSaved(policy)
    },
    // The current effect is shown beside the rejected one.
    onError: () => void plan.refetch(),
  })
  return { plan, save, canSave: plan.data !== undefined && !plan.isFetching }
}
