import type { AlertSeverity } from '@muster/rules/alerts/alert-state'
import { chunk } from '../../platform/database/sql.ts'
import { causeOfTask, type Subject } from './causes.ts'
import type { TxContext } from './store-alerts.ts'
import { type Finding, takeFindings } from './take-findings.ts'

/** The end of a run of a task. */
export interface TaskFinding {
  taskId: number
  at: Date
  /** Null: it did not fail. */
  severity: AlertSeverity | null
  text: string
}

/** Raises, changes and resolves the alerts of tasks, in order. */
export async function takeTaskFindings(txContext: TxContext, found: readonly TaskFinding[]): Promise<void> {
  if (found.length === 0) return
  const subjects = new Map<string, Subject>()
  const names = new Map<number, string>()
  for (const { id, name, agent_id, maintenance_mode } of await findTasks(txContext, found)) {
    const cause = causeOfTask(id)
    subjects.set(cause, {
      cause,
      alert_type: 'task',
      agent_id,
      check_id: null,
      site_id: null,
      hold: maintenance_mode === 1 ? 'maintenance' : null,
    })
    names.set(id, name)
  }
  const findings = found.map(({ taskId, at, severity, text }): Finding => {
    const name = names.get(taskId)
    const isNamed = severity !== null && name !== undefined
    return { cause: causeOfTask(taskId), at, severity, text: isNamed ? `Task "${name}": ${text}` : text }
  })
  await takeFindings(txContext, subjects, findings)
}

async function findTasks({ tx }: TxContext, found: readonly TaskFinding[]) {
  const tasks = []
  for (const ids of chunk([...new Set(found.map(({ taskId }) => taskId))])) {
    const rows = await tx
      .selectFrom('tasks')
      .innerJoin('agents', 'agents.agent_id', 'tasks.agent_id')
      .select(['tasks.id', 'tasks.name', 'tasks.agent_id', 'maintenance_mode'])
      .where('tasks.id', 'in', ids)
      .execute()
    tasks.push(...rows)
  }
  return tasks
}
