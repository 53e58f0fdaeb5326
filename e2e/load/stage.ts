import type { Client } from '@muster/contract/api/clients'
import { savePreferences } from '@muster/contract/api/users'
import { addClient, makeToken } from '../support/seed.ts'
import { type Session, signIn } from '../support/sign-in.ts'
import { startServer, type TestServer } from '../support/start-server.ts'
import { watchPauses, type PauseWatch } from './pause-watch.ts'
import { type FleetState, openRemoteFleet, type RemoteFleet } from './remote-fleet.ts'

/** A server with clients of 500 machines each, all of them simulated. */
export interface Stage extends AsyncDisposable {
  server: TestServer
  session: Session
  clients: Client[]
  fleet: RemoteFleet
  started: FleetState
  pauses: PauseWatch
}

export interface StageOptions {
  machines: number
  mode?: 'stay' | 'visit'
  logLevel?: 'warn' | 'info'
  /** More settings of the server. */
  env?: Record<string, string>
  /** Before the machines enrol. */
  prepare?: (session: Session) => Promise<void>
}

const MACHINES_PER_CLIENT = 500

export async function openStage({
  machines,
  mode = 'stay',
  logLevel = 'warn',
  env = {},
  prepare,
}: StageOptions): Promise<Stage> {
  await using stack = new AsyncDisposableStack()
  const pauses = stack.use(watchPauses())
  const server = stack.use(await startServer({ env: { MUSTER_LOG_LEVEL: logLevel, ...pauses.env, ...env } }))
  const session = await signIn(server.url, server.admin)
  await session.call(savePreferences, { body: { default_agent_tbl_tab: 'mixed' } })
  await prepare?.(session)
  const clients: Client[] = []
  const tokens: string[] = []
  for (let number = 0; number < Math.ceil(machines / MACHINES_PER_CLIENT); number++) {
    const client = await addClient(session, `Client ${String(number + 1).padStart(3, '0')}`)
    clients.push(client)
    tokens.push(await makeToken(session, client, { type: number % 5 === 0 ? 'server' : 'workstation' }))
  }
  const fleet = stack.use(openRemoteFleet())
  const started = await fleet.ask({
    kind: 'start',
    server: server.url,
    tokens,
    count: machines,
    mode,
  })
  const resources = stack.move()
  const dispose = () => resources.disposeAsync()
  return { server, session, clients, fleet, started, pauses, [Symbol.asyncDispose]: dispose }
}

/** Waits until the server has nothing left to do: half a second in which it used next to no processor time. */
export async function settle(cpuSecondsOf: () => number): Promise<void> {
  const HALF_SECOND_MS = 500
  const IDLE_SHARE = 0.3
  for (let tries = 0; tries < 120; tries++) {
    const before = cpuSecondsOf()
    await new Promise((resolve) => setTimeout(resolve, HALF_SECOND_MS))
    if ((cpuSecondsOf() - before) / (HALF_SECOND_MS / 1000) < IDLE_SHARE) return
  }
}
