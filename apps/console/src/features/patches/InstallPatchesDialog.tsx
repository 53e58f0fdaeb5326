import type { AgentDetail } from '@muster/contract/api/agents'
import { type MachinePatch, getPatchStatus, installPatches } from '@muster/contract/api/patches'
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { InstallDialog } from '../runs/InstallDialog.tsx'
import classes from './Patches.module.css'

interface InstallPatchesDialogProps {
  agent: Pick<AgentDetail, 'agent_id' | 'hostname'>
  patches: readonly MachinePatch[]
  onClose: () => void
}

/** Says what is installed where, asks, and shows the output. */
export function InstallPatchesDialog({ agent, patches, onClose }: InstallPatchesDialogProps) {
  const queryClient = useQueryClient()
  const params = { agent_id: agent.agent_id }
  const [only] = patches
  const what = patches.length === 1 && only !== undefined ? only.title : `${patches.length} patches`
  return (
    <InstallDialog
      title={`Install ${what} on ${agent.hostname}?`}
      message={
        <div className={classes.message}>
          <p>
            Programs that are replaced may stop for a moment. An installation that has begun cannot be
            stopped.
          </p>
          <p>
            {patches.some((patch) => patch.needs_reboot)
              ? 'The machine has to restart afterwards; it does not do so by itself.'
              : 'The machine does not restart by itself; it is shown when it has to.'}
          </p>
        </div>
      }
      confirmLabel="Install"
      start={async () => {
        const body = { guids: patches.map(({ guid }) => guid) }
        const { run } = await call(installPatches, { params, body })
        if (run === null) throw new Error('named patches are installed or refused')
        await queryClient.invalidateQueries({ queryKey: queryKey(getPatchStatus, { params }) })
        return run
      }}
      onClose={onClose}
    />
  )
}
