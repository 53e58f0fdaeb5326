import { searchAgents } from '@muster/contract/api/agent-search'
import type { BudgetName, Figure } from './budgets.ts'
import { median, percentile } from './figures.ts'
import { cpuSeconds } from './process-figures.ts'
import { settle, type Stage } from './stage.ts'

const CALLS = 100
const FIELD_SEARCHES = [
  'name:srv-* ram>1gb',
  'debian or windows',
  'disk_free<60% -is:overdue',
  'last_seen>1h',
]
const TERM_SEARCHES = ['software:openssl<3', 'check:failing', 'cpu>50', '-software:lib*ssl']

/** Searches that the server answers for the whole fleet, one after the other. */
export async function measureSearch(stage: Stage): Promise<Figure[]> {
  await settle(() => cpuSeconds(stage.server.pid))
  return [
    await measure(stage, 'searchServer', FIELD_SEARCHES),
    await measure(stage, 'searchTerms', TERM_SEARCHES),
  ]
}

async function measure({ session }: Stage, budget: BudgetName, searches: readonly string[]): Promise<Figure> {
  const timesMs: number[] = []
  const found: string[] = []
  for (const search of searches) {
    const ids = (await session.call(searchAgents, { body: { search } })).ids
    found.push(`${search}: ${ids.length}`)
    for (let count = 0; count < CALLS / searches.length; count += 1) {
      const startedMs = performance.now()
      await session.call(searchAgents, { body: { search } })
      timesMs.push(performance.now() - startedMs)
    }
  }
  return {
    budget,
    value: percentile(timesMs, 95),
    remark: `median ${median(timesMs).toFixed(1)} ms; ${found.join(', ')}`,
  }
}
