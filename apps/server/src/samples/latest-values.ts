import type { Db } from '../platform/database/database.ts'
import { decodeBatch } from './encoding.ts'

/** Batches per statement: some milliseconds. */
const STEP = 1000
const SERIES_STEP = 2500
/** The range of the column on PostgreSQL. */
const MAX_ID = 2_147_483_647
/** Batches of other servers may become visible later than newer ones. */
const OVERLAP_SECONDS = 10

/** Last values of one metric by agent_id. */
type ByAgent = Map<string, { at: number; value: number }>

interface Arrived {
  id: number
  stored_at: number
}

/**
 * The last values of some metrics of each machine. Reads arrived batches backwards until every machine is found, or until
 * those of the call before: values of the last minutes are not merged yet. Kept between calls, it decodes each batch once.
 */
export class LatestValues<Name extends string> {
  #names: readonly Name[]
  #series = new Map<number, { agentId: string; name: Name }>()
  #lastSeries = 0
  #latest: Record<Name, ByAgent>
  /** Batches up to this one have been read. */
  #readTo = 0

  constructor(names: readonly Name[]) {
    this.#names = names
    // Every name has a map.
    this.#latest = Object.fromEntries(names.map((name) => [name, new Map()])) as Record<Name, ByAgent>
  }

  /** Without values that arrived or were measured before this time (Unix seconds). */
  async read(db: Db, since: number): Promise<Readonly<Record<Name, ReadonlyMap<string, { value: number }>>>> {
    await this.#readSeries(db)
    const values = this.#names.map((name) => this.#latest[name])
    for (const latest of values)
      for (const [agentId, { at }] of latest) if (at < since) latest.delete(agentId)
    const readTo = this.#readTo
    const arrived: Arrived[] = []
    for (let beforeId = MAX_ID; ;) {
      const batches = await db
        .selectFrom('sample_batches')
        .select(['id', 'stored_at', 'samples'])
        .where('id', '<', beforeId)
        .where('id', '>', readTo)
        .orderBy('id', 'desc')
        .limit(STEP)
        .execute()
      const fresh = batches.filter(({ stored_at }) => stored_at >= since)
      for (const { id, stored_at, samples } of fresh) {
        this.#take(samples, since)
        arrived.push({ id, stored_at })
      }
      const many = values.reduce((sum, { size }) => sum + size, 0)
      const isComplete = readTo === 0 && many >= this.#series.size
      beforeId = batches.at(-1)?.id ?? 0
      if (fresh.length < STEP || isComplete) break
      await new Promise(setImmediate)
    }
    this.#readTo = Math.max(this.#readTo, lastSettled(arrived.reverse(), readTo))
    return this.#latest
  }

  async #readSeries(db: Db): Promise<void> {
    for (;;) {
      const series = await db
        .selectFrom('series')
        .select(['id', 'agent_id', 'name'])
        .where('id', '>', this.#lastSeries)
        .where('name', 'in', this.#names)
        .where('check_id', 'is', null)
        .orderBy('id')
        .limit(SERIES_STEP)
        .execute()
      for (const { id, agent_id, name } of series) {
        // One of those asked for.
        this.#series.set(id, { agentId: agent_id, name: name as Name })
        this.#lastSeries = Math.max(this.#lastSeries, id)
      }
      if (series.length < SERIES_STEP) return
      await new Promise(setImmediate)
    }
  }

  #take(samples: Uint8Array, since: number): void {
    for (const { series: id, at, value } of decodeBatch(samples)) {
      const series = this.#series.get(id)
      if (series === undefined || at < since) continue
      const latest = this.#latest[series.name]
      if (at > (latest.get(series.agentId)?.at ?? 0)) latest.set(series.agentId, { at, value })
    }
  }
}

/** The batch up to which none is missing; a gap is final when the batches after it are old enough. Oldest first. */
function lastSettled(arrived: readonly Arrived[], readTo: number): number {
  const settledAt = (arrived.at(-1)?.stored_at ?? 0) - OVERLAP_SECONDS
  let last = readTo === 0 ? (arrived[0]?.id ?? 1) - 1 : readTo
  for (const { id, stored_at } of arrived) {
    if (id !== last + 1 && stored_at >= settledAt) break
    last = id
  }
  return last
}
