import { compileTextMatch } from '@muster/rules/search/machine-search'
import type { FieldTerm, Match } from '@muster/rules/search/search-tree'
import { nameCheck } from '@muster/rules/checks/check-name'
import { sql, type SqlBool } from 'kysely'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { isOldPass } from './aged-results.ts'
import { readSettings } from './view.ts'

/** Checks per statement: some milliseconds. */
const STEP = 2000

type Source = Pick<Context, 'db' | 'now'>

/** The machines with a check of a search: `check:failing`, `check:"disk space"`. */
export async function findMachinesByCheck(ctx: Source, { matches }: FieldTerm): Promise<Set<string>> {
  const found = new Set<string>()
  for (const match of matches) {
    const condition = match.op === ':' ? stateCondition(match.value, ctx.now()) : undefined
    const ids =
      condition === undefined
        ? await findByName(ctx.db, match, { failing: false })
        : await findByState(ctx.db, condition)
    for (const id of ids) found.add(id)
  }
  return found
}

/** The same, of checks that fail now. */
export async function findMachinesByFailingCheck(
  { db }: Source,
  { matches }: FieldTerm,
): Promise<Set<string>> {
  const found = new Set<string>()
  for (const match of matches) for (const id of await findByName(db, match, { failing: true })) found.add(id)
  return found
}

function stateCondition(name: string, now: Date) {
  switch (name) {
    case 'failing':
      return sql<SqlBool>`check_results.alert_severity is not null`
    case 'error':
    case 'warning':
    case 'info':
      return sql<SqlBool>`check_results.alert_severity = ${name}`
    case 'passing':
      return sql<SqlBool>`check_results.status = 'passing' and not ${isOldPass(now)}`
    case 'old':
      return isOldPass(now)
    case 'pending':
      return sql<SqlBool>`(check_results.status is null or check_results.status in ('pending', 'not_measured'))`
    case 'not_measured':
      return sql<SqlBool>`check_results.status = 'not_measured'`
    default:
      return undefined
  }
}

function selectChecks(db: Db) {
  return db
    .selectFrom('checks')
    .innerJoin('agents', 'agents.agent_id', 'checks.agent_id')
    .leftJoin('check_results', 'check_results.check_id', 'checks.id')
    .where('checks.overridden_by', 'is', null)
}

async function findByState(db: Db, condition: ReturnType<typeof isOldPass>): Promise<string[]> {
  const rows = await selectChecks(db).where(condition).select('checks.agent_id').distinct().execute()
  return rows.map(({ agent_id }) => agent_id)
}

async function findByName(db: Db, match: Match, { failing }: { failing: boolean }): Promise<Set<string>> {
  const fits = compileTextMatch(match)
  const found = new Set<string>()
  for (let afterId = 0; ;) {
    const rows = await selectChecks(db)
      .leftJoin('scripts', 'scripts.id', 'checks.script_id')
      .select(['checks.id', 'checks.agent_id', 'checks.check_type', 'checks.settings'])
      .select('scripts.name as script_name')
      .where('checks.id', '>', afterId)
      .$if(failing, (query) => query.where('check_results.alert_severity', 'is not', null))
      .orderBy('checks.id')
      .limit(STEP)
      .execute()
    for (const row of rows) {
      const name = nameCheck({ settings: readSettings(row), script_name: row.script_name })
      if (!found.has(row.agent_id) && fits(name)) found.add(row.agent_id)
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < STEP) return found
    afterId = last.id
    await new Promise(setImmediate)
  }
}
