import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listAgents } from '@muster/contract/api/agents'
import {
  type FleetJobDetail,
  getFleetJob,
  listFleetJobMachines,
  planFleetJob,
  retryFleetJob,
  startFleetJob,
} from '@muster/contract/api/fleet-jobs'
import type { Input } from '@muster/contract/endpoint'
import { startFleet } from '@muster/fake-agent/fleet'
import { expect, test } from 'vitest'
import { openScaledDeployment } from '../support/deployment.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { type Session, signIn } from '../support/sign-in.ts'
import { type AgentOptions, startAgent, type TestAgent } from '../support/start-agent.ts'
import { startServer } from '../support/start-server.ts'
import { LONG_PATIENCE_MS } from '../../tools/patience.ts'

/** Each takes three seconds of two processors to start. */
const AGENTS = Number(process.env['MUSTER_JOB_AGENTS'] ?? 30)
const CANARY = 5
const STARTED_AT_ONCE = 4

async function startJob(
  session: Session,
  client: number,
  { cmd, rollout }: { cmd: string; rollout: Input<typeof planFleetJob>['body']['rollout'] },
): Promise<FleetJobDetail> {
  const draft = {
    target: { by: 'client' as const, id: client },
    action: { type: 'command' as const, shell: 'sh' as const, cmd },
    rollout,
  }
  const { hash } = await session.call(planFleetJob, { body: draft })
  return session.call(startFleetJob, { body: { draft, hash } })
}

/** A few at a time. */
async function startAgents(stack: AsyncDisposableStack, count: number, options: AgentOptions) {
  const agents: TestAgent[] = []
  while (agents.length < count) {
    const length = Math.min(STARTED_AT_ONCE, count - agents.length)
    const some = await Promise.all(Array.from({ length }, () => startAgent(options)))
    for (const agent of some) agents.push(stack.use(agent))
  }
  return agents
}

/** A server with real agents of one client. */
async function openJobSetup(count: number) {
  const stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'muster-job-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const server = stack.use(await startServer())
  const session = await signIn(server.url, server.admin)
  const client = await addClient(session, 'Acme')
  const token = await makeToken(session, client, { uses: count })
  const agents = await startAgents(stack, count, { server: server.url, token })
  const countConnected = async () =>
    (await session.call(listAgents, { query: {} })).filter((row) => 'connected' in row && row.connected)
      .length
  await expect.poll(countConnected, { timeout: LONG_PATIENCE_MS }).toBe(count)
  const linesOf = async (file: string) =>
    (await readFile(join(folder, file), 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
  return {
    folder,
    server,
    session,
    client,
    agents,
    linesOf,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

test('a job on real agents: the canary halts it, and after a fix and a killed server each machine has run once', async () => {
  await using setup = await openJobSetup(AGENTS)
  const { server, session, client, folder } = setup
  const fixed = join(folder, 'fixed')
  const job = await startJob(session, client.id, {
    cmd: `test -e ${fixed} || exit 3; sleep 1; echo ran >> ${join(folder, 'ran')}`,
    rollout: { waves: [{ count: CANARY }], max_at_once: 10, halt: { failures: CANARY } },
  })
  const params = { id: job.id }
  const read = () => session.call(getFleetJob, { params })
  await expect.poll(read).toMatchObject({
    state: 'halted',
    counts: { failed: CANARY, waiting: AGENTS - CANARY },
  })
  await appendFile(fixed, '')
  await session.call(retryFleetJob, { params })
  await expect.poll(async () => (await read()).counts.succeeded).toBeGreaterThan(CANARY)
  await expect.poll(async () => (await read()).counts.running).toBeGreaterThan(0)
  await server.kill()
  await server.start()
  await expect
    .poll(read, { timeout: LONG_PATIENCE_MS })
    .toMatchObject({ state: 'done', counts: { succeeded: AGENTS, failed: 0 } })
  expect(await setup.linesOf('ran')).toHaveLength(AGENTS)
})

test('agents that are restarted in the middle of a job: it ends, and nothing runs twice until a user retries it', async () => {
  await using setup = await openJobSetup(3)
  const { session, client, folder, agents, linesOf } = setup
  const [stopped, killed] = agents
  const go = join(folder, 'go')
  const job = await startJob(session, client.id, {
    cmd: `echo begun >> ${join(folder, 'begun')}; until test -e ${go}; do sleep 0.1; done; echo ended >> ${join(folder, 'ended')}`,
    rollout: {},
  })
  const params = { id: job.id }
  const read = () => session.call(getFleetJob, { params })
  await expect.poll(() => linesOf('begun')).toHaveLength(3)
  await stopped?.stop()
  await killed?.kill()
  await expect.poll(read).toMatchObject({ state: 'running', counts: { failed: 1, running: 2 } })
  stopped?.start()
  killed?.start()
  await expect.poll(read).toMatchObject({ state: 'running', counts: { failed: 2, running: 1 } })
  await appendFile(go, '')
  await expect.poll(read).toMatchObject({ state: 'done', counts: { succeeded: 1, failed: 2 } })
  const { results } = await session.call(listFleetJobMachines, { params, query: { state: 'failed' } })
  expect(results.map(({ reason }) => reason ?? '').toSorted()).toEqual([
    'The agent restarted while this ran.',
    'The agent was stopped while this ran.',
  ])
  expect([await linesOf('begun'), await linesOf('ended')].map(({ length }) => length)).toEqual([3, 1])
  await session.call(retryFleetJob, { params })
  await expect.poll(read).toMatchObject({ state: 'done', counts: { succeeded: 3, failed: 0 } })
  expect([await linesOf('begun'), await linesOf('ended')].map(({ length }) => length)).toEqual([5, 3])
  for (const agent of agents) agent.expectCleanLog()
})

const AT_EACH = 150

test('one of two servers is killed during a job: nothing is lost, and no machine runs twice', async () => {
  await using stack = new AsyncDisposableStack()
  const { env } = stack.use(await openScaledDeployment())
  const one = stack.use(await startServer({ env }))
  const two = stack.use(await startServer({ env: { ...env, MUSTER_DATA: one.dataFolder } }))
  const session = await signIn(one.url, one.admin)
  const onTwo = await signIn(two.url, one.admin)
  const client = await addClient(session, 'Acme')
  const token = await makeToken(session, client)
  const runs = new Map<string, number>()
  for (const [seed, { url }] of [one, two].entries()) {
    const fleet = stack.use(
      await startFleet({
        server: url,
        token,
        seed: seed + 1,
        count: AT_EACH,
        facts: (index) => ({ hostname: `web-${seed}-${index}`, platform: 'linux', problems: [] }),
        plan: (_, hostname) => {
          runs.set(hostname, (runs.get(hostname) ?? 0) + 1)
          return { output: [], endsAfterMs: 200, outcome: 'exited', retcode: 0, reason: null }
        },
      }),
    )
    await fleet.waitForConnected()
  }
  const job = await startJob(session, client.id, { cmd: 'true', rollout: { max_at_once: 60 } })
  expect(job.planned).toBe(2 * AT_EACH)
  const read = () => onTwo.call(getFleetJob, { params: { id: job.id } })
  await expect.poll(async () => (await read()).counts.succeeded, { interval: 20 }).toBeGreaterThan(20)
  await one.kill()
  expect((await read()).counts.succeeded).toBeLessThan(2 * AT_EACH)
  await one.start()
  await expect
    .poll(read, { timeout: LONG_PATIENCE_MS })
    .toMatchObject({ state: 'done', counts: { succeeded: 2 * AT_EACH, failed: 0 } })
  expect(runs.size).toBe(2 * AT_EACH)
  expect(new Set(runs.values())).toEqual(new Set([1]))
})
