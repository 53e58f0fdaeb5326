import { Button, TextInput } from '@mantine/core'
import type { Policy, PolicyDocument } from '@muster/contract/api/policies'
import { useState } from 'react'
import { FormError } from '../../app/dialogs/FormDialog.tsx'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { PlanView } from './PlanView.tsx'
import { usePolicyPlan } from './use-policy-plan.ts'

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
  const { plan, save, canSave } = usePolicyPlan(
    { id, document, modified, reason },
    {
      done,
      onSaved: (policy) => {
        onSaved?.(policy)
        onClose()
      },
    },
  )
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
            disabled={!canSave}
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
