import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionReceipt } from '@muster/contract/agent/receipts'
import { describeError, type Log } from '../../log/log.ts'
import type { Outbox } from '../../state/outbox.ts'
import { notCollected } from './compare-snapshots.ts'
import type { ReceiptMaker } from './receipts-apart.ts'

const SESSION = /^[0-9a-f-]{36}$/

export interface ReceiptsOptions {
  /** Undefined = none are made. */
  maker: ReceiptMaker | undefined
  /** Where it is kept what the machine was like, so that a restart of the agent does not lose it. */
  folder: string
  outbox: Pick<Outbox, 'append'>
  log: Log
  now: () => number
}

/**
 * What changes on the machine while sessions of remote tools run: looked at when one begins and after it has ended, once
 * at a time, and reported after its end. Each session has its own, however many there are.
 */
export class Receipts implements AsyncDisposable {
  #options: ReceiptsOptions
  #begun = new Map<string, string>()
  #work: Promise<void> = Promise.resolve()
  #stop = new AbortController()

  constructor(options: ReceiptsOptions) {
    this.#options = options
  }

  /** A session begins; nobody waits for it. */
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
        log.info({ cause: describeError(cause), session }, 'what the machine is like could not be looked at')
      }
    })
  }

  /** A session is over. */
  end(session: string): void {
    const begunAt = this.#begun.get(session)
    if (begunAt === undefined || this.#stop.signal.aborted) return
    this.#begun.delete(session)
    this.#queue(() => this.#tell(session, { begunAt, interrupted: false }))
  }

  /** Receipts of sessions that an earlier process of this agent has begun. */
  endInterrupted(): void {
    if (this.#options.maker === undefined) return
    for (const session of this.#listKept()) {
      this.#queue(() => this.#tell(session, { begunAt: this.#time(), interrupted: true }))
    }
  }

  /** What is not told yet is told by the next process. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#work
  }

  async #tell(
    session: string,
    { begunAt, interrupted }: { begunAt: string; interrupted: boolean },
  ): Promise<void> {
    const { maker, outbox, log } = this.#options
    const file = this.#fileOf(session)
    let receipt: SessionReceipt
    try {
      if (maker === undefined) return
      receipt = { ...(await maker.end(file, this.#stop.signal)), interrupted }
    } catch (cause) {
      if (this.#stop.signal.aborted) return
      log.info({ cause: describeError(cause), session }, 'what changed on the machine could not be found out')
      receipt = { from: begunAt, to: this.#time(), interrupted, parts: notCollected(UNKNOWN) }
    }
    outbox.append({ kind: 'session-receipt', session, receipt })
    rmSync(file, { force: true })
  }

  #queue(work: () => Promise<void>): void {
    this.#work = this.#work.then(async () => {
      try {
        if (!this.#stop.signal.aborted) await work()
      } catch (cause) {
        this.#options.log.error({ cause: describeError(cause) }, 'a receipt of a session is lacking')
      }
    })
  }

  #listKept(): string[] {
    try {
      return readdirSync(this.#options.folder).filter((name) => {
        if (SESSION.test(name)) return true
        // Half a file of a process that was ended.
        rmSync(join(this.#options.folder, name), { force: true })
        return false
      })
    } catch {
      // No session has ever begun here.
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

const UNKNOWN = 'The machine could not be looked at when the session began or when it had ended.'
