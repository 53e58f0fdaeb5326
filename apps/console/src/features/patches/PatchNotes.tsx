import { Button } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import type { PatchStatus } from '@muster/contract/api/patches'
import { isFinal } from '@muster/rules/agents/history-state'
import { IconAlertTriangle, IconRotateClockwise } from '@tabler/icons-react'
import { useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { Time } from '../../ui/layout/Time.tsx'
import { RunState } from '../runs/RunState.tsx'
import classes from './Patches.module.css'

interface PatchNotesProps {
  agent: AgentDetail
  status: PatchStatus
  onShow: (run: number) => void
}

/** What went wrong with the last look, what is being installed or was last, and that a restart is due. */
export function PatchNotes({ agent, status, onShow }: PatchNotesProps) {
  const { problem, last_install: run } = status
  const mayReboot = useMay('can_reboot_agents')
  const { open } = useDialog()
  return (
    <>
      {problem !== null && (
        <div className={classes.note} role="note">
          <IconAlertTriangle size={16} stroke={1.75} aria-hidden />
          <span className={classes.text}>{problem}</span>
        </div>
      )}
      {agent.needs_reboot && (
        <div className={classes.note} role="note">
          <IconRotateClockwise size={16} stroke={1.75} aria-hidden />
          <span className={classes.text}>{agent.hostname} has to restart to finish what was installed.</span>
          {mayReboot && agent.connected && (
            <Button size="compact-xs" variant="default" onClick={() => open('reboot', agent.agent_id)}>
              Reboot now
            </Button>
          )}
          {mayReboot && (
            <Button size="compact-xs" variant="default" onClick={() => open('reboot-later', agent.agent_id)}>
              Reboot later
            </Button>
          )}
        </div>
      )}
      {run !== null && (
        <div className={classes.note} role="status">
          <RunState run={run} />
          <span className={classes.text}>
            {isFinal(run.state) ? 'Last installation' : 'Installing'}, for <bdi>{run.username}</bdi>,{' '}
            <Time instant={run.finished_at ?? run.time} relative />
            {run.reason !== null && `: ${run.reason}`}
          </span>
          <Button size="compact-xs" variant="default" onClick={() => onShow(run.id)}>
            Show output
          </Button>
        </div>
      )}
    </>
  )
}
