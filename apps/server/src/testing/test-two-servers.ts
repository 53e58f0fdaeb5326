import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBus } from '../platform/bus/open-bus.ts'
import { findNats, startTestNats } from '../platform/bus/test-nats.ts'
import type { Database } from '../platform/database/database.ts'
import { openMigratedDatabase } from '../platform/database/test-engines.ts'
import { createSecrets } from '../platform/secrets/secrets.ts'
import { createTestServer, type TestServer } from './test-server.ts'

export interface TwoServers extends AsyncDisposable {
  /** The server of the browsers. */
  here: TestServer
  /** The server of the agents. Its `given` inserts rows for both. */
  there: TestServer
  hereUrl: string
}

/**
 * Two servers as two processes of one installation: one database, data folder and key, connected by NATS, or by an in-
 * process bus if NATS is not installed.
 */
export async function createTwoServers(): Promise<TwoServers> {
  await using stack = new AsyncDisposableStack()
  const dataFolder = await mkdtemp(join(tmpdir(), 'muster-two-'))
  stack.defer(() => rm(dataFolder, { recursive: true, force: true }))
  const nats = findNats() === undefined ? undefined : stack.use(await startTestNats())
  const bus = nats === undefined ? stack.use(await openBus(undefined, console, '')) : undefined
  const options = {
    // The database is the one below. The URL only marks it as shared.
    env: {
      MUSTER_DATA: dataFolder,
      NATS_URL: nats?.url ?? 'nats://127.0.0.1:1',
      DATABASE_URL: 'postgres://shared',
      // Test receivers run on this machine.
      MUSTER_CHANNEL_TARGETS: 'any',
    },
    overrides: {
      database: stack.use(await openMigratedDatabase<Database>()),
      secrets: createSecrets(randomBytes(32)),
      ...(bus !== undefined && { bus }),
    },
  }
  const there = stack.use(await createTestServer(options))
  const here = stack.use(await createTestServer(options))
  const { url: hereUrl } = await here.listen()
  const resources = stack.move()
  return { here, there, hereUrl, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
