import type { Figure } from './budgets.ts'
import { callAndWatch, describeCalls } from './call-and-watch.ts'
import { percentile } from './figures.ts'
import { CHECKS_EACH, giveChecks } from './give-checks.ts'
import { openConsole, warmUp } from './measure-api.ts'
import { cpuSeconds } from './process-figures.ts'
import { openStage, settle, type Stage } from './stage.ts'

const MACHINES = 10_000
const INTERVAL_SECONDS = 120
const CALLS_PER_SECOND = 25
/** Long enough for one run of the job that merges samples. */
const SECONDS = 65
/** Machines merged in a minute, when each is merged twice an hour. */
const MERGED_MACHINES = Math.ceil(MACHINES / 30)
const HALF_HOUR_MS = 1_800_000
/** First results are slower: each one starts a series and changes the state of its check. */
const FIRST_RESULTS_PER_SECOND = 4000
/** As many as put the machine into the next run of the job. */
const CROWDED = { everySeconds: HALF_HOUR_MS / 1000 / 45 }

/**
 * Ten thousand machines with ten checks each, as on any day: every result comes when it is measured, consoles ask,
 * and the samples of half an hour ago are merged. Nobody waits half an hour here: instead as many machines as a
 * minute's merging takes have sent so much before that they are merged in the next one.
 */
export async function measureSteady(): Promise<Figure[]> {
  await using stage = await openStage({ machines: MACHINES })
  const { fleet, session, server, started } = stage
  await giveChecks(stage)
  await reportOnce(stage)
  await settle(() => cpuSeconds(server.pid))
  using console = await openConsole(session)
  for (const agentId of started.agentIds.slice(0, MERGED_MACHINES)) {
    await fleet.ask({ kind: 'past', agentId, days: HALF_HOUR_MS / 86_400_000, ...CROWDED })
  }
  const resultsPerSecond = (MACHINES * CHECKS_EACH) / INTERVAL_SECONDS
  await fleet.ask({ kind: 'check-rate', resultsPerSecond, resultsPerReport: 1 })
  await warmUp(stage)
  const before = await fleet.ask({ kind: 'look' })
  const seen = await callAndWatch(stage, { seconds: SECONDS, perSecond: CALLS_PER_SECOND })
  const after = await fleet.ask({ kind: 'look' })
  await fleet.ask({ kind: 'check-rate', resultsPerSecond: 0, resultsPerReport: 1 })
  if (after.counts.unreadable > 0) throw new Error(`${after.counts.unreadable} reports were refused`)
  const perSecond = (after.counts.checkResults - before.counts.checkResults) / seen.seconds
  const remark = `${after.counts.connected} connected, ${perSecond.toFixed(0)} results/s, ${MERGED_MACHINES} machines merged, ${console.frames()} live frames, ${seen.cpuShare.toFixed(0)} % of a core`
  return [
    { budget: 'steadyMemory', value: seen.mostMb, remark },
    { budget: 'steadyP99', value: percentile(seen.timesMs, 99), remark: describeCalls(seen) },
  ]
}

async function reportOnce({ fleet }: Stage): Promise<void> {
  await fleet.ask({
    kind: 'check-rate',
    resultsPerSecond: FIRST_RESULTS_PER_SECOND,
    resultsPerReport: CHECKS_EACH,
  })
  const isDone = async () => (await fleet.ask({ kind: 'look' })).counts.checkResults >= MACHINES * CHECKS_EACH
  while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 500))
  await fleet.ask({ kind: 'check-rate', resultsPerSecond: 0, resultsPerReport: 1 })
  await fleet.ask({ kind: 'await-acknowledged', timeoutMs: 120_000 })
}
