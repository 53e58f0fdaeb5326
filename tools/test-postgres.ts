/**
 * A private PostgreSQL server for tests: its own data in a temporary folder, loopback only, gone afterwards.
 *
 *     node tools/test-postgres.ts vitest run --project 'server*'
 *
 * runs a command with MUSTER_TEST_POSTGRES and MUSTER_TEST_ENGINE=postgres set for it.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

export interface TestPostgres {
  /** A database of this server, as a user who may create databases. */
  url: string
  stop(): Promise<void>
}

/** PostgreSQL refuses to run as root, so root runs it as the user that Debian's package made for it. */
type Owner = { uid: number; gid: number } | undefined

const START_ATTEMPTS = 3
const MEMORY = '/dev/shm'
const ROOM_BYTES = 3 * 1024 ** 3

/** The folder with initdb and postgres, or undefined where PostgreSQL is not installed. */
export function findPostgres(): string | undefined {
  return candidateFolders().find(
    (folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')),
  )
}

/** Starts a server with an empty cluster; about two seconds. */
export async function startTestPostgres(): Promise<TestPostgres> {
  const binaries = findPostgres()
  if (binaries === undefined) {
    throw new Error('PostgreSQL is not installed (on Debian: apt-get install postgresql)')
  }
  const owner = process.getuid?.() === 0 ? findOwner() : undefined
  const folder = mkdtempSync(join(findRoom(), 'muster-postgres-'))
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid)
  try {
    execFileSync(
      join(binaries, 'initdb'),
      // C.UTF-8 sorts by bytes, as SQLite does, and still knows the upper case of ä.
      ['-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'],
      { ...owner, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    const { port, server } = await startServer(join(binaries, 'postgres'), folder, owner)
    const killServer = () => server.kill('SIGQUIT')
    process.once('exit', killServer)
    return {
      url: `postgres://postgres@127.0.0.1:${port}/postgres`,
      async stop() {
        process.off('exit', killServer)
        await stopServer(server)
        rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
      },
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    throw error
  }
}

function candidateFolders(): string[] {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const path = (process.env['PATH'] ?? '').split(delimiter)
  const fromConfig = path
    .filter((folder) => existsSync(join(folder, 'pg_config')))
    .map((folder) => execFileSync(join(folder, 'pg_config'), ['--bindir'], { encoding: 'utf8' }).trim())
  return [...versions.map((version) => join(debian, version, 'bin')), ...fromConfig, ...path]
}

/** In memory, where there is room: each test creates a database, which takes a quarter of the time there. */
function findRoom(): string {
  if (!existsSync(MEMORY)) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize > ROOM_BYTES ? MEMORY : tmpdir()
}

function findOwner(): Owner {
  const idOf = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

async function startServer(
  binary: string,
  folder: string,
  owner: Owner,
): Promise<{ port: number; server: ChildProcess }> {
  let output = ''
  // Another process may take the port before it is used.
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt++) {
    const port = await findFreePort()
    const settings = [
      'listen_addresses=127.0.0.1',
      `port=${port}`,
      'unix_socket_directories=',
      'max_connections=300',
      // The data is thrown away: no need to wait for the disk.
      'fsync=off',
      'synchronous_commit=off',
      'full_page_writes=off',
    ].flatMap((setting) => ['-c', setting])
    const server = spawn(binary, ['-D', folder, ...settings], {
      ...owner,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    output = await readUntilReady(server)
    if (server.exitCode === null && server.signalCode === null) return { port, server }
  }
  throw new Error(`PostgreSQL did not start: ${output}`)
}

/** Waits for the line that says so, or for the end of the process, and returns what was written until then. */
async function readUntilReady(server: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let output = ''
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    if (output.length < 10_000) output += text
    if (output.includes('ready to accept connections')) resolve()
  })
  server.once('exit', () => resolve())
  server.once('error', reject)
  await promise
  return output
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const exited = once(server, 'exit')
  // Immediate shutdown: connections are cut, nothing is written.
  server.kill('SIGQUIT')
  await exited
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return address.port
}

if (import.meta.main) {
  const [command, ...args] = process.argv.slice(2)
  if (command === undefined) throw new Error('usage: node tools/test-postgres.ts COMMAND [ARGUMENTS]')
  const postgres = await startTestPostgres()
  const env = { ...process.env, MUSTER_TEST_POSTGRES: postgres.url, MUSTER_TEST_ENGINE: 'postgres' }
  const child = spawn(command, args, { env, stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  child.once('error', (error) => console.error(error.message))
  const [code] = await Promise.race([once(child, 'exit'), once(child, 'error').then(() => [1])])
  await postgres.stop()
  process.exitCode = typeof code === 'number' ? code : 1
}
