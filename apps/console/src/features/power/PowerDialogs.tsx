import { Text } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import { rebootAgent, shutdownAgent } from '@muster/contract/api/power'
import { useMutation } from '@tanstack/react-query'
import { FormError } from '../../app/dialogs/FormDialog.tsx'
import { GuardedDialog } from '../../app/dialogs/GuardedDialog.tsx'
import { call } from '../../app/api/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { ConfirmDialog } from '../../ui/dialog/ConfirmDialog.tsx'
import { AgentDialog } from '../agents/AgentDialog.tsx'

const WAYS = {
  reboot: {
    endpoint: rebootAgent,
    title: 'Reboot now',
    question: 'Reboot',
    message: 'Restarts at once. Unsaved work on it is lost.',
    done: 'is restarting.',
  },
  shutdown: {
    endpoint: shutdownAgent,
    title: 'Shut down',
    question: 'Shut down',
    message: 'It stays off until somebody switches it on or wakes it. Unsaved work on it is lost.',
    done: 'is shutting down.',
  },
} as const

/** Restarts the machine in the address. */
export function RebootDialog({ item, close }: AddressedDialogProps) {
  return <PowerDialog way="reboot" item={item} close={close} />
}

/** Shuts down the machine in the address, once its name is typed. */
export function ShutDownDialog({ item, close }: AddressedDialogProps) {
  return <PowerDialog way="shutdown" item={item} close={close} />
}

function PowerDialog({ way, item, close }: AddressedDialogProps & { way: keyof typeof WAYS }) {
  const { title } = WAYS[way]
  return (
    <GuardedDialog title={title} needs="can_reboot_agents" onClose={close}>
      <AgentDialog title={title} agentId={item} onClose={close}>
        {(agent) => <ConfirmPower way={way} agent={agent} close={close} />}
      </AgentDialog>
    </GuardedDialog>
  )
}

interface ConfirmPowerProps {
  way: keyof typeof WAYS
  agent: AgentDetail
  close: () => void
}

function ConfirmPower({ way, agent: { agent_id, hostname }, close }: ConfirmPowerProps) {
  const { endpoint, question, message, done } = WAYS[way]
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call(endpoint, { params: { agent_id } }),
    meta: { errorsShown: true },
    onSuccess: ({ answered }) => {
      notifyDone(answered ? `${hostname} ${done}` : `No response from ${hostname}. Probably it ${done}`)
      close()
    },
  })
  return (
    <ConfirmDialog
      title={`${question} ${hostname}?`}
      message={
        <>
          {error !== null && <FormError error={error} />}
          <Text>{message}</Text>
        </>
      }
      confirmLabel={question}
      danger
      {...(way === 'shutdown' ? { typed: hostname } : {})}
      busy={isPending}
      onConfirm={() => mutate()}
      onClose={close}
    />
  )
}
