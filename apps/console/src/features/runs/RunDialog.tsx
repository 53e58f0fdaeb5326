import { Button } from '@mantine/core'
import type { AgentDetail } from '@muster/contract/api/agents'
import type { ReactNode } from 'react'
import { FormError } from '../../app/dialogs/FormDialog.tsx'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { MachineStatus } from '../agents/machine-cells.tsx'
import classes from './RunDialog.module.css'
import { RunView } from './RunView.tsx'

interface RunDialogProps {
  title: string
  agent: AgentDetail
  /** The last started run; its output is below the form. */
  runId: number | undefined
  canStart: boolean
  /** Why it cannot start yet. */
  why: string | undefined
  starting: boolean
  error: unknown
  startLabel: string
  onStart: () => void
  onClose: () => void
  children: ReactNode
}

/** A form that starts a run on a machine, with the output. Closing does not stop the run. */
export function RunDialog(props: RunDialogProps) {
  const { title, agent, runId, canStart, why, starting, error, startLabel, onStart, onClose, children } =
    props
  return (
    <Dialog
      title={
        <span className={classes.title}>
          {title} <MachineStatus row={agent} />
        </span>
      }
      onClose={onClose}
      size="lg"
      persistent
      why={why}
      footer={
        <>
          {why === undefined && (
            <span className={classes.keys}>Ctrl+Enter starts, Escape closes; what runs goes on.</span>
          )}
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button disabled={!canStart} loading={starting} onClick={onStart}>
            {runId === undefined ? startLabel : 'Run again'}
          </Button>
        </>
      }
    >
      <div
        className="stack"
        onKeyDown={(event) => {
          // A click outside must not lose the typed text; Escape is deliberate.
          if (event.key === 'Escape' && !event.defaultPrevented) onClose()
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && canStart) onStart()
        }}
      >
        {error !== null && <FormError error={error} />}
        {!agent.connected && (
          <p className={classes.away}>
            {agent.hostname} is offline. The run starts when it reconnects, or expires.
          </p>
        )}
        {children}
        {runId !== undefined && (
          <div className={classes.run}>
            <RunView key={runId} id={runId} />
          </div>
        )}
      </div>
    </Dialog>
  )
}
