import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import type {
  PoliciesTable,
  PolicyExclusionsTable,
  PolicyTargetsTable,
  PolicyVersionsTable,
} from '../../platform/database/tables/policies.ts'

export type PolicyRow = Selectable<PoliciesTable>
export type TargetRow = Selectable<PolicyTargetsTable>
export type ExclusionRow = Selectable<PolicyExclusionsTable>
export type VersionRow = Selectable<PolicyVersionsTable>

const SLICE = 1000

export function findPolicyRows(db: Db): Promise<PolicyRow[]> {
  return db.selectFrom('policies').selectAll().orderBy('id').execute()
}

export function findTargetRows(db: Db): Promise<TargetRow[]> {
  return db.selectFrom('policy_targets').selectAll().orderBy('id').execute()
}

export function findExclusionRows(db: Db): Promise<ExclusionRow[]> {
  return db.selectFrom('policy_exclusions').selectAll().orderBy('id').execute()
}

/**
 * Changes with policies, their assignments and scripts: every save of a policy increases its version, and deletions
 * change the counts.
 */
export async function readPolicyStamp(db: Db): Promise<string> {
  const { rows } = await sql<Record<string, unknown>>`
    select p.*, t.*, e.*, s.* from
      (select count(*) as policies, max(id) as last, sum(version) as saves from policies) p,
      (select count(*) as targets, sum(position * policy_id) as places from policy_targets) t,
      (select count(*) as exclusions from policy_exclusions) e,
      (select count(*) as scripts, max(modified) as changed from scripts) s`.execute(db)
  return JSON.stringify(rows)
}

export function insertPolicy(db: Db, row: Insertable<PoliciesTable>): Promise<{ id: number }> {
  return db.insertInto('policies').values(row).returning('id').executeTakeFirstOrThrow()
}

export async function updatePolicy(db: Db, id: number, columns: Partial<PolicyRow>): Promise<void> {
  await db.updateTable('policies').set(columns).where('id', '=', id).execute()
}

export async function deletePolicyRow(db: Db, id: number): Promise<void> {
  await db.deleteFrom('policies').where('id', '=', id).execute()
}

export async function replaceTargets(
  db: Db,
  policyId: number,
  rows: Insertable<PolicyTargetsTable>[],
): Promise<void> {
  await db.deleteFrom('policy_targets').where('policy_id', '=', policyId).execute()
  for (const slice of chunk(rows)) await db.insertInto('policy_targets').values(slice).execute()
}

export async function replaceExclusions(
  db: Db,
  policyId: number,
  rows: Insertable<PolicyExclusionsTable>[],
): Promise<void> {
  await db.deleteFrom('policy_exclusions').where('policy_id', '=', policyId).execute()
  for (const slice of chunk(rows)) await db.insertInto('policy_exclusions').values(slice).execute()
}

export async function insertVersion(db: Db, row: Insertable<PolicyVersionsTable>): Promise<void> {
  await db.insertInto('policy_versions').values(row).execute()
}

export function findVersions(db: Db, policyId: number): Promise<VersionRow[]> {
  return db
    .selectFrom('policy_versions')
    .selectAll()
    .where('policy_id', '=', policyId)
    .orderBy('version', 'desc')
    .limit(200)
    .execute()
}

/** Serializes changes of policies and their machines, so that two processes do not apply them twice. */
export async function lockPolicies(tx: Db): Promise<void> {
  await tx
    .insertInto('settings')
    .values({ name: 'policies.lock', value: '0' })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: '0' }))
    .execute()
}

export function chunk<Item>(items: readonly Item[], size = SLICE): Item[][] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size))
}
