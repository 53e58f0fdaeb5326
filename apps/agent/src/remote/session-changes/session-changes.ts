import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SessionChangesView } from '@muster/contract/agent/remote'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describeError, type Log } from '../../log/log.ts'
import type { Outbox } from '../../state/outbox.ts'
import { notCollected } from './compare-snapshots.ts'
import type { RecordedChanges } from './snapshot.ts'

const run = promisify(execFile)
/** Longer than any system needs. */
const TIMEOUT_MS = 5 * 60_000
const Made = SessionChangesView.omit({ interrupted: true })

/** Takes and compares snapshots. `file` holds the snapshot at the start of the session. */
export interface ChangeRecorder {
  begin: (file: string, signal: AbortSignal) => Promise<void>
  end: (file: string, signal: AbortSignal) => Promise<RecordedChanges>
}

/**
 * Runs in a child process with low priority. `program` is the agent's own command line. Thousands of packages
 * and files never become objects in the long-running process.
 */
export function recordChangesInChildProcess([program = '', ...args]: string[]): ChangeRecorder {
  const start = async (command: string, file: string, signal: AbortSignal) => {
    const options = { signal, timeout: TIMEOUT_MS, killSignal: 'SIGKILL', windowsHide: true } as const
    const { stdout } = await run(program, [...args, command, '--file', file], {
      ...options,
      maxBuffer: 8 * 1024 * 1024,
    })
    return stdout
  }
  return {
    begin: async (file, signal) => void (await start('snapshot', file, signal)),
    end: async (file, signal) => Made.parse(JSON.parse(await start('session-changes', file, signal))),
  }
}

const SESSION = /^[0-9a-f-]{36}$/

export interface SessionChangesOptions {
  /** Undefined = changes are not recorded. */
  maker: ChangeRecorder | undefined
  /** Folder of the snapshots, so that a restart of the agent does not lose them. */
  folder: string
  outbox: Pick<Outbox, 'append'>
  log: Log
  now: () => number
}

/**
 * Records what changes on the machine during sessions of remote tools. Takes a snapshot when a session starts and
 * after it ends, one at a time, and reports the differences. Concurrent sessions have separate reports.
 */
export class SessionChanges implements AsyncDisposable {
  #options: SessionChangesOptions
  #begun = new Map<string, string>()
  #work: Promise<void> = Promise.resolve()
  #stop = new AbortController()

  constructor(options: SessionChangesOptions) {
    this.#options = options
  }

  /** Called when a session starts. Does not block it. */
  begin(session: string): void {
    const { maker, folder, log } = this.#options
    if (maker === undefined || this.#begun.has(session) || !SESSION.test(session)) return
    this.#begun.set(session, this.#time())
    this.#queue(async () => {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      try {
        await maker.begin(this.#fileOf(session), this.#stop.signal)
      } catch (cause) {
        if (this.#stop.signal.aborted) return
        log.info({ cause: describeError(cause), session }, 'failed to take a snapshot of the machine')
      }
    })
  }

  /** Called when a session has ended. */
  end(session: string): void {
    const begunAt = this.#begun.get(session)
    if (begunAt === undefined || this.#stop.signal.aborted) return
    this.#begun.delete(session)
    this.#queue(() => this.#report(session, { begunAt, interrupted: false }))
  }

  /** Reports sessions that an earlier process of this agent has started. */
  endInterrupted(): void {
    if (this.#options.maker === undefined) return
    for (const session of this.#listKept()) {
      this.#queue(() => this.#report(session, { begunAt: this.#time(), interrupted: true }))
    }
  }

  /** Pending reports are sent by the next process. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#work
  }

  async #report(
    session: string,
    { begunAt, interrupted }: { begunAt: string; interrupted: boolean },
  ): Promise<void> {
    const { maker, outbox, log } = this.#options
    const file = this.#fileOf(session)
    let changes: SessionChangesView
    try {
      if (maker === undefined) return
      changes = { ...(await maker.end(file, this.#stop.signal)), interrupted }
    } catch (cause) {
      if (this.#stop.signal.aborted) return
      log.info({ cause: describeError(cause), session }, 'failed to compare snapshots of the machine')
      changes = { from: begunAt, to: this.#time(), interrupted, parts: notCollected(UNKNOWN) }
    }
    outbox.append({ kind: 'session-receipt', session, receipt: changes })
    rmSync(file, { force: true })
  }

  #queue(work: () => Promise<void>): void {
    this.#work = this.#work.then(async () => {
      try {
        if (!this.#stop.signal.aborted) await work()
      } catch (cause) {
        this.#options.log.error({ cause: describeError(cause) }, 'failed to report the changes of a session')
      }
    })
  }

  #listKept(): string[] {
    try {
      return readdirSync(this.#options.folder).filter((name) => {
        if (SESSION.test(name)) return true
        // An incomplete file of a process that was killed.
        rmSync(join(this.#options.folder, name), { force: true })
        return false
      })
    } catch {
      // No session has ever started here.
      return []
    }
  }

  #fileOf(session: string): string {
    return join(this.#options.folder, session)
  }

  #time(): string {
    return new Date(this.#options.now()).toISOString()
  }
}

const UNKNOWN = 'Failed to take a snapshot when the session started or after it ended.'
