import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync } from 'node:fs'
import type { Readable } from 'node:stream'
import type { MachineUser, Os, RunGroup, UserSession } from '../os/os.ts'
import { withStartUmask } from '../os/umask.ts'
import { asUser } from './environment.ts'
import { closePipes, type PipePair } from './output-pipes.ts'
import type { OutputStream } from './output-reports.ts'

/** How long the output may stay open after the process has exited, for a child that inherited it. */
const DRAIN_MS = 2000

export interface ProcessPlan {
  program: string
  args: string[]
  env: Record<string, string>
  cwd: string
  /** Another user to run as, already checked. */
  user?: MachineUser | undefined
  /** A session of Windows to start it in, as its user. */
  session?: UserSession | undefined
  /** For cmd.exe, which does not split its command line as other programs do. */
  verbatimArguments?: boolean
}

export interface ProcessEnd {
  code: number | null
  signal: string | null
}

export interface RunningProcess {
  pid: number
  /** Resolves when it has exited and its output is read; undefined if it was abandoned. */
  ended: Promise<ProcessEnd | undefined>
  /** Ends it and all its child processes. */
  kill: () => Promise<void>
  /** Resolves `ended` although the process is still running. */
  giveUp: () => void
  /** Stops reading, so that the process blocks when it writes. */
  pause: () => void
  resume: () => void
}

export interface StartOptions {
  plan: ProcessPlan
  marker: string
  pipes: PipePair | undefined
  /** A standby shell that has become the process, with these pipes. */
  child?: ChildProcess | undefined
  os: Os
  onOutput: (stream: OutputStream, bytes: Buffer) => void
}

/** Starts a process in its own process group. Throws if it cannot be started. */
export async function startProcess(options: StartOptions): Promise<RunningProcess> {
  const group = await options.os.openRunGroup?.(options.marker)
  const { plan } = options
  const { pid, exited, output } =
    plan.session === undefined
      ? await startChild(group, options)
      : await startForUser(group, { ...options, session: plan.session })
  const givenUp = Promise.withResolvers<undefined>()
  return {
    pid,
    ended: Promise.race([waitForEnd(exited, output), givenUp.promise]).finally(() => {
      output.destroy()
      group?.close()
    }),
    kill: () => options.os.killTree(pid, options.marker),
    giveUp: () => givenUp.resolve(undefined),
    pause: () => output.pause(),
    resume: () => output.resume(),
  }
}

interface Started {
  pid: number
  exited: Promise<ProcessEnd>
  output: OutputStreams
}

async function startChild(group: RunGroup | undefined, options: StartOptions): Promise<Started> {
  const child = startIn(group, options)
  const output = new OutputStreams(child, options)
  try {
    if (options.child === undefined)
      await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject))
  } catch (cause) {
    output.destroy()
    group?.close()
    throw cause
  }
  const exited = new Promise<ProcessEnd>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null)
      resolve({ code: child.exitCode, signal: child.signalCode })
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  return { pid: child.pid ?? 0, exited, output }
}

async function startForUser(
  group: RunGroup | undefined,
  options: StartOptions & { session: UserSession },
): Promise<Started> {
  const { plan, session, marker, os } = options
  try {
    if (os.startInSession === undefined) throw new Error('this system has no sessions')
    const { program, args, cwd, verbatimArguments = false } = plan
    const env = { ...plan.env, MUSTER_RUN: marker }
    const started = await os.startInSession({ session, program, args, verbatimArguments, env, cwd }, (pid) =>
      group?.add(pid),
    )
    return { ...started, output: new OutputStreams(started, options) }
  } catch (cause) {
    group?.close()
    throw cause
  }
}

/** A process that its group refuses would outlive a cancel, so it ends at once. */
function startIn(group: RunGroup | undefined, options: StartOptions): ChildProcess {
  let child: ChildProcess | undefined
  try {
    child = options.child ?? spawnPlan(options)
    if (child.pid !== undefined) group?.add(child.pid)
    return child
  } catch (cause) {
    child?.kill('SIGKILL')
    group?.close()
    throw cause
  }
}

function spawnPlan({ plan, pipes, marker }: StartOptions): ChildProcess {
  try {
    const { program, args } = plan.user === undefined ? plan : asUser(plan, plan.user)
    const child = withStartUmask(() =>
      spawn(program, args, {
        cwd: plan.cwd,
        env: { ...plan.env, MUSTER_RUN: marker },
        // POSIX: leads its own process group, so that the group can be killed as a whole.
        detached: process.platform !== 'win32',
        stdio: ['ignore', pipes?.stdout.writeFd ?? 'pipe', pipes?.stderr.writeFd ?? 'pipe'],
        windowsHide: true,
        windowsVerbatimArguments: plan.verbatimArguments ?? false,
      }),
    )
    // Only the process holds the writing ends now, so they close when it exits.
    if (pipes !== undefined) for (const { writeFd } of [pipes.stdout, pipes.stderr]) closeSync(writeFd)
    return child
  } catch (cause) {
    if (pipes !== undefined) closePipes(pipes)
    throw cause
  }
}

async function waitForEnd(exited: Promise<ProcessEnd>, output: OutputStreams): Promise<ProcessEnd> {
  const end = await exited
  await output.drained(DRAIN_MS)
  return end
}

class OutputStreams {
  #streams: Readable[]
  #closed: Promise<unknown>
  #isPaused = false
  #ended = 0
  #release: (isQuiet: boolean) => void

  constructor(
    child: { stdout: Readable | null; stderr: Readable | null },
    { pipes, onOutput }: StartOptions,
  ) {
    this.#streams = (['stdout', 'stderr'] as const).flatMap((name) => {
      const stream = pipes?.[name].readable ?? child[name]
      if (stream === null) return []
      if (pipes === undefined) stream.on('data', (bytes: Buffer) => onOutput(name, bytes))
      else pipes[name].onBytes = (bytes) => onOutput(name, bytes)
      // A pipe with its own buffer emits no data events, but has to flow to reach its end.
      stream.resume()
      // A broken pipe counts as ended; the exit code shows the rest.
      stream.on('error', () => stream.destroy())
      stream.once('end', () => (this.#ended += 1))
      return [stream]
    })
    this.#release = (isQuiet) => pipes?.release(isQuiet)
    this.#closed = Promise.all(
      this.#streams.map((stream) => new Promise((resolve) => stream.once('close', resolve))),
    )
  }

  pause(): void {
    this.#isPaused = true
    for (const stream of this.#streams) stream.pause()
  }

  resume(): void {
    this.#isPaused = false
    for (const stream of this.#streams) stream.resume()
  }

  destroy(): void {
    for (const stream of this.#streams) stream.destroy()
    this.#release(this.#ended === this.#streams.length)
    this.#release = () => {}
  }

  /** Resolves when everything is read, or after `patienceMs` of possible reading. */
  async drained(patienceMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise<void>((resolve) => {
      const expire = () => (this.#isPaused ? wait() : resolve())
      const wait = () => (timer = setTimeout(expire, patienceMs))
      wait()
    })
    await Promise.race([this.#closed, patience])
    clearTimeout(timer)
  }
}
