/**
 * A private NATS server for tests: loopback only, on a port of its own, gone afterwards.
 *
 *     node tools/test-nats.ts vitest run --project 'server*'
 *
 * runs a command with MUSTER_TEST_NATS set for it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { findOnPath } from './system-programs.ts'

export interface TestNats {
  url: string
  stop(): Promise<void>
}

export async function startTestNats(): Promise<TestNats> {
  const binary = findOnPath('nats-server', ['/usr/sbin', '/usr/local/sbin'])
  if (binary === undefined) throw new Error('NATS is not installed (on Debian: apt-get install nats-server)')
  const server = spawn(binary, ['--addr', '127.0.0.1', '--port', '-1'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(server, 'exit')
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let output = ''
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (output.length < 10_000) output += text
    const port = /Listening for client connections on 127\.0\.0\.1:(\d+)/.exec(output)?.[1]
    if (port !== undefined && output.includes('Server is ready')) resolve(port)
  })
  server.once('error', reject)
  server.once('exit', () => reject(new Error(`NATS did not start: ${output}`)))
  const port = await promise
  const killServer = () => server.kill('SIGKILL')
  process.once('exit', killServer)
  return {
    url: `nats://127.0.0.1:${port}`,
    async stop() {
      process.off('exit', killServer)
      server.kill('SIGTERM')
      await exited
    },
  }
}

if (import.meta.main) {
  const [command, ...args] = process.argv.slice(2)
  if (command === undefined) throw new Error('usage: node tools/test-nats.ts COMMAND [ARGUMENTS]')
  const nats = await startTestNats()
  const child = spawn(command, args, {
    env: { ...process.env, MUSTER_TEST_NATS: nats.url },
    stdio: 'inherit',
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  child.once('error', (error) => console.error(error.message))
  const [code] = await Promise.race([once(child, 'exit'), once(child, 'error').then(() => [1])])
  await nats.stop()
  process.exitCode = typeof code === 'number' ? code : 1
}
