import type { Insertable, Selectable } from 'kysely'
import type { Engine } from '../../platform/database/columns.ts'
import type { Db } from '../../platform/database/database.ts'
import type {
  CheckResultsTable,
  ChecksTable,
  CheckTransitionsTable,
} from '../../platform/database/tables/checks.ts'

export type ResultRow = Selectable<CheckResultsTable>
/** Needed to judge a result: the check and its state. */
export type KnownCheck = Pick<
  Selectable<ChecksTable>,
  'id' | 'agent_id' | 'check_type' | 'settings' | 'fails_b4_alert' | 'revision' | 'run_interval'
> & {
  [Name in 'status' | 'alert_severity' | 'last_run' | 'fail_count' | 'failing_since']: ResultRow[Name] | null
} & {
  /** agents.id */
  agent: number
  /** The machine's, in seconds. */
  check_interval: number
}
export type Transition = Omit<Insertable<CheckTransitionsTable>, 'id'>

/** Rows per statement: SQLite takes 32,766 values, and equal statements are prepared once. */
const SLICE = 250

/** Checks by id. On PostgreSQL they are locked against edits until the transaction ends. */
export async function findKnownChecks(tx: Db, engine: Engine, ids: number[]): Promise<KnownCheck[]> {
  const found: KnownCheck[] = []
  for (const slice of chunk(ids)) {
    const rows = await tx
      .selectFrom('checks')
      .innerJoin('agents', 'agents.agent_id', 'checks.agent_id')
      .leftJoin('check_results', 'check_results.check_id', 'checks.id')
      .select(['checks.id', 'checks.agent_id', 'check_type', 'settings', 'fails_b4_alert', 'revision'])
      .select(['status', 'alert_severity', 'last_run', 'fail_count', 'failing_since'])
      .select(['agents.id as agent', 'checks.run_interval', 'agents.check_interval'])
      .where('checks.id', 'in', slice)
      .where('overridden_by', 'is', null)
      .orderBy('checks.id')
      .$if(engine === 'postgres', (query) => query.forShare('checks'))
      .execute()
    found.push(...rows)
  }
  return found
}

export async function upsertResults(tx: Db, rows: ResultRow[]): Promise<void> {
  for (const slice of chunk(rows)) {
    await tx
      .insertInto('check_results')
      .values(slice)
      .onConflict((conflict) =>
        conflict.column('check_id').doUpdateSet((eb) => ({
          status: eb.ref('excluded.status'),
          alert_severity: eb.ref('excluded.alert_severity'),
          more_info: eb.ref('excluded.more_info'),
          last_run: eb.ref('excluded.last_run'),
          ran_at: eb.ref('excluded.ran_at'),
          fail_count: eb.ref('excluded.fail_count'),
          failing_since: eb.ref('excluded.failing_since'),
          measured: eb.ref('excluded.measured'),
        })),
      )
      .execute()
  }
}

export async function insertTransitions(tx: Db, transitions: Transition[]): Promise<void> {
  for (const slice of chunk(transitions)) await tx.insertInto('check_transitions').values(slice).execute()
}

function chunk<Item>(items: Item[]): Item[][] {
  const count = Math.ceil(items.length / SLICE)
  return Array.from({ length: count }, (_, index) => items.slice(index * SLICE, (index + 1) * SLICE))
}
