import type { AgentDetail } from '@muster/contract/api/agents'
import { getTaskRun, listTaskRuns, type Task, type TaskRun } from '@muster/contract/api/tasks'
import { formatDuration } from '@muster/rules/text/units'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useMediaQuery } from '@mantine/hooks'
import type { ActionResult } from '@muster/contract/agent/tasks'
import { GuardedDialog, LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { query } from '../../app/api/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs/use-dialog.ts'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { OutputBox } from '../../ui/layout/OutputBox.tsx'
import { endedOutput } from '../runs/output-text.ts'
import { TaskDialog } from './TaskDialogs.tsx'
import classes from './TaskRuns.module.css'
import { RUN_CARD, RUN_COLUMNS, RUN_COLUMNS_PX } from './run-columns.tsx'

const ROW_PX = 32

/** The runs of a task, and their output. */
export function TaskRunsDialog({ item = '', close }: AddressedDialogProps) {
  return (
    <GuardedDialog title="Runs of a task" needs="can_list_autotasks" onClose={close} size="xl">
      <TaskDialog title="Runs of a task" item={item} close={close} size="xl" live>
        {(task, agent) => (
          <Dialog title={<bdi>{`${task.name} on ${agent.hostname}`}</bdi>} size="xl" onClose={close}>
            <Runs task={task} agent={agent} />
          </Dialog>
        )}
      </TaskDialog>
    </GuardedDialog>
  )
}

function Runs({ task, agent }: { task: Task; agent: AgentDetail }) {
  const { data: runs, error, refetch } = useQuery(query(listTaskRuns, { params: { id: task.id }, query: {} }))
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const [chosen, setChosen] = useState<number>()
  if (runs === undefined) return <LoadingState error={error} onRetry={() => void refetch()} rows={8} />
  if (runs.length === 0) return <EmptyState message={describeNothing(task, agent)} />
  // The newest run with output, until one is selected.
  const shown =
    runs.find(({ id }) => id === chosen) ?? runs.find(({ state }) => state !== 'missed') ?? runs[0]
  return (
    <div className={classes.runs}>
      <div className={classes.list}>
        <DataTable
          label="Runs"
          rows={runs}
          rowKey={({ id }) => `${id}`}
          columns={RUN_COLUMNS}
          context={{ severity: task.alert_severity, zone: agent.timezone }}
          rowHeight={ROW_PX}
          minWidth={RUN_COLUMNS_PX}
          selected={shown === undefined ? undefined : `${shown.id}`}
          onSelect={(run) => setChosen(run?.id)}
          card={hasCards ? RUN_CARD : undefined}
          autoFocus
        />
      </div>
      {shown !== undefined && <Details key={shown.id} task={task} run={shown} />}
    </div>
  )
}

function Details({ task, run }: { task: Task; run: TaskRun }) {
  const hasOutput = run.state === 'ended'
  const options = query(getTaskRun, { params: { id: task.id, run: run.id } })
  const { data, error, refetch } = useQuery({ ...options, enabled: hasOutput })
  if (run.state === 'running')
    return <p className={classes.said}>Still running. The output appears when it ends.</p>
  if (run.state === 'missed') return <p className={classes.said}>{run.more_info}</p>
  if (data === undefined) return <LoadingState error={error} onRetry={() => void refetch()} rows={4} />
  return (
    <section aria-label="Output" className={classes.details}>
      {run.more_info !== '' && <p className={classes.said}>{run.more_info}</p>}
      {data.actions.map((action, index) => (
        <RunOutput
          key={index}
          place={index + 1}
          action={action}
          seconds={formatDuration(action.execution_time)}
        />
      ))}
    </section>
  )
}

function describeNothing({ task_result }: Task, { hostname, connected }: AgentDetail): string {
  if (!connected) return `${hostname} is offline and has not reported any runs yet.`
  return task_result.sync_status === 'synced'
    ? `${hostname} has not run this task yet.`
    : `Sending the task to ${hostname} …`
}

interface RunOutputProps {
  place: number
  action: ActionResult
  /** Duration of a run. */
  seconds: string
}

/** Output and result of one action of a run. */
function RunOutput({ place, action, seconds }: RunOutputProps) {
  const { name, outcome, reason, retcode, stdout, stderr } = action
  const segments = useMemo(() => endedOutput(stdout, stderr), [stdout, stderr])
  return (
    <div className={classes.action}>
      <h3 className={classes.title}>
        {place}. <bdi>{name}</bdi>
        <span className="dim">
          {retcode !== null && ` · exit code ${retcode}`}
          {outcome !== 'skipped' && ` · ${seconds}`}
        </span>
      </h3>
      {reason !== null && <p className={classes.reason}>{reason}</p>}
      {outcome !== 'skipped' && outcome !== 'refused' && (
        <div className={classes.box}>
          <OutputBox
            label={`Output of action ${place}`}
            segments={segments}
            empty="No output"
            growing={false}
          />
        </div>
      )}
    </div>
  )
}
