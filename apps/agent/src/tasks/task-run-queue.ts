import { TaskTrigger } from '@muster/contract/agent/tasks'
import { z } from 'zod'
import type { State } from '../state/state.ts'

/** How long server requests are remembered, so that a repeated one runs once. */
const KEEP_MS = 24 * 3_600_000

export const RunRequest = z.object({
  run_id: z.string(),
  task_id: z.int(),
  trigger: TaskTrigger,
  /** The scheduled time. */
  planned_at: z.string().nullable(),
  ordered_at: z.string(),
})
export type RunRequest = z.infer<typeof RunRequest>
export type QueuedRunState = 'waiting' | 'running' | 'ended'

/** Task runs that are waiting, active or ended, in the state database. */
export class TaskRunQueue {
  #state: State
  #now: () => number

  constructor(options: { state: State; now: () => number }) {
    this.#state = options.state
    this.#now = options.now
  }

  /** Stores a request. Requests with the same id are the same request. */
  add(order: RunRequest): void {
    this.#state.write((database) => {
      database.run('delete from task_runs where state = ? and changed_at < ?', 'ended', this.#now() - KEEP_MS)
      database.run(
        `insert into task_runs (run_id, task_id, state, job, changed_at) values (?, ?, 'waiting', ?, ?)
         on conflict (run_id) do nothing`,
        order.run_id,
        order.task_id,
        JSON.stringify(order),
        Math.floor(this.#now()),
      )
    })
  }

  /** In order of arrival. */
  list(state: QueuedRunState): RunRequest[] {
    const rows = this.#state.read((database) =>
      database.all('select job from task_runs where state = ? order by id', state),
    )
    return rows.map(({ job }) => RunRequest.parse(JSON.parse(String(job))))
  }

  move({ run_id }: RunRequest, state: QueuedRunState): void {
    const sql = 'update task_runs set state = ?, changed_at = ? where run_id = ?'
    this.#state.write((database) => database.run(sql, state, Math.floor(this.#now()), run_id))
  }
}
