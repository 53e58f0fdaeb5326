/** The size of one wave: a number of machines, or a percentage of all machines of the job, at least one. */
export type WaveSize = { count: number } | { percent: number }

/**
 * Splits so many machines into waves. The rest forms the last wave. Waves that would be empty are left out, so the
 * sizes are positive and add up to the total.
 */
export function splitIntoWaves(total: number, waves: readonly WaveSize[]): number[] {
  const sizes: number[] = []
  let left = total
  for (const wave of waves) {
    if (left === 0) break
    const wanted = 'count' in wave ? wave.count : Math.ceil((total * wave.percent) / 100)
    const size = Math.min(left, Math.max(1, wanted))
    sizes.push(size)
    left -= size
  }
  if (left > 0) sizes.push(left)
  return sizes
}

export interface Pace {
  /** null = no limit. */
  max_at_once: number | null
  max_per_minute: number | null
  max_per_site: number | null
}

export interface Candidate {
  agentId: string
  siteId: number
}

export interface InProgress {
  running: number
  runningPerSite: ReadonlyMap<number, number>
  /** Machines started within the last minute. */
  startedLastMinute: number
}

/** Chooses the machines that start now: the first of the candidates that all limits admit, at most `limit`. */
export function chooseNext<Machine extends Candidate>(
  candidates: readonly Machine[],
  pace: Pace,
  now: InProgress,
  limit: number,
): Machine[] {
  const room = Math.min(
    limit,
    (pace.max_at_once ?? Infinity) - now.running,
    (pace.max_per_minute ?? Infinity) - now.startedLastMinute,
  )
  const perSite = new Map(now.runningPerSite)
  const chosen: Machine[] = []
  for (const machine of candidates) {
    if (chosen.length >= room) break
    const onSite = perSite.get(machine.siteId) ?? 0
    if (onSite >= (pace.max_per_site ?? Infinity)) continue
    perSite.set(machine.siteId, onSite + 1)
    chosen.push(machine)
  }
  return chosen
}

/**
 * The order in which machines of a job run: connected ones first, so that a small first wave does not wait for
 * machines that are off; otherwise by a hash, so that a wave mixes clients and sites.
 */
export function orderMachines<Machine extends { agent_id: string; connected: boolean }>(
  machines: readonly Machine[],
  seed: string,
): Machine[] {
  return machines
    .map((machine) => ({ machine, order: hash(seed + machine.agent_id) }))
    .toSorted(
      (a, b) =>
        Number(b.machine.connected) - Number(a.machine.connected) ||
        a.order - b.order ||
        (a.machine.agent_id < b.machine.agent_id ? -1 : 1),
    )
    .map(({ machine }) => machine)
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i += 1) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return value >>> 0
}
