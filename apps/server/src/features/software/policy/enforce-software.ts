import { PolicySoftware } from '@muster/contract/policies/policy-content'
import { INSTALL_TYPES, isFinal } from '@muster/rules/agents/history-state'
import { describePackageChange, type PackageChange } from '@muster/rules/agents/package-change'
import { changeFor } from '@muster/rules/agents/wanted-software'
import { z } from 'zod'
import type { Context } from '../../../context.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import type { Db } from '../../../platform/database/database.ts'
import { findAgentsWithSite } from '../../agents/queries.ts'
import { findOpenings } from '../../maintenance/find-openings.ts'
import { writeRun } from '../../runs/create-run.ts'
import { findLastRun } from '../../runs/queries.ts'
import { readStates } from '../queries.ts'
import { OUTPUT_CAP_BYTES } from '../../runs/store-run-reports.ts'

const AT_ONCE = 200
const HOUR_MS = 3_600_000
/** A run needs minutes, and the software list follows it. */
const AFTER_RUN_MS = 10 * 60_000
/** A change that waits for a maintenance window sees new windows this soon. */
const WINDOW_MS = 10 * 60_000
/** A change that failed, or that the software list does not show, is tried once a day. */
const RETRY_MS = 24 * HOUR_MS
const TIMEOUT_SECONDS = 3600
const RUN_WAITS_SECONDS = 600
const SERVER = { username: 'server', source: '', userId: null, isSuperuser: false }

const Wanted = z.array(PolicySoftware)

/**
 * Compares machines with the software that their policies want, each once an hour, and starts the run of one change.
 * The next check is written by the process that takes the machine, so that two processes never start the same run.
 */
export async function enforceSoftware(ctx: Context, fleet: Fleet, signal?: AbortSignal): Promise<void> {
  const now = ctx.now()
  for (;;) {
    const due = await ctx.db
      .selectFrom('machine_software_policies')
      .innerJoin('agents', 'agents.id', 'machine_software_policies.agent')
      .select(['agent', 'agents.agent_id', 'policy', 'check_at'])
      .where('check_at', '<=', now.toISOString())
      .where('connected', '=', 1)
      .where('server_machine', '=', 0)
      .orderBy('check_at')
      .limit(AT_ONCE)
      .execute()
    for (const row of due) {
      signal?.throwIfAborted()
      if (await checkMachine(ctx, row, now)) await fleet.deliver(row.agent_id)
    }
    if (due.length < AT_ONCE) return
  }
}

interface DueMachine {
  agent: number
  agent_id: string
  policy: string
  check_at: string
}

/** Returns whether a run was written. */
function checkMachine(
  ctx: Context,
  { agent, agent_id, policy, check_at }: DueMachine,
  now: Date,
): Promise<boolean> {
  return ctx.transaction(async (tx, emit) => {
    const takeUntil = (ms: number) =>
      tx
        .updateTable('machine_software_policies')
        .set({ check_at: new Date(now.getTime() + ms).toISOString() })
        .where('agent', '=', agent)
        .where('check_at', '=', check_at)
        .returning('agent')
        .executeTakeFirst()
    if ((await takeUntil(HOUR_MS)) === undefined) return false
    if (await isBusy(tx, agent_id)) return false
    const wanted = Wanted.parse(JSON.parse(policy))
    const found = await findChange(tx, { agent, agent_id, wanted, now })
    if (found === undefined) return false
    const [row] = await findAgentsWithSite(tx, [agent_id])
    if (row === undefined) return false
    const isHeld = 'opensMs' in found
    const nextMs = isHeld ? Math.min(found.opensMs, now.getTime() + WINDOW_MS) : now.getTime() + AFTER_RUN_MS
    await tx
      .updateTable('machine_software_policies')
      .set({ check_at: new Date(nextMs).toISOString() })
      .where('agent', '=', agent)
      .execute()
    if (isHeld) return false
    await writeRun(
      { ctx, tx, emit },
      {
        agent: row,
        caller: SERVER,
        label: { command: labelOf(found), shell: '', args: [] },
        expiresInSeconds: RUN_WAITS_SECONDS,
        saveAsNote: false,
        work: {
          name: `${found.change}-package`,
          input: {
            names: [...found.names],
            timeout_seconds: TIMEOUT_SECONDS,
            output_cap_bytes: OUTPUT_CAP_BYTES,
          },
        },
      },
    )
    return true
  })
}

async function isBusy(tx: Db, agentId: string): Promise<boolean> {
  const last = await findLastRun(tx, agentId, INSTALL_TYPES)
  return last !== undefined && !isFinal(last.state)
}

interface WantedChange {
  change: PackageChange
  names: readonly string[]
}

const labelOf = ({ change, names }: WantedChange) => `${describePackageChange(change, names)} by policy`

/**
 * The first change that the machine needs, that may start, and that was not tried within a day; otherwise when its next
 * maintenance window opens, if a change waits for it. Nothing before its first list.
 */
async function findChange(
  tx: Db,
  { agent, agent_id, wanted, now }: { agent: number; agent_id: string; wanted: PolicySoftware[]; now: Date },
): Promise<WantedChange | { opensMs: number } | undefined> {
  const inventory = await tx
    .selectFrom('software_inventories')
    .select('managers')
    .where('agent', '=', agent)
    .executeTakeFirst()
  if (inventory === undefined || inventory.managers === '[]') return undefined
  const opening = wanted.some(({ in_windows }) => in_windows)
    ? (await findOpenings(tx, [agent_id], now)).get(agent_id)
    : undefined
  const opensMs = opening?.startMs ?? Number.POSITIVE_INFINITY
  let isHeld = false
  for (const { names, state, in_windows } of wanted) {
    const installed = await tx
      .selectFrom('machine_software')
      .innerJoin('software_packages', 'software_packages.id', 'machine_software.package')
      .select(['available', 'states'])
      .where('agent', '=', agent)
      .where((eb) => eb.or([eb('name', 'in', names), eb('package_id', 'in', names)]))
      .execute()
    const change = changeFor(
      state,
      installed.map((one) => ({ ...one, states: readStates(one.states) })),
    )
    if (change === undefined) continue
    const found = { change, names }
    const tried = await tx
      .selectFrom('agent_history')
      .select('id')
      .where('agent_id', '=', agent_id)
      .where('type', '=', 'package_install')
      .where('command', '=', labelOf(found))
      .where('time', '>', new Date(now.getTime() - RETRY_MS).toISOString())
      .limit(1)
      .executeTakeFirst()
    if (tried !== undefined) continue
    if (!in_windows || opensMs <= now.getTime()) return found
    isHeld = true
  }
  return isHeld ? { opensMs } : undefined
}
