import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getRollout, setUpdateSettings, type UpdateMode } from '@muster/contract/api/updates'
import { ROOT } from '../support/program.ts'
import type { Session } from '../support/sign-in.ts'
import type { Figure } from './budgets.ts'
import { callAndWatch, describeCalls } from './call-and-watch.ts'
import { percentile } from './figures.ts'
import { cpuSeconds } from './process-figures.ts'
import { openStage, settle } from './stage.ts'

const WATCH_SECONDS = 60
const CALLS_PER_SECOND = 10
const WAIT_MS = 600_000
const POLL_MS = 500

/** All machines updated in the usual waves to a version that the server offers, while others make calls. */
export async function measureUpdates(machines: number): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-bench-updates-'))
  await using _folder = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
  await cp(join(ROOT, 'apps/agent/dist/agent.mjs'), join(folder, 'agent.mjs'))
  await writeFile(join(folder, 'version.json'), JSON.stringify({ version: '99.0.0', node: 24 }))
  await using stage = await openStage({
    machines,
    env: { MUSTER_AGENT_FOLDER: folder },
    prepare: (session) => setMode(session, 'paused'),
  })
  const { session, server } = stage
  await settle(() => cpuSeconds(server.pid))
  const watching = callAndWatch(stage, { seconds: WATCH_SECONDS, perSecond: CALLS_PER_SECOND })
  const startMs = performance.now()
  await setMode(session, 'automatic')
  for (;;) {
    const { state, counts, reason } = await session.call(getRollout, {})
    if (state === 'done' && counts.confirmed === counts.total) break
    if (state === 'halted' || performance.now() - startMs > WAIT_MS)
      throw new Error(`the update is ${state}: ${reason ?? JSON.stringify(counts)}`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  const seconds = (performance.now() - startMs) / 1000
  const seen = await watching
  return [
    { budget: 'updateFleet', value: seconds, remark: `${machines} machines, waves of 1, 10 and 100 %` },
    { budget: 'updateP99', value: percentile(seen.timesMs, 99), remark: describeCalls(seen) },
  ]
}

async function setMode(session: Session, mode: UpdateMode): Promise<void> {
  await session.call(setUpdateSettings, {
    params: { level: 'default', id: 'all' },
    body: { mode, version: null, waves: null, max_rollbacks: null },
  })
}
