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
import { AgentDialog } from './AgentDialog.tsx'

/** Uninstalls the agent and forgets the machine that the address names. */
export function RemoveAgentDialog({ item, close }: AddressedDialogProps) {
  return (
    <GuardedDialog title="Remove agent" needs="can_uninstall_agents" onClose={close}>
      <AgentDialog title="Remove agent" agentId={item} onClose={close}>
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
          ? `${hostname} is removed, and its agent uninstalled.`
          : `${hostname} is removed. Its agent has to be uninstalled by hand.`,
      )
      // The agent page of a machine that is gone shows nothing any more.
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
              ? 'The agent is uninstalled from the machine, and the machine is forgotten with its history and notes.'
              : `${hostname} is not connected, so its agent stays on it and has to be uninstalled there by hand. Here the machine is forgotten with its history and notes.`}
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
