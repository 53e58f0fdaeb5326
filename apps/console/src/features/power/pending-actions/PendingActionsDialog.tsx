import '@mantine/core/styles/Switch.css'
import { Button, Switch } from '@mantine/core'
import {
  cancelPendingAction,
  listAgentPendingActions,
  listPendingActions,
  type PendingAction,
} from '@muster/contract/api/pending-actions'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { GuardedDialog, LoadingState } from '../../../app/dialogs/GuardedDialog.tsx'
import { call, query } from '../../../app/api/api.ts'
import { queryKey } from '../../../app/api/query-key.ts'
import type { AddressedDialogProps } from '../../../app/dialogs/use-dialog.ts'
import { useMay } from '../../../app/api/queries.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { ListRow, ListRows, RowDetail } from '../../../ui/table/ListRows.tsx'
import { EmptyState } from '../../../ui/layout/States.tsx'
import { Time } from '../../../ui/layout/Time.tsx'
import { AgentDialog } from '../../agents/AgentItemDialog.tsx'
import { notifyDone } from '../../../app/shell/notify.ts'

const TITLE = 'Pending actions'

/** Planned actions of all machines, or of the one in the address. */
export function PendingActionsDialog({ item, close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_list_pendingactions" size="lg" onClose={close}>
      {item === undefined ? (
        <Actions title={TITLE} close={close} />
      ) : (
        <AgentDialog title={TITLE} agentId={item} onClose={close} size="lg">
          {({ hostname, pending_actions_count }) => (
            <Actions
              title={`${TITLE} of ${hostname}`}
              agentId={item}
              all={pending_actions_count}
              close={close}
            />
          )}
        </AgentDialog>
      )}
    </GuardedDialog>
  )
}

interface ActionsProps {
  title: string
  agentId?: string
  /** Including runs that wait in the history. */
  all?: number
  close: () => void
}

function Actions({ title, agentId, all = 0, close }: ActionsProps) {
  const everyone = useQuery({ ...query(listPendingActions, { query: {} }), enabled: agentId === undefined })
  const one = useQuery({
    ...query(listAgentPendingActions, { params: { agent_id: agentId ?? '' }, query: {} }),
    enabled: agentId !== undefined,
  })
  const { data, error, refetch } = agentId === undefined ? everyone : one
  const [withOver, setWithOver] = useState(false)
  const pending = data?.filter(({ status }) => status !== 'completed') ?? []
  const over = (data?.length ?? 0) - pending.length
  const waiting = Math.max(0, all - pending.length)
  const shown = withOver ? (data ?? []) : pending
  return (
    <Dialog
      title={title}
      size="lg"
      onClose={close}
      footer={
        <Button variant="default" onClick={close} data-autofocus>
          Close
        </Button>
      }
    >
      {data === undefined ? (
        <LoadingState error={error} onRetry={() => void refetch()} rows={3} />
      ) : (
        <>
          {over > 0 && (
            <Switch
              size="xs"
              mb="sm"
              label={`Show ${over} completed`}
              checked={withOver}
              onChange={(event) => setWithOver(event.currentTarget.checked)}
            />
          )}
          {waiting > 0 && (
            <p className="dim">
              {waiting === 1 ? '1 command or script waits' : `${waiting} commands or scripts wait`} for the
              machine to reconnect. See its history.
            </p>
          )}
          {shown.length === 0 ? (
            <EmptyState message="No pending actions. Plan a reboot from the menu of a machine." />
          ) : (
            <ListRows label={TITLE}>
              {shown.map((action) => (
                <ActionRow key={action.id} action={action} named={agentId === undefined} />
              ))}
            </ListRows>
          )}
        </>
      )}
    </Dialog>
  )
}

function ActionRow({ action, named }: { action: PendingAction; named: boolean }) {
  const mayCancel = useMay('can_manage_pendingactions')
  const { mutate, isPending } = useCancelAction()
  const { description, due, hostname, client, site, username, status, details } = action
  const cancel = status === 'pending' && mayCancel && (
    <Button
      variant="default"
      aria-label={`Cancel the ${description.toLowerCase()} of ${hostname}`}
      loading={isPending}
      onClick={() => mutate(action)}
    >
      Cancel {description.toLowerCase()}
    </Button>
  )
  return (
    <ListRow
      name={named ? `${description} of ${hostname}` : description}
      beside={<Time instant={due} />}
      actions={cancel === false ? null : cancel}
    >
      <RowDetail>
        {named && `${client} / ${site}, `}planned by <bdi>{username}</bdi>
        {details.output !== '' && `. ${details.output}`}
      </RowDetail>
    </ListRow>
  )
}

/** Cancels a pending action and notifies about it. */
export function useCancelAction() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ id }: PendingAction) => call(cancelPendingAction, { params: { id } }),
    onSuccess: async (kept, { description, hostname }) => {
      notifyDone(
        kept === null
          ? `${description} of ${hostname} cancelled.`
          : `${description} of ${hostname} will be cancelled when the machine connects.`,
      )
      await queryClient.invalidateQueries({ queryKey: queryKey(listAgentPendingActions) })
      await queryClient.invalidateQueries({ queryKey: queryKey(listPendingActions) })
    },
  })
}
