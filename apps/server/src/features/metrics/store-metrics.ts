import { metricUnit, type MetricsSample } from '@muster/contract/agent/metrics'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import { type MeasuredValue, storeSamples } from '../../samples/store-samples.ts'
import { findMachineNumbers } from './queries.ts'

export interface ReportedMetrics {
  agentId: string
  sample: MetricsSample
}

/** Stores metrics of machines. Unknown names are dropped. */
export async function storeMetrics(
  tx: Db,
  ctx: Pick<Context, 'now'>,
  reports: readonly ReportedMetrics[],
): Promise<void> {
  const numbers = await findMachineNumbers(tx, [...new Set(reports.map(({ agentId }) => agentId))])
  const values = reports.flatMap(({ agentId, sample }): MeasuredValue[] => {
    const agent = numbers.get(agentId)
    if (agent === undefined) return []
    const at = Math.floor(Date.parse(sample.at) / 1000)
    const owner = { check_id: null, agent_id: agentId, agent }
    return Object.entries(sample.values).flatMap(([name, value]) => {
      const unit = metricUnit(name)
      return unit === undefined ? [] : [{ owner, at, name, unit, value }]
    })
  })
  await storeSamples(tx, ctx.now(), values)
}
