import type { Software, SoftwareTitle } from '@muster/contract/api/software'
import type { Db } from '../../platform/database/database.ts'
import type { Caller } from '../../platform/http/caller.ts'
import {
  countMachines,
  countVersions,
  findInventory,
  findSoftwareOf,
  findTitles,
  type TitleFilter,
} from './queries.ts'

export async function readSoftware(db: Db, agent: number): Promise<Software> {
  const inventory = await findInventory(db, agent)
  const rows = inventory === undefined ? [] : await findSoftwareOf(db, agent)
  return {
    software: rows.map((row) => ({ ...row, size: row.size === null ? null : Number(row.size) })),
    looked_at: inventory?.looked_at ?? null,
    changed_at: inventory?.changed_at ?? null,
    left_out: inventory?.left_out ?? 0,
  }
}

/** A page of the packages of the fleet, as far as the caller sees it. */
export async function readTitles(
  db: Db,
  caller: Caller,
  filter: TitleFilter,
): Promise<{ total: number; results: SoftwareTitle[] }> {
  const { total, rows } = await findTitles(db, caller, filter)
  if (rows.length === 0) return { total, results: [] }
  const titles = rows.map(({ title }) => title)
  const versions = Map.groupBy(await countVersions(db, caller, titles), ({ title }) => title)
  const machines = new Map(
    (await countMachines(db, caller, titles)).map((row) => [row.title, Number(row.machines)]),
  )
  return {
    total,
    results: rows.map(({ total: _total, ...row }) => ({
      ...row,
      machines: machines.get(row.title) ?? 0,
      versions: (versions.get(row.title) ?? [])
        .map(({ version, machines: count }) => ({ version, machines: Number(count) }))
        .toSorted((a, b) => b.machines - a.machines || (a.version < b.version ? 1 : -1)),
    })),
  }
}
