import type { SoftwareReport } from '@muster/contract/agent/software'
import type { Event } from '@muster/contract/events'
import type { Db } from '../../platform/database/database.ts'
import { storeChanges } from '../agents/fact-changes.ts'
import { replaceSoftware } from './replace-software.ts'

export interface ReportedSoftware {
  agentId: string
  report: SoftwareReport
}

/** Stores software lists, and changes for timelines. Returns the machines whose list is needed. */
export async function storeSoftware(
  tx: Db,
  emit: (event: Event) => void,
  { reports, now }: { reports: readonly ReportedSoftware[]; now: Date },
): Promise<string[]> {
  const wanted: string[] = []
  for (const { agentId, report } of reports) {
    const known = await findInventory(tx, agentId)
    // Deleted in the meantime.
    if (known === undefined) continue
    const about = { ids: [agentId], agent_ids: [agentId] }
    if (report.inventory === null) {
      if (known.hash !== report.hash) {
        wanted.push(agentId)
        continue
      }
      await tx
        .updateTable('software_inventories')
        .set({ looked_at: now.toISOString() })
        .where('agent', '=', known.agent)
        .execute()
    } else if (await storeInventory(tx, { ...known, agentId, now }, report))
      emit({ type: 'software.changed', ...about })
    emit({ type: 'software.scanned', ...about })
  }
  return wanted
}

interface Known {
  agent: number
  /** Null before its first list. */
  hash: string | null
}

async function findInventory(tx: Db, agentId: string): Promise<Known | undefined> {
  return tx
    .selectFrom('agents')
    .leftJoin('software_inventories', 'software_inventories.agent', 'agents.id')
    .select(['agents.id as agent', 'hash'])
    .where('agent_id', '=', agentId)
    .executeTakeFirst()
}

/** Returns whether it changed. */
async function storeInventory(
  tx: Db,
  { agent, agentId, hash: before, now }: Known & { agentId: string; now: Date },
  { hash, inventory }: SoftwareReport,
): Promise<boolean> {
  const at = now.toISOString()
  const isChanged = hash !== before
  if (isChanged && inventory !== null) {
    const { removed, added } = await replaceSoftware(tx, agent, inventory.packages)
    // The first list of a machine is not a change.
    if (before !== null)
      await storeChanges(tx, {
        agentId,
        at: Math.floor(now.getTime() / 1000),
        texts: describeSoftwareChanges(removed, added),
      })
  }
  const row = {
    hash,
    left_out: inventory?.left_out ?? 0,
    looked_at: at,
    managers: inventory?.managers === undefined ? null : JSON.stringify(inventory.managers),
    upgrades_problem: inventory?.upgrades_problem ?? null,
    ...(isChanged ? { changed_at: at } : {}),
  }
  await tx
    .insertInto('software_inventories')
    .values({ agent, changed_at: at, ...row })
    .onConflict((conflict) => conflict.column('agent').doUpdateSet(row))
    .execute()
  return isChanged
}

interface Version {
  title: string
  name: string
  version: string
}

/** Maximum number of single lines: a distribution upgrade changes a thousand packages. */
export const MAX_SINGLE_LINES = 25
const MAX_LENGTH = 200

const VERBS = ['installed', 'removed', 'updated'] as const
type Change = { verb: (typeof VERBS)[number]; text: string }

/** Timeline lines such as `Software: updated nginx 1.22 → 1.24`. Installed and removed packages come first. */
function describeSoftwareChanges(removed: readonly Version[], added: readonly Version[]): string[] {
  const before = Map.groupBy(removed, ({ title }) => title)
  const after = Map.groupBy(added, ({ title }) => title)
  const changes = Array.from(new Set([...after.keys(), ...before.keys()]), (title) =>
    describe(before.get(title) ?? [], after.get(title) ?? []),
  ).filter((change) => change !== undefined)
  const sorted = VERBS.flatMap((verb) => changes.filter((change) => change.verb === verb))
  const lines = sorted.slice(0, MAX_SINGLE_LINES).map(({ text }) => `Software: ${text}`)
  const rest = sorted.slice(MAX_SINGLE_LINES)
  if (rest.length === 0) return lines
  const counts = VERBS.flatMap((verb) => {
    const count = rest.filter((change) => change.verb === verb).length
    return count === 0 ? [] : [`${count} ${verb}`]
  })
  return [...lines, `Software: and ${counts.join(', ')}`]
}

/** Undefined if only details besides the version changed. */
function describe(before: readonly Version[], after: readonly Version[]): Change | undefined {
  const name = cut((after[0] ?? before[0])?.name ?? '')
  const [was, is] = [before, after].map(listVersions)
  if (was === is) return undefined
  if (before.length === 0) return { verb: 'installed', text: `installed ${name} ${is}`.trim() }
  if (after.length === 0) return { verb: 'removed', text: `removed ${name} ${was}`.trim() }
  return { verb: 'updated', text: `updated ${name} ${was || '?'} → ${is || '?'}` }
}

function listVersions(versions: readonly Version[]): string {
  return cut(
    versions
      .map(({ version }) => version)
      .toSorted()
      .join(', '),
  )
}

const cut = (text: string) => (text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text)
