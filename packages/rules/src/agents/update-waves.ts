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
  /** The current wave, from 0. */
  wave: number
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
  if (rollbacks > maxRollbacks)
    return {
      state: 'halted',
      wave: given.wave,
      reason: `${rollbacks} machines rolled version ${version} back.`,
    }
  // Forgiven ones do not count: after a halted first wave, another machine has to try the version.
  const tried = machines.length - count('waiting') - forgiven
  const ready = machines
    .filter((one) => one.state === 'waiting' && one.isConnected)
    .map(({ id }) => ({ id, order: hash(version + id) }))
    .toSorted((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1))
  for (let wave = Math.min(given.wave, last); ; wave += 1) {
    const target = Math.ceil((machines.length * (shares[wave] ?? 100)) / 100)
    const missing = Math.max(0, target - tried)
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

/** FNV-1a: another order of the machines for each version, and always the same for one. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return value >>> 0
}
