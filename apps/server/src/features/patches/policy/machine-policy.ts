import type {
  OwnPatchPolicy,
  PatchAlert,
  PatchApproval,
  PatchReboot,
  PatchRing,
  PatchSchedule,
  PatchScripts,
} from '@muster/contract/policies/patch-policy'
import type { MaintenanceTimes } from '@muster/rules/schedules/maintenance-schedule'
import { isMachineZone } from '@muster/rules/schedules/zone-time'
import type { Db } from '../../../platform/database/database.ts'
import {
  activeOccurrence,
  coveredAgents,
  findWindows,
  readSchedule,
  type WindowRow,
} from '../../maintenance/queries.ts'

/** A section with the policy that it comes from; null = the machine's own. */
export interface Given<Value> {
  value: Value
  policy: number | null
}

/** The patch policy of a machine, merged from its policies by features/policies/kinds/patches.ts. */
export interface EffectivePatchPolicy {
  approval?: Given<PatchApproval>
  ring?: Given<PatchRing>
  schedule?: Given<PatchSchedule>
  scripts?: Given<PatchScripts>
  reboot?: Given<PatchReboot>
  alert?: Given<PatchAlert>
}

/** The owner of results of rings: the policy that approves. A machine with its own approval is alone. */
export function ringOwner(approval: Given<PatchApproval>, agent: number): number {
  return approval.policy ?? -agent
}

export function readEffective(stored: string): EffectivePatchPolicy {
  // Stored by features/policies/kinds/patches.ts.
  return JSON.parse(stored) as EffectivePatchPolicy
}

export function readOwn(stored: string): OwnPatchPolicy {
  // Stored by set-own-policy.ts with the contract's schema.
  return JSON.parse(stored) as OwnPatchPolicy
}

export interface PatchClock {
  zone: string
  /** Whether the machine has reported its time zone. Otherwise its times are in UTC. */
  isKnown: boolean
  windows: MaintenanceTimes[]
}

/** The clock of a machine and its maintenance windows. */
export async function readClock(
  db: Db,
  { agent, needsWindows }: { agent: number; needsWindows: boolean },
): Promise<PatchClock> {
  const facts = await readFacts(db, agent)
  const isKnown = isMachineZone(facts.time_zone)
  return {
    zone: isKnown ? facts.time_zone : 'UTC',
    isKnown,
    windows: needsWindows ? (await findWindowsOf(db, agent)).map(readSchedule) : [],
  }
}

export async function readFacts(
  db: Db,
  agent: number,
): Promise<{ time_zone: string; boot_time: number; needs_reboot: boolean }> {
  const row = await db.selectFrom('agent_facts').select('facts').where('agent', '=', agent).executeTakeFirst()
  // Stored by store-facts.ts with the contract's schema.
  const facts = JSON.parse(row?.facts ?? '{}') as Partial<Awaited<ReturnType<typeof readFacts>>>
  return { time_zone: '', boot_time: 0, needs_reboot: false, ...facts }
}

/** Whether a maintenance window of the machine is open. */
export async function isInWindow(db: Db, agent: number, now: Date): Promise<boolean> {
  const windows = await findWindowsOf(db, agent)
  return windows.some((window) => activeOccurrence(window, now.getTime()) !== undefined)
}

async function findWindowsOf(db: Db, agent: number): Promise<WindowRow[]> {
  const rows = await db
    .selectFrom(coveredAgents(db).as('covered'))
    .innerJoin('agents', 'agents.agent_id', 'covered.agent_id')
    .select('covered.window_id')
    .where('agents.id', '=', agent)
    .execute()
  if (rows.length === 0) return []
  const ids = new Set(rows.map(({ window_id }) => window_id))
  return (await findWindows(db)).filter(({ id }) => ids.has(id))
}
