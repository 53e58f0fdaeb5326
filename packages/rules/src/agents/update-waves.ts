export const DEFAULT_WAVES = [1, 10, 100]
export const DEFAULT_MAX_ROLLBACKS = 3

export interface WaveMachine {
  id: string
  isConnected: boolean
  state: 'waiting' | 'in progress' | 'confirmed' | 'failed' | 'rolled back'
}

export interface Waves {
  version: string
  machines: readonly WaveMachine[]
  /** Percent of the machines that have been offered the version at the end of each wave. */
  shares: readonly number[]
  /** The current wave, from 0; undefined = the one of the machines that were tried. */
  wave: number | undefined
  maxRollbacks: number
  /** Rollbacks before a user has resumed the update. */
  forgivenRollbacks: number
  maxInProgress: number
}

export type WavePlan =
  | { state: 'running'; wave: number; offer: string[] }
  | { state: 'done'; wave: number }
  | { state: 'halted'; wave: number; reason: string }

/**
 * Decides which machines are offered a version now. A wave counts machines that were tried, so offline ones delay it
 * only if nobody else is left. The next wave starts when all machines of the former have settled and most of them have
 * confirmed the version.
 */
export function planWave(given: Waves): WavePlan {
  const { version, machines, shares, maxRollbacks, forgivenRollbacks, maxInProgress } = given
  const count = (state: WaveMachine['state']) => machines.filter((one) => one.state === state).length
  const [inProgress, confirmed, failed] = [count('in progress'), count('confirmed'), count('failed')]
  const forgiven = Math.min(count('rolled back'), forgivenRollbacks)
  const rollbacks = count('rolled back') - forgiven
  const last = shares.length - 1
  // Forgiven ones do not count: after a halted first wave, another machine has to try the version.
  const tried = machines.length - count('waiting') - forgiven
  const targetOf = (share: number) => Math.ceil((machines.length * share) / 100)
  const current = given.wave ?? shares.findIndex((share) => targetOf(share) >= tried)
  if (rollbacks > maxRollbacks)
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
      return {
        state: 'halted',
        wave,
        reason: `Version ${version} was confirmed by ${confirmed} of ${tried} machines.`,
      }
    if (count('waiting') === 0) return { state: 'done', wave: last }
    if (wave === last || confirmed === 0) return { state: 'running', wave, offer: [] }
  }
}

type Group = Pick<Waves, 'machines' | 'shares' | 'wave'>

/**
 * The same for groups of machines with waves of their own. Rollbacks and machines in progress are counted over all, and
 * a group that halts halts them all. The wave is that of the first group.
 */
export function planGroups({
  groups,
  ...given
}: Omit<Waves, keyof Group> & { groups: readonly [Group, ...Group[]] }): WavePlan {
  const count = (state: WaveMachine['state']) =>
    groups.flatMap(({ machines }) => machines).filter((one) => one.state === state).length
  let room = given.maxInProgress - count('in progress')
  const plans = groups.map((group) => {
    const own = group.machines.filter((one) => one.state === 'in progress').length
    const plan = planWave({ ...given, ...group, maxInProgress: Math.max(0, room) + own })
    if (plan.state === 'running') room -= plan.offer.length
    return plan
  })
  const wave = plans[0]?.wave ?? 0
  const rollbacks = Math.max(0, count('rolled back') - given.forgivenRollbacks)
  if (rollbacks > given.maxRollbacks)
    return { state: 'halted', wave, reason: describeRollbacks(rollbacks, given.version) }
  const halted = plans.find(({ state }) => state === 'halted')
  if (halted !== undefined) return { ...halted, wave }
  if (plans.every(({ state }) => state === 'done')) return { state: 'done', wave }
  return {
    state: 'running',
    wave,
    offer: plans.flatMap((plan) => (plan.state === 'running' ? plan.offer : [])),
  }
}

const describeRollbacks = (count: number, version: string) =>
  `${count} machines rolled version ${version} back.`

/** FNV-1a: another order of the machines for each version, and always the same for one. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return value >>> 0
}
