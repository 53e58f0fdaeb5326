import type { MachineService, ServiceAction } from '@muster/contract/agent/services'
import type { AgentDetail } from '@muster/contract/api/agents'
import { controlService, listServices } from '@muster/contract/api/services'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FormError } from '../../../app/dialogs/FormDialog.tsx'
import { call } from '../../../app/api/api.ts'
import { notifyDone } from '../../../app/shell/notify.ts'
import { queryKey } from '../../../app/api/query-key.ts'
import { ConfirmDialog } from '../../../ui/dialog/ConfirmDialog.tsx'

export type ServiceWish = ServiceAction

const VERBS = { start: 'Start', stop: 'Stop', restart: 'Restart' } as const
const MESSAGES: Record<ServiceWish, string> = {
  start: 'It runs until it is stopped, or the machine is.',
  stop: 'What depends on it stops, too.',
  restart: 'It does not answer for a moment.',
}

interface ControlServiceDialogProps {
  agent: Pick<AgentDetail, 'agent_id' | 'hostname'>
  service: MachineService
  wish: ServiceWish
  onClose: () => void
}

/** Names the service and the machine; says in its place what the machine refused. */
export function ControlServiceDialog({ agent, service, wish, onClose }: ControlServiceDialogProps) {
  const queryClient = useQueryClient()
  const { name, display_name } = service
  const { mutate, isPending, error } = useMutation({
    mutationFn: () =>
      call(controlService, { params: { agent_id: agent.agent_id, name }, body: { sv_action: wish } }),
    meta: { errorsShown: true },
    onSuccess: async (after) => {
      notifyDone(`${display_name} is ${after.status}.`)
      onClose()
      await queryClient.invalidateQueries({ queryKey: queryKey(listServices) })
    },
  })
  return (
    <ConfirmDialog
      title={`${VERBS[wish]} ${display_name} on ${agent.hostname}?`}
      message={
        <>
          {error !== null && <FormError error={error} />}
          <p>{MESSAGES[wish]}</p>
        </>
      }
      confirmLabel={VERBS[wish]}
      danger={wish === 'stop'}
      busy={isPending}
      onConfirm={() => mutate()}
      onClose={onClose}
    />
  )
}
