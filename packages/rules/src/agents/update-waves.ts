export const DEFAULT_WAVES = [1, 10, 100]
export const DEFAULT_MAX_ROLLBACKS = 3
/** Fewer of the machines that were tried are no reason to halt an update. */
const MIN_ROLLBACK_SHARE = 0.01

export interface WaveMachine {
  id: string
  client: number
  isConnected: boolean
  /** `forgiven`: rolled back before a user has resumed the update. */
  state: 'waiting' | 'in progress' | 'confirmed' | 'failed' | 'rolled back' | 'forgiven'
}

export interface Waves {
  version: string
  machines: readonly WaveMachine[]
  /** Percent of the machines that have been offered the version at the end of each wave. */
  shares: readonly number[]
  /** The current wave, from 0; undefined = the one of the machines that were tried. */
  wave: number | undefined
  maxRollbacks: number
  maxInProgress: number
}

export type WavePlan =
  | { state: 'running'; wave: number; offer: string[] }
  | { state: 'done'; wave: number }
  | { state: 'halted'; wave: number; reason: string }

/** `held`: clients that get no further offers. */
export type GroupsPlan =
  | (Extract<WavePlan, { state: 'running' | 'done' }> & { held: number[] })
  | Extract<WavePlan, { state: 'halted' }>

/**
 * Decides which machines are offered a version now. A wave counts machines that were tried, so offline ones delay it
 * only if nobody else is left. The next wave starts when all machines of the former have settled and most of them have
 * confirmed the version.
 */
export function planWave(given: Waves): WavePlan {
  const { version, machines, shares, maxRollbacks, maxInProgress } = given
  const { inProgress, confirmed, failed, rollbacks, tried } = countStates(machines)
  const last = shares.length - 1
  const targetOf = (share: number) => Math.ceil((machines.length * share) / 100)
  const current = given.wave ?? shares.findIndex((share) => targetOf(share) >= tried)
  if (isTooMany(rollbacks, { tried, maxRollbacks }))
    return { state: 'halted', wave: current, reason: describeRollbacks(rollbacks, version) }
  const ready = machines
    .filter((one) => one.state === 'waiting' && one.isConnected)
    .map(({ id }) => ({ id, order: hash(version + id) }))
    .toSorted((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1))
  for (let wave = Math.min(current, last); ; wave += 1) {
    const missing = Math.max(0, targetOf(shares[wave] ?? 100) - tried)
    const room = Math.max(0, maxInProgress - inProgress)
    const offer = ready.slice(0, Math.min(missing, room)).map(({ id }) => id)
    if (offer.length > 0 || inProgress > 0) return { state: 'running', wave, offer }
    if (tried > 0 && confirmed < rollbacks + failed)
      return { state: 'halted', wave, reason: describeConfirmed(machines, version) }
    if (machines.every(({ state }) => state !== 'waiting')) return { state: 'done', wave: last }
    if (wave === last || confirmed === 0) return { state: 'running', wave, offer: [] }
  }
}

type Group = Pick<Waves, 'machines' | 'shares' | 'wave'>

/**
 * The same for groups of machines with waves of their own. Rollbacks and machines in progress are counted over all, and
 * a group that halts halts them all. The wave is that of the first group.
 *
 * One client alone does not halt the others, whose machines may be fine while those of one client are not, or lie: a
 * client whose machines do not confirm the version is held, and counts for as many rollbacks as are allowed.
 */
export function planGroups({
  groups,
  ...given
}: Omit<Waves, keyof Group> & { groups: readonly [Group, ...Group[]] }): GroupsPlan {
  const { version, maxRollbacks } = given
  const all = groups.flatMap(({ machines }) => machines)
  const clients = Map.groupBy(all, ({ client }) => client)
  const hasSeveral = clients.size > 1
  const { rollbacks, tried } = countStates(all)
  const counted = hasSeveral
    ? clients
        .values()
        .map((machines) => Math.min(countStates(machines).rollbacks, Math.max(1, maxRollbacks)))
        .reduce((sum, count) => sum + count, 0)
    : rollbacks
  const held = hasSeveral ? findHeld(clients, maxRollbacks) : []
  const kept = groups.map((group) => ({
    ...group,
    machines: group.machines.filter(({ client }) => !held.includes(client)),
  }))
  const plan = planKept(kept, { ...given, maxRollbacks: Infinity })
  const { wave } = plan
  if (isTooMany(counted, { tried, maxRollbacks }))
    return { state: 'halted', wave, reason: describeRollbacks(rollbacks, version) }
  if (held.length > 1 && countStates(kept.flatMap(({ machines }) => machines)).tried === 0)
    return { state: 'halted', wave, reason: describeConfirmed(all, version) }
  return plan.state === 'halted' ? plan : { ...plan, held }
}

function planKept(groups: readonly Group[], given: Omit<Waves, keyof Group>): WavePlan {
  let room = given.maxInProgress - countStates(groups.flatMap(({ machines }) => machines)).inProgress
  const plans = groups.map((group) => {
    const own = countStates(group.machines).inProgress
    const plan = planWave({ ...given, ...group, maxInProgress: Math.max(0, room) + own })
    if (plan.state === 'running') room -= plan.offer.length
    return plan
  })
  const wave = plans[0]?.wave ?? 0
  const halted = plans.find(({ state }) => state === 'halted')
  if (halted !== undefined) return { ...halted, wave }
  if (plans.every(({ state }) => state === 'done')) return { state: 'done', wave }
  return {
    state: 'running',
    wave,
    offer: plans.flatMap((plan) => (plan.state === 'running' ? plan.offer : [])),
  }
}

/** Clients with too many rollbacks, or whose machines have settled without confirming the version for the most part. */
function findHeld(clients: ReadonlyMap<number, readonly WaveMachine[]>, maxRollbacks: number): number[] {
  return Array.from(clients).flatMap(([client, machines]) => {
    const { inProgress, confirmed, failed, rollbacks, tried } = countStates(machines)
    const isRefused = inProgress === 0 && tried > 0 && confirmed < rollbacks + failed
    return isRefused || isTooMany(rollbacks, { tried, maxRollbacks }) ? [client] : []
  })
}

function countStates(machines: readonly WaveMachine[]) {
  const count = (state: WaveMachine['state']) => machines.filter((one) => one.state === state).length
  return {
    inProgress: count('in progress'),
    confirmed: count('confirmed'),
    failed: count('failed'),
    rollbacks: count('rolled back'),
    // Forgiven ones do not count: after a halted first wave, another machine has to try the version.
    tried: machines.length - count('waiting') - count('forgiven'),
  }
}

function isTooMany(
  rollbacks: number,
  { tried, maxRollbacks }: { tried: number; maxRollbacks: number },
): boolean {
  return rollbacks > maxRollbacks && rollbacks >= tried * MIN_ROLLBACK_SHARE
}

const describeRollbacks = (count: number, version: string) =>
  `${count} machines rolled version ${version} back.`

function describeConfirmed(machines: readonly WaveMachine[], version: string): string {
  const { confirmed, tried } = countStates(machines)
  return `Version ${version} was confirmed by ${confirmed} of ${tried} machines.`
}

/** FNV-1a: another order of the machines for each version, and always the same for one. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return value >>> 0
}
