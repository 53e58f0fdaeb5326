import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A NATS server for one test, which can be killed and restarted. Loopback only, without storage. */
export interface TestNats extends AsyncDisposable {
  url: string
  kill(): Promise<void>
  /** Restarts on the same port. */
  restart(): Promise<void>
}

/** @returns The path of nats-server, or undefined if it is not installed. */
export function findNats(): string | undefined {
  // Debian installs it into sbin, which is not on every user's path.
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return folders.map((folder) => join(folder, 'nats-server')).find((path) => existsSync(path))
}

export async function startTestNats(): Promise<TestNats> {
  const binary = findNats()
  if (binary === undefined) throw new Error('nats-server is not installed')
  // -1: the server chooses a free port and prints it.
  let { server, port } = await startServer(binary, -1)
  const killOnExit = () => server.kill('SIGKILL')
  process.once('exit', killOnExit)

  async function kill() {
    if (server.exitCode !== null || server.signalCode !== null) return
    const exited = once(server, 'exit')
    server.kill('SIGKILL')
    await exited
  }

  return {
    url: `nats://127.0.0.1:${port}`,
    kill,
    async restart() {
      await kill()
      ;({ server, port } = await startServer(binary, port))
    },
    async [Symbol.asyncDispose]() {
      process.off('exit', killOnExit)
      await kill()
    },
  }
}

async function startServer(
  binary: string,
  wantedPort: number,
): Promise<{ server: ChildProcess; port: number }> {
  const server = spawn(binary, ['-a', '127.0.0.1', '-p', String(wantedPort)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let output = ''
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (output.length < 10_000) output += text
    const port = /Listening for client connections on [\d.]+:(\d+)/.exec(output)?.[1]
    if (port !== undefined && output.includes('Server is ready')) resolve(Number(port))
  })
  server.once('exit', () => reject(new Error(`nats-server did not start: ${output}`)))
  server.once('error', reject)
  return { server, port: await promise }
}
