import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { createTwoServers } from '../../testing/test-two-servers.ts'
import { FleetJobs } from './fleet-jobs.ts'
import { startFleet } from './test-fleet-jobs.ts'

test('a server that stops in the middle of a job loses nothing and runs nothing twice', async () => {
  await using server = await createTestServer()
  await using fleet = await startFleet(20, { server })
  const job = await fleet.start({ rollout: { max_at_once: 6, waves: [{ count: 8 }] } })
  // From here on the process of before knows nothing and does nothing.
  await server.app.fleetJobs[Symbol.asyncDispose]()
  expect(await fleet.answer(job.id)).toBe(6)
  expect(await fleet.read(job.id)).toMatchObject({ counts: { running: 6, succeeded: 0 } })
  await using jobs = new FleetJobs(server.ctx, server.app.fleet)
  jobs.start()
  for (let answered = 0; answered < 14;) {
    await jobs.idle()
    answered += await fleet.answer(job.id)
    await jobs.idle()
  }
  await expect.poll(async () => (await fleet.read(job.id)).state).toBe('done')
  expect(await fleet.read(job.id)).toMatchObject({ counts: { succeeded: 20 } })
  await fleet.expectRuns(job.id, 1, 20)
})

test('an action whose server stopped is failed, and is not repeated', async () => {
  await using server = await createTestServer()
  await using fleet = await startFleet(1, { server })
  const job = await fleet.start()
  await server.ctx.db
    .updateTable('fleet_job_agents')
    .set({ history_id: null, claimed_by: 'another process' })
    .execute()
  server.clock.advance(200)
  await using jobs = new FleetJobs(server.ctx, server.app.fleet)
  jobs.start()
  await expect
    .poll(async () => (await fleet.list(job.id))[0])
    .toMatchObject({
      state: 'failed',
      reason: 'The server stopped during the request. The result is unknown.',
    })
})

test('two servers advance one job together: limits hold and every machine runs once', async () => {
  await using two = await createTwoServers()
  await using fleet = await startFleet(30, { server: two.there })
  const job = await fleet.start({ rollout: { max_at_once: 10, waves: [{ percent: 50 }] } })
  const both = [two.here.app.fleetJobs, two.there.app.fleetJobs]
  let most = 0
  for (let answered = 0; answered < 30;) {
    for (const jobs of both) jobs.wake(job.id)
    await Promise.all(both.map((jobs) => jobs.idle()))
    most = Math.max(most, (await fleet.open(job.id)).length)
    answered += await fleet.answer(job.id)
    await Promise.all(both.map((jobs) => jobs.idle()))
  }
  expect(most).toBeLessThanOrEqual(10)
  for (const jobs of both) jobs.wake(job.id)
  await Promise.all(both.map((jobs) => jobs.idle()))
  expect(await fleet.read(job.id)).toMatchObject({ state: 'done', counts: { succeeded: 30 } })
  await fleet.expectRuns(job.id, 1, 30)
})
