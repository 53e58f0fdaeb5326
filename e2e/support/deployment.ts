import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startTestNats } from '../../tools/test-nats.ts'
import { findPostgres, startTestPostgres } from '../../tools/test-postgres.ts'

/** Where servers of one test keep their data: settings that all of them are started with. */
export interface Deployment extends AsyncDisposable {
  env: Record<string, string>
}

/** SQLite in the server's own folder; with MUSTER_TEST_POSTGRES a new database there, and a NATS server. */
export async function openDeployment(): Promise<Deployment> {
  if (process.env['MUSTER_TEST_POSTGRES'] !== undefined) return openScaledDeployment()
  return { env: {}, [Symbol.asyncDispose]: async () => {} }
}

/** PostgreSQL and NATS, as several servers need them. */
export async function openScaledDeployment(): Promise<Deployment> {
  await using stack = new AsyncDisposableStack()
  const database = stack.use(await openPostgresDatabase())
  // Not shared: subjects on one NATS server belong to one fleet.
  const nats = await startTestNats()
  stack.defer(() => nats.stop())
  const resources = stack.move()
  return {
    env: { DATABASE_URL: database.url, NATS_URL: nats.url },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** An empty database on the test server, which is started where MUSTER_TEST_POSTGRES names none. */
async function openPostgresDatabase(): Promise<AsyncDisposable & { url: string }> {
  await using stack = new AsyncDisposableStack()
  let server = process.env['MUSTER_TEST_POSTGRES']
  if (server === undefined) {
    const postgres = await startTestPostgres()
    stack.defer(() => postgres.stop())
    server = postgres.url
  }
  const name = `muster_e2e_${randomUUID().replaceAll('-', '')}`
  const folder = findPostgres()
  if (folder === undefined) throw new Error('PostgreSQL is not installed')
  const run = promisify(execFile)
  await run(join(folder, 'createdb'), ['--maintenance-db', server, name])
  stack.defer(async () => {
    await run(join(folder, 'dropdb'), ['--force', '--maintenance-db', server, name])
  })
  const url = new URL(server)
  url.pathname = `/${name}`
  const resources = stack.move()
  return { url: url.href, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
