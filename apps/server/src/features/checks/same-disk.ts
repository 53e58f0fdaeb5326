import type { Measured } from '@muster/contract/agent/checks'
import { checkKey, pathKey } from '@muster/rules/checks/check-key'
import type { Db } from '../../platform/database/database.ts'
import { chunk } from '../../platform/database/sql.ts'
import type { AnyMeasured } from './judge-result.ts'
import { readMeasured, readSettings } from './view.ts'

interface DiskRun {
  agentId: string
  checkId: number
  measured: AnyMeasured
}
interface DiskCheck {
  id: number
  agentId: string
  /** That of the disk itself, if a result has named it. */
  key: string
  isLink: boolean
}

/**
 * Returns the checks whose disk is a link to the disk of another check of the machine. The path of the disk itself
 * comes first, then the oldest link, so one disk has one check.
 */
export async function findDoubleDisks(tx: Db, runs: readonly DiskRun[]): Promise<Set<number>> {
  const links = new Map(runs.flatMap(({ checkId, measured }) => linkOf(checkId, measured)))
  if (links.size === 0) return new Set()
  const agentIds = new Set(runs.flatMap(({ agentId, checkId }) => (links.has(checkId) ? [agentId] : [])))
  const checks: DiskCheck[] = []
  for (const slice of chunk([...agentIds])) checks.push(...(await findDiskChecks(tx, slice, links)))
  const nameOf = ({ agentId, key }: DiskCheck) => `${agentId} ${key}`
  const judges = new Map<string, number>()
  for (const check of checks.toSorted((a, b) => Number(a.isLink) - Number(b.isLink) || a.id - b.id))
    if (!judges.has(nameOf(check))) judges.set(nameOf(check), check.id)
  const others = checks.filter((check) => check.isLink && judges.get(nameOf(check)) !== check.id)
  return new Set(others.map(({ id }) => id))
}

async function findDiskChecks(
  tx: Db,
  agentIds: readonly string[],
  links: ReadonlyMap<number, string>,
): Promise<DiskCheck[]> {
  const rows = await tx
    .selectFrom('checks')
    .leftJoin('check_results', 'check_results.check_id', 'checks.id')
    .select(['checks.id', 'checks.agent_id', 'check_type', 'settings', 'measured'])
    .where('checks.agent_id', 'in', agentIds)
    .where('check_type', '=', 'diskspace')
    .where('overridden_by', 'is', null)
    .execute()
  return rows.flatMap(({ id, agent_id, measured, ...row }): DiskCheck[] => {
    const settings = readSettings(row)
    if (settings.check_type !== 'diskspace') return []
    const stored = measured === null ? [] : linkOf(id, readMeasured(measured))
    const target = links.get(id) ?? stored[0]?.[1]
    const isLink = target !== undefined && target !== pathKey(settings.disk)
    const key = checkKey({ ...settings, disk: target ?? settings.disk })
    return [{ id, agentId: agent_id, key, isLink }]
  })
}

function linkOf(checkId: number, measured: AnyMeasured): [number, string][] {
  if (!isMountedLink(measured)) return []
  return [[checkId, pathKey(measured.link_to)]]
}

function isMountedLink(
  measured: AnyMeasured,
): measured is Extract<Measured, { check_type: 'diskspace' }> & { link_to: string } {
  return measured.check_type === 'diskspace' && measured.exists && measured.link_to !== undefined
}
