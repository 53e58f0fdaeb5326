import { compileNumberMatch } from '@muster/rules/search/machine-search'
import type { FieldTerm } from '@muster/rules/search/search-tree'
import type { Context } from '../../context.ts'
import { readCoreSettings } from '../../platform/config/core-settings.ts'
import type { ValueSource } from '../agents/values/read-values.ts'
import { LatestValues } from '../../samples/latest-values.ts'

const MIN_AGE_SECONDS = 180
const FRESH_SAMPLES = 3

/** The machines whose last sample of a metric matches: `cpu>80`. */
export async function findMachinesByMetric(
  { db, now }: Pick<Context, 'db' | 'now'>,
  { field, matches }: FieldTerm,
): Promise<Set<string>> {
  const tests = matches.map((match) => compileNumberMatch(field === 'load' ? 'number' : 'percent', match))
  const values = await new LatestValues([field]).read(db, await freshSince({ db, now }))
  return new Set(
    Array.from(values[field] ?? []).flatMap(([agentId, { value }]) =>
      tests.some((test) => test(value)) ? agentId : [],
    ),
  )
}

/** Unix seconds; a sample from before does not describe the machine now. */
export async function freshSince({ db, now }: Pick<Context, 'db' | 'now'>): Promise<number> {
  const { metrics_interval: interval } = await readCoreSettings(db)
  return Math.floor(now().getTime() / 1000) - Math.max(MIN_AGE_SECONDS, FRESH_SAMPLES * interval)
}

const METRICS = ['swap', 'load', 'disk_read', 'disk_write', 'net_in', 'net_out'] as const

/** The last values of metrics, as columns of the machines table. */
export const METRIC_VALUES: ValueSource = {
  permission: 'can_list_agents',
  names: METRICS,
  async read(ctx, names) {
    const wanted = METRICS.filter((name) => names.includes(name))
    const latest = await new LatestValues(wanted).read(ctx.db, await freshSince(ctx))
    return Object.fromEntries(
      wanted.map((name) => [
        name,
        new Map(Array.from(latest[name], ([agentId, { value }]) => [agentId, round(value)])),
      ]),
    )
  },
}

const round = (value: number) => Math.round(value * 100) / 100
