import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listRemoteSessions } from '@muster/contract/api/remote'
import { getRemoteAccess, setRemoteAccess } from '@muster/contract/api/remote-access'
import { editCoreSettings } from '@muster/contract/api/settings'
import type { ToolRequest } from '@muster/contract/channels'
import { waitForMachine } from '../load/measure-api.ts'
import { TestDisplay } from '../support/display.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { signIn } from '../support/sign-in.ts'
import { startAgent } from '../support/start-agent.ts'
import { startServer } from '../support/start-server.ts'
import { openLine } from './line.ts'
import { listPorts, listStarted } from './machine-state.ts'
import { ToolWindow } from './tool-window.ts'

export type RemoteSetup = Awaited<ReturnType<typeof openRemoteSetup>>

const CLIENT = 'Faults'

/**
 * A server, a machine with a desktop, and a neighbour of it that speaks VNC; between the server and the machine, and
 * between the browser and the server, lines that can drop. `data`: the server's folder.
 */
export async function openRemoteSetup({ data }: { data?: string } = {}) {
  await using parts = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'muster-faults-'))
  parts.defer(() => rm(folder, { recursive: true, force: true }))
  const neighbour = parts.use(await openNeighbour())
  const display = parts.use(await TestDisplay.open({ size: '320x200', command: ['cat'] }))
  const server = parts.use(await startServer(data === undefined ? {} : { dataFolder: data }))
  const toMachine = parts.use(await openLine(server.url))
  const toBrowser = parts.use(await openLine(server.url))
  const session = await signIn(server.url, server.admin)
  const token = await makeToken(session, await addClient(session, CLIENT))
  await session.call(editCoreSettings, { body: { vnc_targets: ['localhost:1024-65535'] } })
  const everywhere = { level: 'default' as const, id: 'all' }
  const { settings } = await session.call(getRemoteAccess, { params: everywhere })
  const setRules = (rules: Partial<typeof settings>) =>
    session.call(setRemoteAccess, { params: everywhere, body: { ...settings, ...rules } })
  await setRules({ banner: true })
  // Everything that the agent starts has it, too.
  const env = { TMPDIR: folder, DISPLAY: display.name }
  const agent = parts.use(await startAgent({ server: toMachine.url, token, env }))
  const back = async () => {
    // The agent waits longer after each failed attempt.
    for (;;) {
      const id = await waitForMachine(session, CLIENT).catch(() => undefined)
      if (id !== undefined) return id
    }
  }
  const agentId = await back()
  const mark = `TMPDIR=${folder}`
  const kept = parts.move()
  return {
    server,
    agent,
    session,
    toMachine,
    toBrowser,
    neighbour,
    back,
    setRules,
    open: (request: ToolRequest) => ToolWindow.open(session, { through: toBrowser.url, agentId, request }),
    started: () => listStarted(mark),
    ports: () => listPorts(mark),
    sessions: () => session.call(listRemoteSessions, { params: { agent_id: agentId } }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** Greets as a VNC server does, and says no more. */
async function openNeighbour() {
  const viewers = new Set<Socket>()
  const server = createServer((socket) => {
    viewers.add(socket)
    socket.on('error', () => undefined).on('close', () => viewers.delete(socket))
    socket.write('RFB 003.008\n')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a port has a number')
  return {
    port: address.port,
    viewers,
    [Symbol.dispose]() {
      for (const viewer of viewers) viewer.destroy()
      server.close()
    },
  }
}
