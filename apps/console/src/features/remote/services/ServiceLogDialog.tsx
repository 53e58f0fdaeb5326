import { Button } from '@mantine/core'
import type { MachineService } from '@muster/contract/agent/services'
import type { AgentDetail } from '@muster/contract/api/agents'
import { getServiceLog } from '@muster/contract/api/services'
import { useQuery } from '@tanstack/react-query'
import { LoadingState } from '../../../app/dialogs/GuardedDialog.tsx'
import { query } from '../../../app/api/api.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { OutputBox } from '../../../ui/layout/OutputBox.tsx'

const LINES = 500

interface ServiceLogDialogProps {
  agent: Pick<AgentDetail, 'agent_id' | 'hostname'>
  service: MachineService
  onClose: () => void
}

/** What a service has written to the log of its machine, the newest last. */
export function ServiceLogDialog({ agent, service, onClose }: ServiceLogDialogProps) {
  const params = { agent_id: agent.agent_id, name: service.name }
  const { data, error, refetch, isFetching } = useQuery({
    ...query(getServiceLog, { params, query: { lines: LINES } }),
    retry: false,
    gcTime: 0,
  })
  return (
    <Dialog
      title={`Log of ${service.display_name} on ${agent.hostname}`}
      onClose={onClose}
      footer={
        <>
          <Button variant="default" loading={isFetching} onClick={() => void refetch()}>
            Read again
          </Button>
          <Button variant="default" onClick={onClose} data-autofocus>
            Close
          </Button>
        </>
      }
    >
      {data === undefined ? (
        <LoadingState error={error} onRetry={() => void refetch()} rows={6} />
      ) : (
        <OutputBox
          label="Log"
          segments={data.lines.map((line) => ({ text: `${line}\n` }))}
          empty="It has written nothing."
          growing
        />
      )}
    </Dialog>
  )
}
