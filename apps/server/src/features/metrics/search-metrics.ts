import { compileNumberMatch } from '@muster/rules/search/machine-search'
import type { FieldTerm } from '@muster/rules/search/search-tree'
import type { Context } from '../../context.ts'
import { readCoreSettings } from '../../platform/config/core-settings.ts'
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
