import { type AgentRow, listAgents } from '@muster/contract/api/agents'
import { createSocketTicket } from '@muster/contract/api/system'
import { QueryClient } from '@tanstack/react-query'
import { afterEach, expect, test, vi } from 'vitest'
import { connectLive } from '../../app/live/live.ts'
import { givenSession } from '../../testing/test-console.tsx'
import { answer, fakeServer } from '../../testing/test-server.ts'
import { machinesQuery } from './machines-query.ts'
import { testMachines } from './test-machines.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

test('live changes during a request are not undone by its response', async () => {
  givenSession({ token: 'abc', username: 'ada' })
  const [changed, gone, same] = testMachines(3) as [AgentRow, AgentRow, AgentRow]
  const server = fakeServer()
  const list = Promise.withResolvers<Response>()
  server.on(createSocketTicket, () => answer(createSocketTicket, { ticket: 'ticket-1', expires_in: 30 }))
  server.on(listAgents, () => list.promise)
  const { promise: opened, resolve: onOpened } = Promise.withResolvers<EventTarget>()
  vi.stubGlobal('WebSocket', openSocket(onOpened))
  const queryClient = new QueryClient()
  using _link = connectLive(queryClient, () => undefined)
  const socket = await opened
  const say = (message: unknown) =>
    socket.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }))
  say({ type: 'ready', version: '0.1.0' })
  const rows = queryClient.fetchQuery(machinesQuery({ tab: 'mixed', node: undefined }))
  await expect.poll(() => server.calls(listAgents)).toHaveLength(1)
  const change = { agent_id: changed.agent_id, maintenance_mode: true }
  say({ type: 'agents', changed: [change], added: [], removed: [gone.agent_id] })
  list.resolve(answer(listAgents, [changed, gone, same]))
  expect(await rows).toEqual([{ ...changed, maintenance_mode: true }, same])
})

/** The browser's socket, open at once and in the test's hands. */
function openSocket(onOpened: (socket: EventTarget) => void) {
  return class extends EventTarget {
    static readonly CONNECTING = 0
    static readonly OPEN = 1
    readyState = 1
    constructor() {
      super()
      queueMicrotask(() => {
        this.dispatchEvent(new Event('open'))
        onOpened(this)
      })
    }
    send(): void {}
    close(): void {}
  }
}
