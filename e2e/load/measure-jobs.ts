import { getFleetJob, planFleetJob, startFleetJob } from '@muster/contract/api/fleet-jobs'
import { callAndWatch, describeCalls } from './call-and-watch.ts'
import type { Figure } from './budgets.ts'
import { percentile } from './figures.ts'
import { openConsole } from './measure-api.ts'
import { cpuSeconds, residentMb } from './process-figures.ts'
import { settle, type Stage } from './stage.ts'

const WATCH_SECONDS = 15
const CALLS_PER_SECOND = 25
const WAIT_MS = 120_000
const LOOK_MS = 10
/** A console reads the job at most twice a second. */
const POLL_MS = 500

/** One command on every machine as a job, while a console looks on and others make calls. */
export async function measureJobs(stage: Stage): Promise<Figure[]> {
  const { session, server, fleet, started } = stage
  using _console = await openConsole(session)
  await settle(() => cpuSeconds(server.pid))
  // PowerShell is there on every platform, and simulated machines start no process.
  const draft = {
    target: { by: 'all' },
    action: { type: 'command', shell: 'powershell', cmd: 'echo hello' },
  } as const
  const planMs = performance.now()
  const plan = await session.call(planFleetJob, { body: draft, query: { limit: 0 } })
  const plannedMs = performance.now() - planMs
  const beforeMb = residentMb(server.pid)
  const before = (await fleet.ask({ kind: 'look' })).counts.commands
  const watching = callAndWatch(stage, { seconds: WATCH_SECONDS, perSecond: CALLS_PER_SECOND })
  const startMs = performance.now()
  const starting = session.call(startFleetJob, { body: { draft, hash: plan.hash } })
  const firstMs = await waitForCommand(stage, before)
  const { id } = await starting
  let lastMs = 0
  for (;;) {
    const { state, counts } = await session.call(getFleetJob, { params: { id } })
    lastMs = performance.now()
    if (state === 'done' && counts.succeeded === plan.planned) break
    if (state === 'halted' || lastMs - startMs > WAIT_MS)
      throw new Error(`the job is ${state}: ${JSON.stringify(counts)}`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  const seen = await watching
  const remark = `${plan.planned} of ${started.agentIds.length} machines, planned in ${plannedMs.toFixed(0)} ms`
  return [
    { budget: 'jobFirst', value: (firstMs - startMs) / 1000, remark },
    { budget: 'jobLast', value: (lastMs - startMs) / 1000, remark },
    { budget: 'jobP99', value: percentile(seen.timesMs, 99), remark: describeCalls(seen) },
    {
      budget: 'jobMemory',
      value: Math.max(0, seen.mostMb - beforeMb),
      remark: `${beforeMb.toFixed(0)} MB before`,
    },
  ]
}

/** Until a machine has received a command. */
async function waitForCommand({ fleet }: Stage, before: number): Promise<number> {
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    const { counts } = await fleet.ask({ kind: 'look' })
    const nowMs = performance.now()
    if (counts.commands > before) return nowMs
    if (nowMs > deadline) throw new Error('no machine has received a command')
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}
