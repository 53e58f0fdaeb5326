import { Button, TextInput } from '@mantine/core'
import {
  createPolicy,
  deletePolicy,
  editPolicy,
  listPolicies,
  planPolicy,
  type Policy,
  type PolicyDocument,
} from '@muster/contract/api/policies'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { FormError } from '../../app/dialogs/FormDialog.tsx'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { PlanView } from './PlanView.tsx'

interface PlanDialogProps {
  title: string
  /** Absent for a new policy. */
  id?: number | undefined
  /** The new content; absent = delete. */
  document?: PolicyDocument
  /** Revision that was opened. */
  modified?: string | undefined
  /** Default reason for the history. */
  reason?: string
  done: string
  onSaved?: (policy: Policy | undefined) => void
  onClose: () => void
}

/** The effect of a save or deletion on machines, before it happens. */
export function PlanDialog(props: PlanDialogProps) {
  const { title, id, document, modified, done, onSaved, onClose } = props
  const [reason, setReason] = useState(props.reason ?? '')
  const queryClient = useQueryClient()
  const plan = useQuery({
    queryKey: ['plan of a policy', id, document],
    queryFn: ({ signal }) => call(planPolicy, { body: { id, policy: document } }, { signal }),
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
      onSaved?.(policy)
      onClose()
    },
    // The current effect is shown beside the rejected one.
    onError: () => void plan.refetch(),
  })
  const isRemoval = document === undefined
  return (
    <Dialog
      title={title}
      size="lg"
      onClose={onClose}
      footer={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            {...(isRemoval ? { color: 'negative' } : {})}
            disabled={plan.data === undefined || plan.isFetching}
            loading={save.isPending}
            onClick={() => plan.data !== undefined && save.mutate(plan.data.token)}
            data-autofocus
          >
            {isRemoval ? 'Delete' : 'Save'}
          </Button>
        </>
      }
    >
      {save.error !== null && <FormError error={save.error} />}
      {plan.data === undefined ? (
        <LoadingState error={plan.error} onRetry={() => void plan.refetch()} rows={5} />
      ) : (
        <>
          <PlanView plan={plan.data} />
          {!isRemoval && (
            <TextInput
              mt="md"
              label="Reason (optional)"
              description="Kept in the history of the policy"
              maxLength={500}
              value={reason}
              onChange={(event) => setReason(event.currentTarget.value)}
            />
          )}
        </>
      )}
    </Dialog>
  )
}
