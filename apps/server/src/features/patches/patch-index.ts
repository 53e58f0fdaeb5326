import { createHash } from 'node:crypto'
import type { Patch } from '@muster/contract/agent/patches'
import type { Db } from '../../platform/database/database.ts'
import { chunk, storable } from '../../platform/database/sql.ts'
import type { StoredPatch } from './queries.ts'

/** Sort order of severities; security updates without one are between low ones and the rest. */
const RANKS: Record<Patch['severity'], number> = { Critical: 0, Important: 1, Moderate: 2, Low: 3, '': 5 }
const SECURITY_RANK = 4

/**
 * Replaces the patches of a machine in the index by patch: `machine_patches` holds the whole list of one machine, and
 * the index answers which machines can install one version of a patch.
 */
export async function indexPatches(
  tx: Db,
  agent: number,
  { patches, now }: { patches: readonly StoredPatch[]; now: Date },
): Promise<void> {
  const wanted = new Map(patches.map((patch) => [patchDigest(patch), patch]))
  const before = await tx
    .selectFrom('machine_patch_versions')
    .innerJoin('patch_versions', 'patch_versions.id', 'machine_patch_versions.patch')
    .select(['patch', 'digest', 'action', 'current_version'])
    .where('agent', '=', agent)
    .execute()
  const gone = before.filter(({ digest }) => !wanted.has(digest)).map(({ patch }) => patch)
  for (const ids of chunk(gone))
    await tx
      .deleteFrom('machine_patch_versions')
      .where('agent', '=', agent)
      .where('patch', 'in', ids)
      .execute()
  const ids = await findOrAddVersions(tx, wanted, now)
  const known = new Map(before.map((row) => [row.digest, row]))
  const changed = [...wanted].filter(([digest, { action, current_version }]) => {
    const row = known.get(digest)
    return row?.action !== action || row.current_version !== current_version
  })
  for (const slice of chunk(changed))
    await tx
      .insertInto('machine_patch_versions')
      .values(
        slice.flatMap(([digest, { action, current_version }]) => {
          const patch = ids.get(digest)
          return patch === undefined ? [] : [{ agent, patch, action, current_version }]
        }),
      )
      .onConflict((conflict) =>
        conflict.columns(['agent', 'patch']).doUpdateSet((eb) => ({
          action: eb.ref('excluded.action'),
          current_version: eb.ref('excluded.current_version'),
        })),
      )
      .execute()
}

/**
 * The identity of one version of a patch. All that is shown is part of it, so that what one machine reports never
 * appears in the list of another client.
 */
export function patchDigest(patch: Patch): string {
  const { source, guid, version, title, kb, severity, security, needs_reboot } = patch
  const texts = [source, guid, version, title, kb, severity].map((text) => String(storable(text)))
  const parts = JSON.stringify([...texts, security, needs_reboot])
  return createHash('sha256').update(parts).digest('hex').slice(0, 32)
}

async function findOrAddVersions(
  tx: Db,
  wanted: ReadonlyMap<string, Patch>,
  now: Date,
): Promise<Map<string, number>> {
  const ids = await findVersions(tx, [...wanted.keys()])
  // In a fixed order, so that two processes that add the same ones cannot deadlock.
  const missing = [...wanted].filter(([digest]) => !ids.has(digest)).toSorted(([a], [b]) => (a < b ? -1 : 1))
  if (missing.length === 0) return ids
  for (const slice of chunk(missing))
    await tx
      .insertInto('patch_versions')
      .values(
        slice.map(([digest, { guid, source, title, kb, version, severity, security, needs_reboot }]) => ({
          digest,
          guid,
          source,
          title,
          kb,
          version,
          severity,
          security: security ? 1 : 0,
          needs_reboot: needs_reboot ? 1 : 0,
          search_text: `${title} ${kb} ${guid}`.toLowerCase(),
          severity_rank: severity === '' && security ? SECURITY_RANK : RANKS[severity],
          first_seen: now.toISOString(),
        })),
      )
      .onConflict((conflict) => conflict.column('digest').doNothing())
      .execute()
  for (const [digest, id] of await findVersions(
    tx,
    missing.map(([digest]) => digest),
  ))
    ids.set(digest, id)
  return ids
}

async function findVersions(tx: Db, digests: readonly string[]): Promise<Map<string, number>> {
  const ids = new Map<string, number>()
  for (const slice of chunk(digests)) {
    const rows = await tx
      .selectFrom('patch_versions')
      .select(['id', 'digest'])
      .where('digest', 'in', slice)
      .execute()
    for (const { id, digest } of rows) ids.set(digest, id)
  }
  return ids
}
