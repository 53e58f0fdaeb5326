import { CheckDefinition } from '@muster/contract/agent/checks'
import { z } from 'zod'
import type { Database } from '../state/database.ts'
import { Definitions, type DefinitionsOptions } from '../state/definitions.ts'

/** The part of a definition that scheduling needs. The rest stays on disk until the check runs. */
export interface PlannedCheck {
  id: number
  revision: string
  runIntervalSeconds: number
}

/** A check that this agent does not support. It runs and reports that. */
export interface UnknownCheck {
  id: number
  revision: string
  check_type: 'unknown'
  reason: string
}

const MAX_TEXT_BYTES = 100 * 1024 * 1024
const UNKNOWN_INTERVAL_SECONDS = 120

const Interval = z.object({
  run_interval_seconds: z.int().min(10).max(86_400).catch(UNKNOWN_INTERVAL_SECONDS),
})

/** The checks that the server has assigned to this machine. A new revision counts as a new check. */
export class CheckDefinitions extends Definitions {
  constructor(options: DefinitionsOptions) {
    super(options, {
      table: 'checks',
      versionName: 'checks_version',
      maxTextBytes: MAX_TEXT_BYTES,
      tooMuch: '{"check_type":"too_much"}',
    })
  }

  /** Checks whose definitions have arrived. */
  listPlanned(): PlannedCheck[] {
    const rows = this.state.read((database) =>
      database.all('select id, revision, run_interval_seconds from checks where definition is not null'),
    )
    return rows.map((row) => ({
      id: Number(row.id),
      revision: String(row.revision),
      runIntervalSeconds: Number(row.run_interval_seconds),
    }))
  }

  find(id: number): CheckDefinition | UnknownCheck | undefined {
    const found = this.findText(id)
    if (found === undefined) return undefined
    const parsed = CheckDefinition.safeParse(JSON.parse(found.text))
    if (parsed.success) return parsed.data
    return { id, revision: found.revision, check_type: 'unknown', reason: describeUnknown(found.text) }
  }

  protected override addRow(database: Database, id: number, revision: string): void {
    database.run(
      'insert or ignore into checks (id, revision, run_interval_seconds) values (?, ?, ?)',
      id,
      revision,
      UNKNOWN_INTERVAL_SECONDS,
    )
  }

  protected override noteKept(database: Database, id: number, brought: unknown): void {
    const { run_interval_seconds } = Interval.parse(brought)
    database.run('update checks set run_interval_seconds = ? where id = ?', run_interval_seconds, id)
  }
}

function describeUnknown(text: string): string {
  const { check_type } = z.looseObject({ check_type: z.unknown() }).parse(JSON.parse(text))
  if (check_type === 'too_much')
    return 'This machine has more check scripts than it can store. Remove some of them.'
  return `The agent on this machine does not support this check (${String(check_type).slice(0, 50)}). Update the agent.`
}
