import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listAgents } from '@muster/contract/api/agents'
import {
  type FleetJobDetail,
  getFleetJob,
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
import { startAgent } from '../support/start-agent.ts'
import { startServer } from '../support/start-server.ts'
import { LONG_PATIENCE_MS } from '../../tools/patience.ts'

const AGENTS = 8

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

test('a job on real agents: the canary halts it, and after a fix and a killed server each machine has run once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-job-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const server = stack.use(await startServer())
  const session = await signIn(server.url, server.admin)
  const client = await addClient(session, 'Acme')
  const token = await makeToken(session, client, { uses: AGENTS })
  for (let count = 0; count < AGENTS; count += 1) stack.use(await startAgent({ server: server.url, token }))
  const connected = async () =>
    (await session.call(listAgents, { query: {} })).filter((row) => 'connected' in row && row.connected)
  await expect.poll(async () => (await connected()).length).toBe(AGENTS)
  const fixed = join(folder, 'fixed')
  const ran = join(folder, 'ran')
  const job = await startJob(session, client.id, {
    cmd: `test -e ${fixed} || exit 3; sleep 1; echo ran >> ${ran}`,
    rollout: { waves: [{ count: 2 }], max_at_once: 4, halt: { failures: 2 } },
  })
  const params = { id: job.id }
  const read = () => session.call(getFleetJob, { params })
  await expect.poll(read).toMatchObject({
    state: 'halted',
    counts: { failed: 2, waiting: AGENTS - 2 },
  })
  await appendFile(fixed, '')
  await session.call(retryFleetJob, { params })
  await expect.poll(async () => (await read()).counts.succeeded).toBeGreaterThan(0)
  await expect.poll(async () => (await read()).counts.running).toBeGreaterThan(0)
  await server.kill()
  await server.start()
  await expect
    .poll(read, { timeout: LONG_PATIENCE_MS })
    .toMatchObject({ state: 'done', counts: { succeeded: AGENTS, failed: 0 } })
  expect((await readFile(ran, 'utf8')).trim().split('\n')).toHaveLength(AGENTS)
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
