import type { Db } from '../platform/database/database.ts'
import { encodeBatch, type SeriesSample } from './encoding.ts'
import { ACCEPT_SECONDS, DAY } from './partitions.ts'
import { findMachineSeries, findSeries, insertBatches, insertSeries } from './queries.ts'

/** The owner of a series: a check, or without one the machine. */
export interface SeriesOwner {
  check_id: number | null
  agent_id: string
  /** agents.id */
  agent: number
}

export interface MeasuredValue {
  owner: SeriesOwner
  /** Unix seconds. */
  at: number
  name: string
  unit: string
  value: number
}

/** A script may print new names each time, which must not fill the database. */
const MAX_SERIES = 50

/**
 * Stores values on arrival: one row per machine, as fast as the machines report. merge-samples.ts merges them into
 * chunks later. A repeated value is stored twice until then, but shown once.
 */
export async function storeSamples(tx: Db, now: Date, values: MeasuredValue[]): Promise<void> {
  const seconds = Math.floor(now.getTime() / 1000)
  const accepted = values.filter(({ at }) => at > seconds - ACCEPT_SECONDS && at < seconds + DAY)
  if (accepted.length === 0) return
  const seriesOf = await requireSeries(tx, accepted)
  const byMachine = new Map<number, SeriesSample[]>()
  for (const { owner, name, at, value } of accepted) {
    const series = seriesOf.get(keyOf(owner))?.get(name)
    if (series === undefined) continue
    const samples = byMachine.get(owner.agent)
    const sample = { series, at, value }
    if (samples === undefined) byMachine.set(owner.agent, [sample])
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

/** By owner key and name. */
type SeriesIds = Map<number | string, Map<string, number>>

const keyOf = ({ check_id, agent_id }: Pick<SeriesOwner, 'check_id' | 'agent_id'>) => check_id ?? agent_id

async function requireSeries(tx: Db, values: MeasuredValue[]): Promise<SeriesIds> {
  const known = await readSeries(tx, values)
  const added = new Map<string, MeasuredValue>()
  const counts = new Map(Array.from(known, ([key, names]) => [key, names.size]))
  for (const value of values) {
    const owner = keyOf(value.owner)
    const key = `${owner} ${value.name}`
    const count = counts.get(owner) ?? 0
    if (known.get(owner)?.has(value.name) || added.has(key) || count >= MAX_SERIES) continue
    counts.set(owner, count + 1)
    added.set(key, value)
  }
  if (added.size === 0) return known
  await insertSeries(
    tx,
    Array.from(added.values(), ({ owner: { check_id, agent_id }, name, unit }) => ({
      check_id,
      agent_id,
      name,
      unit,
    })),
  )
  return readSeries(tx, values)
}

async function readSeries(tx: Db, values: MeasuredValue[]): Promise<SeriesIds> {
  const ids: SeriesIds = new Map()
  const checks = new Set(values.flatMap(({ owner }) => owner.check_id ?? []))
  const machines = new Set(values.flatMap(({ owner }) => (owner.check_id === null ? owner.agent_id : [])))
  const found = [...(await findSeries(tx, [...checks])), ...(await findMachineSeries(tx, [...machines]))]
  for (const row of found) {
    const names = ids.get(keyOf(row))
    if (names === undefined) ids.set(keyOf(row), new Map([[row.name, row.id]]))
    else names.set(row.name, row.id)
  }
  return ids
}
