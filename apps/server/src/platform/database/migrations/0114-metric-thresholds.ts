import { type Kysely, sql } from 'kysely'
import type { Migration } from '../migrate.ts'

/** Thresholds of metrics were off at 0 and below. Now null is off, and these numbers are values. */
export const metricThresholds: Migration = {
  name: '0114-metric-thresholds',
  changesData: true,
  async up(db) {
    await rewrite(db, 'checks', 'settings')
    await rewrite(db, 'policies', 'content')
    await rewrite(db, 'policy_versions', 'document')
  },
}

const STEP = 500

/** Many machines have the same texts, so each is changed once for all of its rows. */
async function rewrite(db: Kysely<unknown>, table: string, column: string): Promise<void> {
  const [from, at] = [sql.table(table), sql.ref(column)]
  for (let after = ''; ;) {
    const { rows } = await sql<{ text: string }>`select distinct ${at} as text from ${from}
      where ${at} like '%"metric_thresholds":[{%' and ${at} > ${after} order by text limit ${STEP}`.execute(
      db,
    )
    for (const { text } of rows) {
      const changed = JSON.stringify(JSON.parse(text, unset))
      if (changed !== text) await sql`update ${from} set ${at} = ${changed} where ${at} = ${text}`.execute(db)
    }
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.text
  }
}

function unset(key: string, value: unknown): unknown {
  if (key !== 'metric_thresholds' || !Array.isArray(value)) return value
  // Written by the contract of that version.
  const thresholds = value as { warning_threshold: number; error_threshold: number }[]
  const off = (threshold: number) => (threshold > 0 ? threshold : null)
  return thresholds.map((one) => ({
    ...one,
    warning_threshold: off(one.warning_threshold),
    error_threshold: off(one.error_threshold),
  }))
}
