import { TaskDefinition, TaskSchedule } from '@muster/contract/agent/tasks'
import { z } from 'zod'
import type { Database } from '../state/database.ts'
import { Definitions, type DefinitionsOptions } from '../state/definitions.ts'

/** The part of a definition that scheduling needs. The rest stays on disk until the task runs. */
const Plan = z.object({
  id: z.int(),
  enabled: z.boolean(),
  schedule: TaskSchedule,
  counts_from: z.iso.datetime(),
  run_asap_after_missed: z.boolean(),
})
export type PlannedTask = z.infer<typeof Plan> & {
  revision: string
  /** Runs up to this time are handled or were missed. Null = unknown. */
  handledMs: number | null
  onboarded: boolean
}

const MAX_TEXT_BYTES = 50 * 1024 * 1024

/** The tasks that the server has assigned to this machine. A new revision is the same task with new content. */
export class TaskDefinitions extends Definitions {
  constructor(options: DefinitionsOptions) {
    super(options, {
      table: 'tasks',
      versionName: 'tasks_version',
      maxTextBytes: MAX_TEXT_BYTES,
      tooMuch: '{}',
    })
  }

  /** Tasks whose definitions have arrived; `unknown`: those that this agent does not support. */
  list(): { planned: PlannedTask[]; unknown: { id: number; revision: string }[] } {
    const rows = this.state.read((database) =>
      database.all('select * from tasks where definition is not null order by id'),
    )
    const planned: PlannedTask[] = []
    const unknown: { id: number; revision: string }[] = []
    for (const row of rows) {
      const parsed = TaskDefinition.safeParse(JSON.parse(this.open(String(row.definition)) ?? '{}'))
      const [id, revision] = [Number(row.id), String(row.revision)]
      if (!parsed.success) {
        unknown.push({ id, revision })
        continue
      }
      const handledMs = row.handled_ms === null ? null : Number(row.handled_ms)
      planned.push({ ...Plan.parse(parsed.data), revision, handledMs, onboarded: row.onboarded === 1 })
    }
    return { planned, unknown }
  }

  find(id: number): TaskDefinition | undefined {
    const found = this.findText(id)
    return found === undefined ? undefined : TaskDefinition.safeParse(JSON.parse(found.text)).data
  }

  saveHandled(id: number, handledMs: number): void {
    this.state.write((database) =>
      database.run('update tasks set handled_ms = ? where id = ?', Math.floor(handledMs), id),
    )
  }

  saveOnboarded(id: number): void {
    this.state.write((database) => database.run('update tasks set onboarded = 1 where id = ?', id))
  }

  protected override addRow(database: Database, id: number, revision: string): void {
    database.run('insert or ignore into tasks (id, revision) values (?, ?)', id, revision)
  }
}
