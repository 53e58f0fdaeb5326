import { AppError } from '@muster/contract/errors'
import { closesCircle } from '@muster/rules/checks/check-key'
import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { findCheck } from './queries.ts'

interface DependencyChange {
  /** Absent for a new check. */
  id?: number
  before: number | null
  /** Undefined = unchanged. */
  wanted: number | null | undefined
}

/** Returns the dependency of a check. Refuses an invisible check and a cycle. */
export async function settleDependency(
  { ctx, tx, caller }: { ctx: Pick<Context, 'engine'>; tx: Db; caller: Caller },
  { id, before, wanted }: DependencyChange,
): Promise<number | null> {
  if (wanted === undefined || wanted === before) return before
  if (wanted === null) return null
  // Two users could otherwise create a cycle together: each has locked only their own check.
  if (ctx.engine === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(DEPENDENCIES)})`.execute(tx)
  const other = await findCheck(tx, caller, wanted)
  if (other === undefined) refuse('This check does not exist, or you may not see it.')
  if (id !== undefined && closesCircle(id, wanted, await findParents(tx, wanted))) {
    refuse(
      wanted === id
        ? 'A check cannot depend on itself. Choose another check.'
        : 'That check depends on this one. Choose another check.',
    )
  }
  return wanted
}

function refuse(sentence: string): never {
  throw new AppError('invalid', sentence, { fields: { depends_on: [sentence] } })
}

/** An arbitrary number among PostgreSQL's advisory locks. */
const DEPENDENCIES = 771_402

/** The dependencies of this check, up to the last one. */
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
