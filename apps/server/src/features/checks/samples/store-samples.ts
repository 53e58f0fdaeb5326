import type { Db } from '../../../platform/database/database.ts'
import { encodeBatch, type SeriesSample } from './encoding.ts'
import { ACCEPT_SECONDS, DAY } from './keep.ts'
import { findSeries, insertBatches, insertSeries } from './queries.ts'

export interface MeasuredValue {
  check: { id: number; agent_id: string; agent: number }
  /** Unix seconds. */
  at: number
  name: string
  unit: string
  value: number
}

/** A script may print other names each time; a machine must not fill the database so. */
const MOST_SERIES = 50

/**
 * Stores values as they come: one row for each machine, written as fast as the machines report. merge-samples.ts
 * makes chunks of them later. A value that comes twice is stored twice until then, and shown once.
 */
export async function storeSamples(tx: Db, now: Date, values: MeasuredValue[]): Promise<void> {
  const seconds = Math.floor(now.getTime() / 1000)
  const accepted = values.filter(({ at }) => at > seconds - ACCEPT_SECONDS && at < seconds + DAY)
  if (accepted.length === 0) return
  const seriesOf = await requireSeries(tx, accepted)
  const byMachine = new Map<number, SeriesSample[]>()
  for (const { check, name, at, value } of accepted) {
    const series = seriesOf.get(check.id)?.get(name)
    if (series === undefined) continue
    const samples = byMachine.get(check.agent)
    const sample = { series, at, value }
    if (samples === undefined) byMachine.set(check.agent, [sample])
    else samples.push(sample)
  }
  await insertBatches(
    tx,
    Array.from(byMachine, ([agent, samples]) => ({
      agent,
      stored_at: seconds,
      samples: encodeBatch(samples),
    })),
  )
}

type SeriesIds = Map<number, Map<string, number>>

async function requireSeries(tx: Db, values: MeasuredValue[]): Promise<SeriesIds> {
  const checkIds = [...new Set(values.map(({ check }) => check.id))]
  const known = await readSeries(tx, checkIds)
  const added = new Map<string, MeasuredValue>()
  const counts = new Map(Array.from(known, ([id, names]) => [id, names.size]))
  for (const value of values) {
    const { check, name } = value
    const key = `${check.id} ${name}`
    const count = counts.get(check.id) ?? 0
    if (known.get(check.id)?.has(name) || added.has(key) || count >= MOST_SERIES) continue
    counts.set(check.id, count + 1)
    added.set(key, value)
  }
  if (added.size === 0) return known
  await insertSeries(
    tx,
    Array.from(added.values(), ({ check, name, unit }) => ({
      check_id: check.id,
      agent_id: check.agent_id,
      name,
      unit,
    })),
  )
  return readSeries(tx, checkIds)
}

async function readSeries(tx: Db, checkIds: number[]): Promise<SeriesIds> {
  const ids: SeriesIds = new Map()
  for (const { id, check_id, name } of await findSeries(tx, checkIds)) {
    const names = ids.get(check_id)
    if (names === undefined) ids.set(check_id, new Map([[name, id]]))
    else names.set(name, id)
  }
  return ids
}
