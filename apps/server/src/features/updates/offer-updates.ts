import { type Rollout } from '@muster/contract/api/updates'
import { compareAgentVersions } from '@muster/rules/agents/agent-version'
import { type GroupsPlan, planGroups, type WaveMachine } from '@muster/rules/agents/update-waves'
import type { Context } from '../../context.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Db } from '../../platform/database/database.ts'
import { chunk } from '../../platform/database/sql.ts'
import { audit } from '../audit/write-audit.ts'
import { type CarriedAgent, findCarriedAgent } from './carried-agent.ts'
import {
  countUpdatable,
  findRollout,
  findWaveCandidates,
  readServerSettings,
  type Updatable,
  type WaveCandidate,
} from './queries.ts'

/** Machines that download or start a new version at the same time. */
const MAX_IN_PROGRESS = 200
/** An offer without a report is made again after this time. */
const OFFER_MS = 2 * 60_000
/** A machine that reports nothing for so long has failed. It may still report later. */
const SILENT_MS = 15 * 60_000
/** After this time a failed update is tried again. */
const RETRY_MS = 3_600_000

/**
 * Offers the server's version to machines: to those that a user has chosen, and to the next ones of the wave. Returns
 * whether machines are on their way, so that more will be offered soon.
 */
export async function offerUpdates(ctx: Context, fleet: Fleet): Promise<boolean> {
  const carried = await findCarriedAgent(ctx.config.agentFolder)
  if (carried === undefined) return false
  await endSilentUpdates(ctx)
  const machines = await findWaveCandidates(ctx.db)
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
  const counts = { ...none }
  for (const { machines, ...kind } of await countUpdatable(db)) {
    const state = stateIn(kind, version, now)
    if (state === undefined) continue
    counts[COUNTED[state]] += machines
    counts.total += machines
  }
  return {
    version,
    state: mode === 'automatic' ? (row?.state ?? 'running') : 'off',
    wave: row?.wave ?? 0,
    waves,
    reason: row?.reason ?? null,
    counts,
  }
}

const COUNTED = {
  waiting: 'waiting',
  'in progress': 'in_progress',
  confirmed: 'confirmed',
  failed: 'failed',
  'rolled back': 'rolled_back',
} as const

/** Continues a halted update, and at clients that were held. Rollbacks so far no longer count. */
export async function resumeUpdate(ctx: Context, tx: Db, version: string): Promise<boolean> {
  const machines = await findWaveCandidates(tx)
  const forgiven = machines.filter((one) => stateIn(one, version, ctx.now()) === 'rolled back').length
  const { numUpdatedRows } = await tx
    .updateTable('update_rollouts')
    .set({ state: 'running', reason: null, forgiven, changed_at: ctx.now().toISOString() })
    .where('version', '=', version)
    .where((eb) => eb.or([eb('state', '=', 'halted'), eb('reason', 'is not', null)]))
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

async function planRollout(
  ctx: Context,
  { version }: CarriedAgent,
  machines: readonly WaveCandidate[],
): Promise<GroupsPlan> {
  const { waves: shares, max_rollbacks } = await readServerSettings(ctx.db)
  const before = await findRollout(ctx.db, version)
  const wave = before?.wave ?? 0
  if (before?.state === 'halted') return { state: 'halted', wave, reason: before.reason ?? '' }
  const { true: ofAll = [], false: others = [] } = Object.groupBy(
    machines,
    ({ group }) => `${group === null}`,
  )
  const forgiven = findForgiven(machines, version, before?.forgiven ?? 0)
  const groupOf = (members: readonly WaveCandidate[]) => ({
    machines: listEligible(members, { version, forgiven, now: ctx.now() }),
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
    maxInProgress: MAX_IN_PROGRESS,
  })
  const reason = plan.state === 'halted' ? plan.reason : describeHeld(plan.held.length, version)
  if (before?.state === plan.state && wave === plan.wave && before.reason === reason) return plan
  await ctx.transaction(async (tx, emit) => {
    const row = { state: plan.state, wave: plan.wave, reason, changed_at: ctx.now().toISOString() }
    await tx
      .insertInto('update_rollouts')
      .values({ version, forgiven: 0, ...row })
      .onConflict((conflict) => conflict.column('version').doUpdateSet(row))
      .execute()
    if (reason !== null && reason !== before?.reason)
      await audit(tx, {
        caller: { username: 'server', source: '' },
        action: 'modify',
        object_type: 'coresettings',
        message:
          plan.state === 'halted'
            ? `Halted the update of agents. ${reason}`
            : `Held the update of agents at ${countClients(plan.held.length)}. ${reason}`,
        after: { version, wave: plan.wave + 1, ...(plan.state !== 'halted' && { clients: plan.held }) },
        emit,
      })
    emit({ type: 'rollout.changed', ids: [] })
  })
  return plan
}

const countClients = (count: number) => `${count} client${count === 1 ? '' : 's'}`

/** Without names: users of other clients read it too. */
function describeHeld(count: number, version: string): string | null {
  if (count === 0) return null
  const whose = count === 1 ? 'its' : 'their'
  return `Most machines of ${countClients(count)} did not confirm version ${version}, so ${whose} other machines wait.`
}

/** The machines that rolled back before the update was resumed: the first ones. */
function findForgiven(machines: readonly WaveCandidate[], version: string, count: number): Set<string> {
  const rolledBack = machines
    .filter(({ update }) => update?.version === version && update.state === 'rolled_back')
    .toSorted((a, b) => ((a.update?.changed_at ?? '') < (b.update?.changed_at ?? '') ? -1 : 1))
  return new Set(rolledBack.slice(0, count).map(({ agent_id }) => agent_id))
}

/** The machines that the waves of a version are for, with their state in it. */
function listEligible(
  machines: readonly WaveCandidate[],
  { version, forgiven, now }: { version: string; forgiven: ReadonlySet<string>; now: Date },
): WaveMachine[] {
  return machines.flatMap((one): WaveMachine[] => {
    const own = stateIn(one, version, now)
    const state = own === 'rolled back' && forgiven.has(one.agent_id) ? 'forgiven' : own
    const { agent_id: id, client_id: client, connected: isConnected } = one
    return state === undefined ? [] : [{ id, client, isConnected, state }]
  })
}

/** Undefined = the waves of this version are not for it. */
function stateIn(
  one: Updatable,
  version: string,
  now: Date,
): Exclude<WaveMachine['state'], 'forgiven'> | undefined {
  const isOpen = one.mode === 'automatic' || (one.mode === 'pinned' && one.pinned_version === version)
  if (!isOpen || !one.can_update) return undefined
  if (one.update?.version !== version)
    return compareAgentVersions(one.version, version) < 0 ? 'waiting' : undefined
  switch (one.update.state) {
    case 'waiting':
      return 'waiting'
    case 'offered':
    case 'downloading':
    case 'installed':
      return 'in progress'
    case 'confirmed':
      return 'confirmed'
    case 'failed':
      return Date.parse(one.update.changed_at) < now.getTime() - RETRY_MS ? 'waiting' : 'failed'
    case 'rolled_back':
      return 'rolled back'
  }
}

function isOnItsWay(state: string | undefined): boolean {
  return state === 'offered' || state === 'downloading' || state === 'installed'
}

/** Sends the signed order. The row is written first: the report of a machine may be faster than the next line. */
async function offer(
  ctx: Context,
  { fleet, carried, machines }: { fleet: Fleet; carried: CarriedAgent; machines: WaveCandidate[] },
): Promise<void> {
  const { packed: _, ...manifest } = carried
  const changed_at = ctx.now().toISOString()
  const offered = await ctx.transaction(async (tx, emit) => {
    const row = { version: carried.version, state: 'offered' as const, reason: null, changed_at }
    const values = machines.map(({ agent_id, update }) => ({
      agent_id,
      username: update?.state === 'waiting' ? update.username : null,
      ...row,
    }))
    // Another process may have offered it meanwhile: a machine gets one order.
    const written = await tx
      .insertInto('agent_updates')
      .values(values)
      .onConflict((conflict) =>
        conflict
          .column('agent_id')
          .doUpdateSet((eb) => ({ ...row, username: eb.ref('excluded.username') }))
          .where((eb) =>
            eb.or([
              eb('agent_updates.version', '!=', carried.version),
              eb('agent_updates.state', 'in', ['waiting', 'failed', 'rolled_back']),
            ]),
          ),
      )
      .returning(['agent_id', 'username'])
      .execute()
    const ids = written.map(({ agent_id }) => agent_id)
    if (ids.length > 0) emit({ type: 'agent_update.changed', ids, agent_ids: ids })
    return written
  })
  for (const { agent_id, username } of offered) {
    const author = username ?? 'server'
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
