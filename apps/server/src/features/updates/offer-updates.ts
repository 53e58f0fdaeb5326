import { type Rollout } from '@muster/contract/api/updates'
import { compareAgentVersions } from '@muster/rules/agents/agent-version'
import { planGroups, type WaveMachine, type WavePlan } from '@muster/rules/agents/update-waves'
import type { Context } from '../../context.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Db } from '../../platform/database/database.ts'
import { chunk } from '../../platform/database/sql.ts'
import { audit } from '../audit/write-audit.ts'
import { type CarriedAgent, findCarriedAgent } from './carried-agent.ts'
import { findRollout, findUpdateMachines, readServerSettings, type UpdateMachine } from './queries.ts'

/** Machines that download or start a new version at the same time. */
const MAX_IN_PROGRESS = 200
/** An offer without a report is made again after this time. */
const OFFER_MS = 2 * 60_000
/** A machine that reports nothing for so long has failed. It may still report later. */
const SILENT_MS = 15 * 60_000
/** After this time a failed update is tried again. */
const RETRY_MS = 3_600_000
const EVERYTHING = { scope: { all: true } } as const

/**
 * Offers the server's version to machines: to those that a user has chosen, and to the next ones of the wave. Returns
 * whether machines are on their way, so that more will be offered soon.
 */
export async function offerUpdates(ctx: Context, fleet: Fleet): Promise<boolean> {
  const carried = await findCarriedAgent(ctx.config.agentFolder)
  if (carried === undefined) return false
  await endSilentUpdates(ctx)
  const machines = await findUpdateMachines(ctx.db, EVERYTHING)
  const chosen = machines.filter((one) => one.update?.state === 'waiting' && one.connected)
  const plan = await planRollout(ctx, carried, machines)
  const inWave = new Set(plan.state === 'running' ? plan.offer : [])
  const offered = [...chosen, ...machines.filter((one) => inWave.has(one.agent_id) && !chosen.includes(one))]
  for (const slice of chunk(offered)) await offer(ctx, { fleet, carried, machines: slice })
  return offered.length > 0 || machines.some((one) => isOnItsWay(one.update?.state))
}

/** How far the update of all machines is. */
export async function viewRollout(db: Db, carried: CarriedAgent | undefined, now: Date): Promise<Rollout> {
  const { mode, waves } = await readServerSettings(db)
  const none = { total: 0, waiting: 0, in_progress: 0, confirmed: 0, failed: 0, rolled_back: 0 }
  if (carried === undefined)
    return { version: null, state: 'off', wave: 0, waves, reason: null, counts: none }
  const { version } = carried
  const row = await findRollout(db, version)
  const machines = listEligible(await findUpdateMachines(db, EVERYTHING), version, now)
  const count = (state: WaveMachine['state']) => machines.filter((one) => one.state === state).length
  return {
    version,
    state: mode === 'automatic' ? (row?.state ?? 'running') : 'off',
    wave: row?.wave ?? 0,
    waves,
    reason: row?.reason ?? null,
    counts: {
      total: machines.length,
      waiting: count('waiting'),
      in_progress: count('in progress'),
      confirmed: count('confirmed'),
      failed: count('failed'),
      rolled_back: count('rolled back'),
    },
  }
}

/** Continues a halted update. Rollbacks so far no longer count. */
export async function resumeUpdate(ctx: Context, tx: Db, version: string): Promise<boolean> {
  const machines = listEligible(await findUpdateMachines(tx, EVERYTHING), version, ctx.now())
  const forgiven = machines.filter((one) => one.state === 'rolled back').length
  const { numUpdatedRows } = await tx
    .updateTable('update_rollouts')
    .set({ state: 'running', reason: null, forgiven, changed_at: ctx.now().toISOString() })
    .where('version', '=', version)
    .where('state', '=', 'halted')
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

async function planRollout(
  ctx: Context,
  { version }: CarriedAgent,
  machines: readonly UpdateMachine[],
): Promise<WavePlan> {
  const { waves: shares, max_rollbacks } = await readServerSettings(ctx.db)
  const before = await findRollout(ctx.db, version)
  const wave = before?.wave ?? 0
  if (before?.state === 'halted') return { state: 'halted', wave, reason: before.reason ?? '' }
  const { true: ofAll = [], false: others = [] } = Object.groupBy(
    machines,
    ({ group }) => `${group === null}`,
  )
  const groupOf = (members: readonly UpdateMachine[]) => ({
    machines: listEligible(members, version, ctx.now()),
    shares: members[0]?.group?.waves ?? shares,
  })
  const plan = planGroups({
    version,
    groups: [
      { ...groupOf(ofAll), wave },
      ...Map.groupBy(others, ({ group }) => group?.place)
        .values()
        .map((members) => ({ ...groupOf(members), wave: undefined })),
    ],
    maxRollbacks: max_rollbacks,
    forgivenRollbacks: before?.forgiven ?? 0,
    maxInProgress: MAX_IN_PROGRESS,
  })
  if (before?.state === plan.state && wave === plan.wave) return plan
  const reason = plan.state === 'halted' ? plan.reason : null
  await ctx.transaction(async (tx, emit) => {
    const row = { state: plan.state, wave: plan.wave, reason, changed_at: ctx.now().toISOString() }
    await tx
      .insertInto('update_rollouts')
      .values({ version, forgiven: 0, ...row })
      .onConflict((conflict) => conflict.column('version').doUpdateSet(row))
      .execute()
    if (reason !== null)
      await audit(tx, {
        caller: { username: 'server', source: '' },
        action: 'modify',
        object_type: 'coresettings',
        message: `Halted the update of agents. ${reason}`,
        after: { version, wave: plan.wave + 1 },
        emit,
      })
    emit({ type: 'rollout.changed', ids: [] })
  })
  return plan
}

/** The machines that the waves of a version are for, with their state in it. */
function listEligible(machines: readonly UpdateMachine[], version: string, now: Date): WaveMachine[] {
  const retryBefore = new Date(now.getTime() - RETRY_MS).toISOString()
  return machines.flatMap((one): WaveMachine[] => {
    const isOpen = one.mode === 'automatic' || (one.mode === 'pinned' && one.pinned_version === version)
    if (!isOpen || !one.can_update) return []
    const of = (state: WaveMachine['state']) => [{ id: one.agent_id, isConnected: one.connected, state }]
    if (one.update?.version !== version)
      return compareAgentVersions(one.version, version) < 0 ? of('waiting') : []
    switch (one.update.state) {
      case 'waiting':
        return of('waiting')
      case 'offered':
      case 'downloading':
      case 'installed':
        return of('in progress')
      case 'confirmed':
        return of('confirmed')
      case 'failed':
        return of(one.update.changed_at < retryBefore ? 'waiting' : 'failed')
      case 'rolled_back':
        return of('rolled back')
    }
  })
}

function isOnItsWay(state: string | undefined): boolean {
  return state === 'offered' || state === 'downloading' || state === 'installed'
}

/** Sends the signed order. The row is written first: the report of a machine may be faster than the next line. */
async function offer(
  ctx: Context,
  { fleet, carried, machines }: { fleet: Fleet; carried: CarriedAgent; machines: UpdateMachine[] },
): Promise<void> {
  const { packed: _, ...manifest } = carried
  const changed_at = ctx.now().toISOString()
  const offered = await ctx.transaction(async (tx, emit) => {
    const row = { version: carried.version, state: 'offered' as const, reason: null, changed_at }
    const written: UpdateMachine[] = []
    for (const machine of machines) {
      const username = machine.update?.state === 'waiting' ? machine.update.username : null
      // Another process may have offered it meanwhile: a machine gets one order.
      const { numInsertedOrUpdatedRows: count } = await tx
        .insertInto('agent_updates')
        .values({ agent_id: machine.agent_id, username, ...row })
        .onConflict((conflict) =>
          conflict
            .column('agent_id')
            .doUpdateSet({ ...row, username })
            .where((eb) =>
              eb.or([
                eb('agent_updates.version', '!=', carried.version),
                eb('agent_updates.state', 'in', ['waiting', 'failed', 'rolled_back']),
              ]),
            ),
        )
        .executeTakeFirstOrThrow()
      if (count === 1n) written.push(machine)
    }
    const ids = written.map(({ agent_id }) => agent_id)
    if (ids.length > 0) emit({ type: 'agent_update.changed', ids, agent_ids: ids })
    return written
  })
  for (const { agent_id, update } of offered) {
    const author = update?.state === 'waiting' ? (update.username ?? 'server') : 'server'
    const input = { ...manifest, rollback: false }
    // endSilentUpdates withdraws an offer that reaches nobody.
    await fleet.sendAgentCommand(agent_id, 'update-agent', { input, author })
  }
}

/** Ends what nobody reports about: an offer that did not arrive waits again, a machine that fell silent has failed. */
async function endSilentUpdates(ctx: Context): Promise<void> {
  const before = (ms: number) => new Date(ctx.now().getTime() - ms).toISOString()
  const changed_at = ctx.now().toISOString()
  await ctx.transaction(async (tx, emit) => {
    await tx
      .deleteFrom('agent_updates')
      .where('state', '=', 'offered')
      .where('username', 'is', null)
      .where('changed_at', '<', before(OFFER_MS))
      .execute()
    await tx
      .updateTable('agent_updates')
      .set({ state: 'waiting', changed_at })
      .where('state', '=', 'offered')
      .where('changed_at', '<', before(OFFER_MS))
      .execute()
    const silent = await tx
      .updateTable('agent_updates')
      .set({ state: 'failed', reason: 'The machine has not reported for 15 minutes.', changed_at })
      .where('state', 'in', ['downloading', 'installed'])
      .where('changed_at', '<', before(SILENT_MS))
      .returning('agent_id')
      .execute()
    if (silent.length === 0) return
    const ids = silent.map(({ agent_id }) => agent_id)
    emit({ type: 'agent_update.changed', ids, agent_ids: ids })
  })
}
