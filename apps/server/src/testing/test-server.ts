import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type App, createApp } from '../app.ts'
import type { GateLimits } from '../platform/http/sign-in-gate.ts'
import { type Context, createContext, type Overrides } from '../context.ts'
import { readConfig } from '../platform/config/config.ts'
import type { DownloadLimits } from '../platform/http/download-slots.ts'
import type { Database } from '../platform/database/database.ts'
import { openMigratedDatabase } from '../platform/database/test-engines.ts'
import { createSecrets } from '../platform/secrets/secrets.ts'
import { createTestClient, type TestClient } from './test-client.ts'
import { createGiven, type Given, type TestKey, type TestUser } from './test-given.ts'
import { createTestLog } from './test-log.ts'

export interface TestClock {
  now: () => Date
  /** Moves the server's clock forward by this many seconds. */
  advance: (seconds: number) => void
  /** Stops the server's clock at this instant. */
  freeze: (instant: string) => void
}

export interface TestServer extends AsyncDisposable {
  ctx: Context
  app: App
  clock: TestClock
  given: Given
  /** Calls as a user created by `given.user()`. */
  as(user: TestUser): TestClient
  /** Calls like a program: with an API key, without cookies. */
  withKey(key: TestKey): TestClient
  /** Calls without a sign-in. Each access returns a new client with its own cookies. */
  readonly anonymous: TestClient
  /** Allows warnings and errors whose line matches. All others fail the test at its end. */
  expectLog(pattern: RegExp): void
  /** Parsed log lines so far. */
  readonly logLines: Record<string, unknown>[]
  /** Listens on a free port, for tests with real sockets. */
  listen(): Promise<{ url: string; port: number }>
}

/**
 * A whole server with its own database (SQLite in memory, or PostgreSQL by MUSTER_TEST_ENGINE) and a settable clock:
 *
 *     await using server = await createTestServer()
 *     const ada = await server.given.user({ permissions: ['can_list_clients'] })
 *     const { status, body } = await server.as(ada).call(listClients, {})
 */
export async function createTestServer(
  options: {
    env?: Record<string, string>
    overrides?: Overrides
    consoleFolder?: string
    consoleGate?: Partial<GateLimits>
    agentGate?: Partial<GateLimits>
    downloads?: Partial<DownloadLimits>
  } = {},
): Promise<TestServer> {
  await using stack = new AsyncDisposableStack()
  const dataFolder = await mkdtemp(join(tmpdir(), 'muster-test-'))
  stack.defer(() => rm(dataFolder, { recursive: true, force: true }))
  const config = readConfig({
    MUSTER_DATA: dataFolder,
    MUSTER_PORT: '0',
    // However full the disk of this machine is.
    MUSTER_MIN_FREE_MB: '0',
    // Not those that `npm run packages` has built here.
    MUSTER_PACKAGES: join(dataFolder, 'release'),
    MUSTER_PACKAGE_BUILDER: join(import.meta.dirname, 'stand-in-builder.ts'),
    ...options.env,
  })
  const clock = createClock()
  const log = createTestLog()
  const ctx = stack.use(
    await createContext(config, {
      now: clock.now,
      log: log.log,
      database: options.overrides?.database ?? stack.use(await openMigratedDatabase<Database>()),
      secrets: createSecrets(randomBytes(32)),
      ...options.overrides,
    }),
  )
  // Independent of whether the console has been built.
  const app = await createApp(ctx, {
    consoleFolder: options.consoleFolder ?? dataFolder,
    consoleGate: options.consoleGate,
    agentGate: options.agentGate,
    downloads: options.downloads,
  })
  stack.defer(() => app.stop())
  const given = await createGiven(ctx)
  const resources = stack.move()
  return {
    ctx,
    app,
    clock,
    given,
    as: (user) => createTestClient(app, user),
    withKey: ({ key }) => {
      const client = createTestClient(app)
      client.headers = { 'x-api-key': key, origin: '' }
      return client
    },
    get anonymous() {
      return createTestClient(app)
    },
    expectLog: log.expect,
    logLines: log.lines,
    listen: async () => {
      const url = await app.fastify.listen({ host: '127.0.0.1', port: 0 })
      return { url, port: Number(new URL(url).port) }
    },
    async [Symbol.asyncDispose]() {
      await resources.disposeAsync()
      log.check()
    },
  }
}

/** Real time until it is frozen, so that programs with their own clock agree with it. */
function createClock(): TestClock {
  let offsetMs = 0
  let frozenAt: number | undefined
  return {
    now: () => new Date(frozenAt ?? Date.now() + offsetMs),
    advance: (seconds) => {
      if (frozenAt === undefined) offsetMs += seconds * 1000
      else frozenAt += seconds * 1000
    },
    freeze: (instant) => {
      frozenAt = Date.parse(instant)
    },
  }
}
