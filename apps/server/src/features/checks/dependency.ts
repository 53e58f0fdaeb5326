import { AppError } from '@muster/contract/errors'
import { closesCircle } from '@muster/rules/checks/check-key'
import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { findCheck } from './queries.ts'

interface Wish {
  /** Absent while the check is only about to be added. */
  id?: number
  before: number | null
  /** Undefined = as it is. */
  wanted: number | null | undefined
}

/** What the check is to depend on; refuses what the caller may not see, and what would depend on itself. */
export async function settleDependency(
  { ctx, tx, caller }: { ctx: Pick<Context, 'engine'>; tx: Db; caller: Caller },
  { id, before, wanted }: Wish,
): Promise<number | null> {
  if (wanted === undefined || wanted === before) return before
  if (wanted === null) return null
  // Two people could otherwise close a circle together. Both have locked no more than their own checks so far.
  if (ctx.engine === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(DEPENDENCIES)})`.execute(tx)
  const other = await findCheck(tx, caller, wanted)
  if (other === undefined) refuse('There is no such check, or you may not see it.')
  if (id !== undefined && closesCircle(id, wanted, await findParents(tx, wanted))) {
    refuse(
      wanted === id
        ? 'A check cannot depend on itself.'
        : 'That check depends on this one: each would wait for the other.',
    )
  }
  return wanted
}

function refuse(sentence: string): never {
  throw new AppError('invalid', sentence, { fields: { depends_on: [sentence] } })
}

/** A number of our own among PostgreSQL's advisory locks. */
const DEPENDENCIES = 771_402

/** What this check depends on, and that in turn, up to the last. */
async function findParents(tx: Db, from: number): Promise<Map<number, number | null>> {
  const { rows } = await sql<{ id: number; depends_on: number | null }>`
    with recursive up(id, depends_on) as (
      select id, depends_on from checks where id = ${from}
      union
      select checks.id, checks.depends_on from checks join up on checks.id = up.depends_on
    )
    select id, depends_on from up`.execute(tx)
  return new Map(rows.map(({ id, depends_on }) => [id, depends_on]))
}
