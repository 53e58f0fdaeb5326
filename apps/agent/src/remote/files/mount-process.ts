import { type ChildProcess, spawn } from 'node:child_process'
import { CHANNEL_KIND } from '@muster/contract/agent/channel'
import { showBytes } from '@muster/rules/agents/raw-path'
import { AgentError } from '../../errors.ts'
import { withStartUmask } from '../../os/umask.ts'
import type { Channel } from '../channels/channel.ts'
import type { FileTool, OperationInput, OperationName } from './file-operations.ts'

/** Messages to the process. Frames are as on the link. */
export type ToMount =
  | { kind: 'run'; id: number; name: OperationName; input: OperationInput<OperationName> }
  | { kind: 'open'; channel: number; tool: FileTool }
  | { kind: 'frame'; bytes: Uint8Array }
  | { kind: 'look' }
export type FromMount =
  | { kind: 'ready' | 'alive' }
  | { kind: 'done'; id: number; result: unknown }
  | { kind: 'failed'; id: number; message: string; isExpected: boolean }
  | { kind: 'frame'; channel: number; bytes: Uint8Array }
  | { kind: 'remember' | 'release'; path: string }

/** A busy machine starts the process slowly. */
const START_MS = 30_000
/** A healthy file system describes itself in milliseconds. Together, users wait less than 10 seconds. */
const LOOK_EVERY_MS = 3000
const SILENCE_MS = 6000
export const IDLE_MS = 30_000

export interface MountProcessOptions {
  /** The mount point, each byte one character. */
  mount: string
  /** Command line that starts this agent. */
  program: readonly string[]
  dataFolder: string
  openParts: { remember: (path: string) => void; release: (path: string) => void }
  /** How long it waits for more work. */
  idleMs: number
  onEnd: () => void
}

interface Waiting {
  resolve: (result: unknown) => void
  reject: (cause: Error) => void
}

/**
 * A process of the agent that works on one network mount. A call on a file system whose server is gone may never return,
 * and holds a thread until then; the agent has four. While there is work, the process must keep describing the mount;
 * otherwise it is killed, and all work in it fails. It ends when it is idle.
 */
export class MountProcess {
  #options: MountProcessOptions
  #child: ChildProcess
  #calls = new Map<number, Waiting>()
  #channels = new Map<number, { channel: Channel; pass: (bytes: Uint8Array) => void }>()
  #lastCall = 0
  #problem: string
  /** True until the process has started. */
  #isLooking = true
  #lastSignMs = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: MountProcessOptions) {
    this.#options = options
    this.#problem = `${this.#shown} is no longer open. Try again.`
    const { program, dataFolder, mount } = options
    const [node = process.execPath, ...args] = program
    const file = Buffer.from(mount, 'latin1').toString('base64url')
    this.#child = withStartUmask(() =>
      spawn(node, [...args, 'mount', '--data', dataFolder, '--file', file], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        serialization: 'advanced',
      }),
    )
    // Sent by this program only.
    this.#child.on('message', (message) => this.#take(message as FromMount))
    this.#child.once('error', (cause) =>
      this.#finish(`The agent failed to start a process: ${cause.message}`),
    )
    this.#child.once('exit', () => this.#finish(this.#problem))
    this.#wait(START_MS, () => this.end('The agent failed to start a process for network drives.'))
  }

  get isIdle(): boolean {
    return this.#calls.size === 0 && this.#channels.size === 0
  }

  run<Name extends OperationName>(name: Name, input: OperationInput<Name>): Promise<unknown> {
    this.#lastCall += 1
    const id = this.#lastCall
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#calls.set(id, { resolve, reject })
    this.#send({ kind: 'run', id, name, input })
    this.#look()
    return promise
  }

  serve(channel: Channel, tool: FileTool): void {
    this.#send({ kind: 'open', channel: channel.id, tool })
    const pass = channel.forward((bytes) => {
      this.#send({ kind: 'frame', bytes })
      if (channel.isOver) this.#channels.delete(channel.id)
    })
    this.#channels.set(channel.id, { channel, pass })
    this.#look()
  }

  end(problem: string): void {
    this.#problem = problem
    this.#child.kill('SIGKILL')
    // A process that hangs in the kernel may outlive the signal.
    this.#finish(problem)
  }

  #take(message: FromMount): void {
    this.#lastSignMs = performance.now()
    switch (message.kind) {
      case 'ready':
      case 'alive':
        this.#isLooking = false
        return message.kind === 'ready' && !this.isIdle ? this.#look() : this.#lookLater()
      case 'done': {
        this.#calls.get(message.id)?.resolve(message.result)
        this.#calls.delete(message.id)
        return
      }
      case 'failed': {
        const { id, message: text, isExpected } = message
        this.#calls.get(id)?.reject(isExpected ? new AgentError(text) : new Error(text))
        this.#calls.delete(id)
        return
      }
      case 'frame':
        this.#channels.get(message.channel)?.pass(message.bytes)
        if (message.bytes[0] === CHANNEL_KIND.end) this.#channels.delete(message.channel)
        return
      case 'remember':
      case 'release':
        this.#options.openParts[message.kind](message.path)
    }
  }

  #look(): void {
    if (this.#isLooking) return
    this.#isLooking = true
    this.#lastSignMs = performance.now()
    this.#send({ kind: 'look' })
    this.#wait(SILENCE_MS, () => this.#judge())
  }

  #lookLater(): void {
    if (this.isIdle)
      this.#wait(this.#options.idleMs, () => (this.isIdle ? this.end(this.#problem) : this.#look()))
    else this.#wait(LOOK_EVERY_MS, () => (this.isIdle ? this.#lookLater() : this.#look()))
  }

  /** Bytes that pass, and other answers, are signs of life too. */
  #judge(): void {
    const left = this.#lastSignMs + SILENCE_MS - performance.now()
    if (left > 0) this.#wait(left, () => this.#judge())
    else this.end(`${this.#shown} does not respond.`)
  }

  #wait(ms: number, then: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(then, ms)
  }

  #finish(problem: string): void {
    clearTimeout(this.#timer)
    for (const { reject } of this.#calls.values()) reject(new AgentError(problem))
    for (const { channel } of this.#channels.values()) channel.end({ code: 'refused', message: problem })
    this.#calls.clear()
    this.#channels.clear()
    this.#options.onEnd()
  }

  #send(message: ToMount): void {
    // A message that fails is answered when the process has ended.
    if (this.#child.connected) this.#child.send(message, () => undefined)
  }

  get #shown(): string {
    return `"${showBytes(Buffer.from(this.#options.mount, 'latin1'))}"`
  }
}
