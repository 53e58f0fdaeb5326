import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { LogNews } from '@muster/contract/agent/logs'
import type { ChannelRoom } from '../files/channel-room.ts'
import { describeMissing } from '../../run/describe-missing.ts'
import { AgentError } from '../../errors.ts'
import { firstLine } from '../../os/run-tool.ts'
import { findProgram, searchPath } from '../../run/find-program.ts'

const MAX_STDERR = 4000

/** Sends the output of a program until the reader leaves. The program waits while there is no room. */
export async function followJournal(
  room: ChannelRoom,
  { name, args }: { name: string; args: string[] },
): Promise<never> {
  const program = findProgram(name)
  if (program === undefined) throw new AgentError(describeMissing(name))
  const child = spawn(program, args, {
    env: { ...process.env, PATH: searchPath(), LC_ALL: 'C.UTF-8', LANG: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  })
  const closed = once(child, 'close')
  // Awaited below if it exits on its own.
  closed.catch(() => undefined)
  const kill = () => void child.kill('SIGKILL')
  room.gone.addEventListener('abort', kill, { once: true })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(0, MAX_STDERR)
  })
  try {
    await room.sendMessage({ type: 'following', name } satisfies LogNews)
    // Iterating a readable waits for each piece; a pipe yields buffers.
    for await (const piece of child.stdout) await room.send(piece as Buffer)
    const [code] = (await closed) as [number | null] // Arguments of `close`.
    throw new AgentError(firstLine(stderr) || `${name} exited with ${code ?? 'a signal'}.`)
  } finally {
    room.gone.removeEventListener('abort', kill)
    kill()
  }
}
