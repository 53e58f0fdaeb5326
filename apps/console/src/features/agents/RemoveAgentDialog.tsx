import { Text } from '@mantine/core'
import { type AgentDetail, deleteAgent } from '@muster/contract/api/agents'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { FormError } from '../../app/dialogs/FormDialog.tsx'
import { GuardedDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { call } from '../../app/api/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { useRefresh } from '../../app/shell/use-refresh.ts'
import { ConfirmDialog } from '../../ui/dialog/ConfirmDialog.tsx'
import { AgentDialog } from './AgentItemDialog.tsx'

/** Uninstalls the agent and deletes the machine in the address. */
export function RemoveAgentDialog({ item, close }: AddressedDialogProps) {
  return (
    <GuardedDialog title="Remove machine" needs="can_uninstall_agents" onClose={close}>
      <AgentDialog title="Remove machine" agentId={item} onClose={close}>
        {(agent) => <ConfirmRemove agent={agent} close={close} />}
      </AgentDialog>
    </GuardedDialog>
  )
}

function ConfirmRemove({ agent, close }: { agent: AgentDetail; close: () => void }) {
  const { agent_id, hostname, connected } = agent
  const { forceRefresh } = useRefresh()
  const navigate = useNavigate()
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call(deleteAgent, { params: { agent_id } }),
    meta: { errorsShown: true },
    onSuccess: ({ uninstalled }) => {
      notifyDone(
        uninstalled
          ? `${hostname} removed and its agent uninstalled.`
          : `${hostname} removed. Uninstall its agent by hand.`,
      )
      // The page of a removed machine is empty.
      if (location.pathname.startsWith('/agents/')) void navigate({ to: '/', replace: true })
      else void forceRefresh().then(close)
    },
  })
  return (
    <ConfirmDialog
      title={`Remove ${hostname}?`}
      message={
        <>
          {error !== null && <FormError error={error} />}
          <Text>
            {connected
              ? 'Uninstalls the agent and deletes the machine with its history and notes.'
              : `${hostname} is offline: uninstall its agent by hand. The machine is deleted here with its history and notes.`}
          </Text>
        </>
      }
      confirmLabel="Remove"
      danger
      typed="yes"
      busy={isPending}
      onConfirm={() => mutate()}
      onClose={close}
    />
  )
}
