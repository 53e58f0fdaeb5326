import { cancelHistory } from '@muster/contract/api/runs'
import { expect, test, vi } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { at, result, startRuns } from './test-run.ts'

test('cancel works in each state', async () => {
  await using server = await createTestServer()
  using given = await startRuns(server)
  const { agent, ada } = given
  const cancel = (id: number) => server.as(ada).call(cancelHistory, { params: { id } })
  const queued = await given.send()
  expect((await cancel(queued.id)).body.state).toBe('cancelled')
  await agent.connect()
  for (const reports of [[], ['accepted'], ['accepted', 'started']] as const) {
    const from = agent.frames.length
    const run = await given.send()
    await agent.nextCommand(from)
    for (const kind of reports) agent.report({ kind, history_id: run.id, at: at() })
    await given.until(run.id, ['sent', 'accepted', 'running'][reports.length] ?? '')
    const before = agent.frames.length
    expect((await cancel(run.id)).status).toBe(200)
    const order = await agent.nextCommand(before)
    expect(order.payload).toMatchObject({ name: 'cancel', input: { history_id: run.id } })
    agent.report(result(run.id, { outcome: 'cancelled', reason: 'Cancelled.', retcode: null }))
    await given.until(run.id, 'cancelled')
    expect(await cancel(run.id)).toMatchObject({ status: 409, error: { code: 'already_finished' } })
  }
})

test('a cancel for an offline machine reaches it when it reconnects', async () => {
  await using server = await createTestServer()
  using given = await startRuns(server)
  const { agent, ada } = given
  await agent.connect()
  const run = await given.send()
  await agent.nextCommand(0)
  agent.report({ kind: 'accepted', history_id: run.id, at: at() })
  await given.until(run.id, 'accepted')
  agent.cut()
  await vi.waitFor(() => expect(server.app.fleet.links.size).toBe(0))
  await server.as(ada).call(cancelHistory, { params: { id: run.id } })
  const from = agent.frames.length
  await agent.connect({ active: [run.id] })
  expect((await agent.nextCommand(from)).payload).toMatchObject({ name: 'cancel' })
})

test('a run that a machine had accepted and no longer knows has failed', async () => {
  await using server = await createTestServer()
  using given = await startRuns(server)
  const { agent } = given
  await agent.connect()
  const [kept, lost] = [await given.send(), await given.send()]
  for (const { id } of [kept, lost]) agent.report({ kind: 'started', history_id: id, at: at() })
  await given.until(lost.id, 'running')
  agent.cut()
  await vi.waitFor(() => expect(server.app.fleet.links.size).toBe(0))
  await agent.connect({ active: [kept.id] })
  await given.until(lost.id, 'failed')
  expect(await given.look(kept.id)).toMatchObject({ state: 'running' })
})
