import { DISK_METRIC } from '@muster/contract/agent/metrics'
import type { AgentRow } from '@muster/contract/api/agents'
import type { Overview } from '@muster/contract/api/overview'
import { forecastFull, HORIZON_DAYS } from '@muster/rules/agents/disk-forecast'
import { setImmediate } from 'node:timers/promises'
import type { Insertable } from 'kysely'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { DiskForecastsTable } from '../../platform/database/tables/checks.ts'
import { chunk } from '../../platform/database/sql.ts'
import { decodePoints } from '../../samples/encoding.ts'
import { WINDOW_SECONDS } from '../../samples/partitions.ts'
import { downsample } from '../../samples/points.ts'
import { findChunks } from '../../samples/queries.ts'

/** Series per statement: some milliseconds. */
const STEP = 100
const DAY = 86_400
const RESOLUTION = 3600
const SHOWN_DISKS = 8

/** Computes which disks will be full soon, from hourly means. Other work runs between two steps. */
export async function forecastDisks(
  ctx: Pick<Context, 'db' | 'now' | 'transaction'>,
  signal: AbortSignal,
): Promise<void> {
  const now = Math.floor(ctx.now().getTime() / 1000)
  const found: Insertable<DiskForecastsTable>[] = []
  for (let afterId = 0; ;) {
    signal.throwIfAborted()
    const series = await findDiskSeries(ctx.db, afterId)
    found.push(...(await forecastSeries(ctx.db, series, now)))
    const last = series.at(-1)
    if (last === undefined || series.length < STEP) break
    afterId = last.id
    await setImmediate()
  }
  await ctx.transaction(async (tx, emit) => {
    await tx.deleteFrom('disk_forecasts').execute()
    for (const rows of chunk(found)) await tx.insertInto('disk_forecasts').values(rows).execute()
    emit({ type: 'disk_forecast.changed', ids: [] })
  })
}

function findDiskSeries(db: Db, afterId: number) {
  return db
    .selectFrom('series')
    .innerJoin('agents', 'agents.agent_id', 'series.agent_id')
    .select(['series.id', 'series.name', 'agents.id as agent'])
    .where('series.id', '>', afterId)
    .where('series.check_id', 'is', null)
    .where('series.name', 'like', `${DISK_METRIC}%`)
    .orderBy('series.id')
    .limit(STEP)
    .execute()
}

async function forecastSeries(
  db: Db,
  series: Awaited<ReturnType<typeof findDiskSeries>>,
  now: number,
): Promise<Insertable<DiskForecastsTable>[]> {
  if (series.length === 0) return []
  const from = now - HORIZON_DAYS * DAY
  const chunks = await findChunks(db, RESOLUTION, {
    series: series.map(({ id }) => id),
    from: from - WINDOW_SECONDS[RESOLUTION],
    to: now,
  })
  const bySeries = Map.groupBy(chunks, ({ series_id }) => series_id)
  return series.flatMap(({ id, name, agent }) => {
    const points = (bySeries.get(id) ?? [])
      .flatMap((row) => decodePoints(row.start, RESOLUTION, row.points))
      .filter(([at]) => at >= from && at <= now)
    const fullAt = forecastFull(
      points.map(([at, used]) => [at, used]),
      now,
    )
    if (fullAt === undefined) return []
    const days = downsample(points, DAY).map(([at, used]) => [at, Math.round(used * 10) / 10])
    return {
      agent,
      mount: name.slice(DISK_METRIC.length),
      full_at: new Date(fullAt * 1000).toISOString(),
      points: JSON.stringify(days),
    }
  })
}

/** The disks of these machines that will be full soon, soonest first. */
export async function readDisks(db: Db, rows: readonly AgentRow[]): Promise<Overview['disks']> {
  const forecasts = await db
    .selectFrom('disk_forecasts')
    .innerJoin('agents', 'agents.id', 'disk_forecasts.agent')
    .select(['agents.agent_id', 'mount', 'full_at'])
    .orderBy('full_at')
    .orderBy('agents.id')
    .orderBy('mount')
    .execute()
  const wanted = new Set(forecasts.map(({ agent_id }) => agent_id))
  const byId = new Map(rows.filter((row) => wanted.has(row.agent_id)).map((row) => [row.agent_id, row]))
  const known = forecasts.flatMap(({ agent_id, mount, full_at }) => {
    const row = byId.get(agent_id)
    const disk = row?.disks.find((one) => one.mount === mount)
    return row === undefined || disk === undefined
      ? []
      : {
          agent_id,
          hostname: row.hostname,
          mount,
          full_at,
          free: disk.free,
          used: disk.used,
          total: disk.total,
        }
  })
  const shown = known.slice(0, SHOWN_DISKS)
  const points = await readPoints(db, shown)
  return {
    total: known.length,
    shown: shown.map((disk) => ({ ...disk, points: points.get(`${disk.agent_id} ${disk.mount}`) ?? [] })),
  }
}

async function readPoints(
  db: Db,
  disks: readonly { agent_id: string; mount: string }[],
): Promise<Map<string, [number, number][]>> {
  if (disks.length === 0) return new Map()
  const rows = await db
    .selectFrom('disk_forecasts')
    .innerJoin('agents', 'agents.id', 'disk_forecasts.agent')
    .select(['agents.agent_id', 'mount', 'points'])
    .where(
      'agents.agent_id',
      'in',
      disks.map(({ agent_id }) => agent_id),
    )
    .execute()
  return new Map(
    // Written above.
    rows.map(({ agent_id, mount, points }) => [
      `${agent_id} ${mount}`,
      JSON.parse(points) as [number, number][],
    ]),
  )
}
