import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, dirname, join, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '..')

/** Environment in which `tsc`, `vitest` and the like are found, and run with this Node. */
function programEnv(more: Record<string, string> = {}): Record<string, string | undefined> {
  const path = [dirname(process.execPath), join(root, 'node_modules', '.bin'), process.env['PATH'] ?? '']
  return { ...process.env, PATH: path.join(delimiter), ...more }
}

/** Runs a program in the project's folder with its output passed through; returns whether it succeeded. */
export async function runProgram(command: string[], env: Record<string, string> = {}): Promise<boolean> {
  const [file = '', ...args] = command
  const child = spawn(file, args, {
    cwd: root,
    env: programEnv(env),
    stdio: ['ignore', 'inherit', 'inherit'],
    // npm's .bin holds .cmd files there.
    shell: process.platform === 'win32',
  })
  return endWithThis(child, async () => {
    const [code] = await once(child, 'exit')
    return code === 0
  })
}

/** Runs a program and returns its output and whether it succeeded. */
export async function readProgram(
  command: string[],
  env: Record<string, string> = {},
): Promise<{ ok: boolean; output: string }> {
  const [file = '', ...args] = command
  const child = spawn(file, args, { cwd: root, env: programEnv(env), shell: process.platform === 'win32' })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  return endWithThis(child, async () => {
    const [code] = await once(child, 'close')
    return { ok: code === 0, output }
  })
}

/** Passes the signals that end this process on to its child. */
async function endWithThis<T>(child: ChildProcess, wait: () => Promise<T>): Promise<T> {
  const stop = () => child.kill('SIGTERM')
  process.once('SIGINT', stop).once('SIGTERM', stop)
  try {
    return await wait()
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
}
