import { lstat, readlink } from 'node:fs/promises'
import { AgentError } from '../../errors.ts'
import { runTool } from '../../os/run-tool.ts'
import { errorCode } from './file-errors.ts'

const LIMIT_MS = 5000
const ATTRIBUTES = [
  ['i', 'immutable'],
  ['a', 'append-only'],
] as const

/** A sentence instead of EPERM if an attribute of one of these paths is the reason, which even root meets. */
export async function explainRefusal(cause: unknown, paths: readonly Buffer[]): Promise<unknown> {
  if (process.platform !== 'linux' || errorCode(cause) !== 'EPERM') return cause
  for (const path of paths) {
    const flags = await findFlags(path)
    const found = ATTRIBUTES.find(([flag]) => flags.includes(flag))
    if (found === undefined) continue
    const [flag, name] = found
    const isFolder = (await lstat(path)).isDirectory()
    return new AgentError(
      `The ${isFolder ? 'folder' : 'file'} is ${name} (chattr +${flag}). Run chattr -${flag} on the machine first.`,
      {
        cause,
      },
    )
  }
  return cause
}

/** Empty if they cannot be read: not all file systems have them, and not all machines the program. */
async function findFlags(path: Buffer): Promise<string> {
  const text = path.toString()
  // Programs get arguments as UTF-8.
  if (!Buffer.from(text).equals(path)) return ''
  const ownPath = text.replace(/^\/proc\/self\//, `/proc/${await readlink('/proc/self')}/`)
  const signal = AbortSignal.timeout(LIMIT_MS)
  return runTool('lsattr', ['-d', '--', ownPath], { signal, timeoutMs: LIMIT_MS }).then(
    ({ code, stdout }) => (code === 0 ? (stdout.split(' ', 1)[0] ?? '') : ''),
    () => '',
  )
}
