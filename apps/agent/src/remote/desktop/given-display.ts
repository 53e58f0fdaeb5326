import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { onTestFinished, vi } from 'vitest'

/** An X server without a screen, which is the agent's own display while the test runs; answers its name. */
export async function givenDisplay(size = '1280x800', more: string[] = []): Promise<string> {
  const args = ['-displayfd', '3', '-screen', '0', `${size}x24`, '-nolisten', 'tcp', ...more]
  const child = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
  onTestFinished(async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  // The fourth of `stdio`, which is a pipe to read from.
  const [number] = (await once(child.stdio[3] as Readable, 'data')) as [Buffer]
  const name = `:${number.toString().trim()}`
  vi.stubEnv('DISPLAY', name)
  onTestFinished(() => void vi.unstubAllEnvs())
  return name
}
