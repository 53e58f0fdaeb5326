import type { Interpreter } from '@muster/contract/agent/shells'
import { OutputEnds } from '@muster/rules/text/output-ends'
import { withoutMark } from '@muster/rules/text/byte-order-mark'
import { SecretFilter } from '@muster/rules/text/safe-text'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withStartUmask } from '../../platform/files/private-files.ts'

export interface ServerCall {
  interpreter: Interpreter
  body: string
  args: readonly string[]
  /** KEY=VALUE. */
  env_vars: readonly string[]
  /** Values that must not appear in the output. */
  secrets: readonly string[]
  timeoutSeconds: number
  /** Maximum characters of each stream: of a longer one, the first and the last part are kept. */
  mostOutput: number
}

export interface ServerRun {
  /** Null if it was killed. */
  retcode: number | null
  executionTime: number
  /** Why it was killed, else empty. */
  reason: string
  stdout: string
  stderr: string
}

const SECOND_MS = 1000

/**
 * Runs a script as a child of the server: literal arguments without a shell, an environment without the settings of the
 * server, a temporary folder, and limits for time and output. Its child processes end with it, and with the server,
 * even if that is killed.
 */
export async function runOnServer(call: ServerCall, signal: AbortSignal): Promise<ServerRun> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-script-'))
  try {
    const body = withoutMark(call.body).replaceAll('\r\n', '\n')
    const [fileName, program, ...before] = programOf(call.interpreter, body)
    const file = join(folder, fileName)
    await writeFile(file, body, { mode: 0o700 })
    const [run = file, ...args] = program === undefined ? [file] : [program, ...before, file]
    const child = withStartUmask(() =>
      spawn(run, [...args, ...call.args], {
        cwd: folder,
        env: environmentOf(call.env_vars),
        // A process group of its own, to be killed as a whole.
        detached: process.platform !== 'win32',
        stdio: ['ignore', 'pipe', 'pipe'],
        windowsHide: true,
      }),
    )
    using _guard = guardScript(child, folder)
    return await watch(call, signal, child)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

function programOf(interpreter: Interpreter, body: string): [fileName: string, ...program: string[]] {
  switch (interpreter) {
    case 'shell':
      // With a shebang line such as `#!/bin/bash` the system finds its interpreter.
      return body.startsWith('#!') ? ['script.sh'] : ['script.sh', '/bin/sh']
    case 'python':
      return ['script.py', 'python3']
    case 'node':
      return ['script.js', process.execPath]
    case 'powershell':
      return ['script.ps1', 'pwsh', '-NoProfile', '-NonInteractive', '-File']
    case 'deno':
      return ['script.ts', 'deno', 'run', '--allow-all']
    case 'nushell':
      return ['script.nu', 'nu']
    case 'cmd':
      return ['script.cmd', 'cmd.exe', '/d', '/q', '/c']
  }
}

function environmentOf(lines: readonly string[]): NodeJS.ProcessEnv {
  const given = lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)])
  // Pairs of strings, as above.
  return { ...serverEnvironment(), ...(Object.fromEntries(given) as Record<string, string>) }
}

function watch(
  { secrets, timeoutSeconds, mostOutput }: ServerCall,
  signal: AbortSignal,
  child: ChildProcess,
): Promise<ServerRun> {
  const startedMs = performance.now()
  const { promise, resolve } = Promise.withResolvers<ServerRun>()
  const filters = { stdout: new SecretFilter(secrets), stderr: new SecretFilter(secrets) }
  const ends = { stdout: new OutputEnds(mostOutput), stderr: new OutputEnds(mostOutput) }
  let reason = ''
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]
      ?.setEncoding('utf8')
      .on('data', (text: string) => ends[stream].take(filters[stream].take(text)))
  }
  const end = (because: string) => {
    if (reason === '') reason = because
    killAll(child)
  }
  const timer = setTimeout(
    () => end(`The script was killed after ${timeoutSeconds} s.`),
    timeoutSeconds * SECOND_MS,
  )
  const onAbort = () => end('The server stopped while the script ran.')
  signal.addEventListener('abort', onAbort, { once: true })
  // Remaining processes would keep its pipes open.
  child.once('exit', () => killAll(child))
  child.once('error', ({ message }) => (reason = `The script could not be started: ${message}`))
  child.once('close', (code) => {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    for (const stream of ['stdout', 'stderr'] as const) ends[stream].take(filters[stream].end())
    resolve({
      retcode: reason === '' ? code : null,
      executionTime: (performance.now() - startedMs) / SECOND_MS,
      reason,
      stdout: ends.stdout.text,
      stderr: ends.stderr.text,
    })
  })
  if (signal.aborted) onAbort()
  return promise
}

function killAll(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill('SIGKILL')
    else process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    // None of them is left.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** It reads until the server closes the pipe, which happens whenever the server ends. */
const GUARD = 'read -r _; kill -s KILL -- "-$1"; rm -rf -- "$2"'

/**
 * Until it is disposed, a script does not outlive the server: if the server is killed, its process group is killed and
 * its folder deleted. Not on Windows, which has no such groups.
 */
function guardScript(child: ChildProcess, folder: string): Disposable {
  const { pid } = child
  // It could not be started.
  if (pid === undefined || process.platform === 'win32') return { [Symbol.dispose]() {} }
  const guard = spawn('/bin/sh', ['-c', GUARD, 'muster-guard', `${pid}`, folder], {
    // Keys pressed in the terminal of the server must not reach it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: { PATH: process.env['PATH'] },
  })
  // A script never runs without its guard.
  guard.once('error', () => child.kill('SIGKILL'))
  return {
    [Symbol.dispose]() {
      guard.kill('SIGKILL')
    },
  }
}

/** The environment of programs that the server starts: its own one contains passwords. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, LANG, SystemRoot } = process.env
  return { PATH, HOME, LANG, SystemRoot }
}
