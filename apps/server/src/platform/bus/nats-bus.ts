import { AppError } from '@muster/contract/errors'
import { connect, errors, type Msg, type NatsConnection } from '@nats-io/transport-node'
import type { Log } from '../log/log.ts'
import { LimitedLog } from '../log/limited-log.ts'
import {
  checkSubject,
  decodeMessage,
  encodeMessage,
  MAX_MESSAGE_BYTES,
  NoResponderError,
  readReply,
  replyGone,
  replyTo,
  RequestTimeoutError,
  type Bus,
} from './bus.ts'
import { macOf, MessageSeal, type Opened, SEAL_BYTES } from './message-seal.ts'

/** Answerers of one subject form a group. NATS picks one of them. */
const ANSWER_GROUP = 'answer'
const RECONNECT_WAIT_MS = 500
/** Longest wait for an unreachable NATS in steps that can proceed without it. */
const PATIENCE_MS = 1000

type BusLog = Pick<Log, 'error' | 'warn' | 'info'>

/**
 * Connects to NATS and keeps reconnecting while the server runs. Throws if NATS is unreachable at the start. `key`: the
 * same for all servers. Messages of others are dropped.
 */
export async function connectNatsBus(url: string, log: BusLog, key: string): Promise<Bus> {
  const { protocol, host, username, password } = new URL(url)
  try {
    const connection = await connect({
      servers: host,
      name: 'muster',
      ...(protocol === 'tls:' ? { tls: {} } : {}),
      ...signIn(decodeURIComponent(username), decodeURIComponent(password)),
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_WAIT_MS,
      reconnectJitter: RECONNECT_WAIT_MS,
      ignoreAuthErrorAbort: true,
      pingInterval: 5000,
      maxPingOut: 2,
      // A stack trace per request is a sixth of its cost. Errors name their subject instead.
      noAsyncTraces: true,
    })
    return new NatsBus(connection, log, new MessageSeal(key))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new AppError('unavailable', `The message bus at ${host} cannot be reached: ${reason}`, { cause })
  }
}

class NatsBus implements Bus {
  #connection: NatsConnection
  #log: BusLog
  #seal: MessageSeal
  #dropped: LimitedLog
  #reconnectListeners: (() => void)[] = []

  constructor(connection: NatsConnection, log: BusLog, seal: MessageSeal) {
    this.#connection = connection
    this.#log = log
    this.#seal = seal
    this.#dropped = new LimitedLog(log, 'warn')
    void this.#watch()
  }

  publish(subject: string, message: unknown): void {
    checkSubject(subject)
    const text = this.#encode(subject, message)
    // Closing: there are no subscribers left.
    if (this.#connection.isClosed() || this.#connection.isDraining()) return
    this.#connection.publish(subject, this.#seal.seal(text, subject))
  }

  async subscribe(subject: string, handler: (message: unknown) => void | Promise<void>) {
    checkSubject(subject)
    const open = this.#seal.reader()
    const deliver = async (error: Error | null, message: Msg) => {
      try {
        if (error !== null) throw error
        const opened = open(message.data, subject)
        if ('problem' in opened) return this.#drop(subject, opened)
        await handler(decodeMessage(opened.content.toString()))
      } catch (cause) {
        this.#log.error({ err: cause, subject }, 'a bus subscriber failed')
      }
    }
    const subscription = this.#connection.subscribe(subject, {
      callback: (error, message) => void deliver(error, message),
    })
    await this.#untilKnown()
    return async () => subscription.unsubscribe()
  }

  publishBytes(subject: string, bytes: Uint8Array): void {
    checkSubject(subject)
    if (this.#connection.isClosed() || this.#connection.isDraining()) return
    this.#connection.publish(subject, this.#seal.seal(bytes, subject))
  }

  async subscribeBytes(subject: string, handler: (bytes: Uint8Array) => void) {
    checkSubject(subject)
    const open = this.#seal.reader()
    const subscription = this.#connection.subscribe(subject, {
      callback: (error, message) => {
        if (error !== null) return this.#log.error({ err: error, subject }, 'a bus subscriber failed')
        const opened = open(message.data, subject)
        if ('problem' in opened) this.#drop(subject, opened)
        else handler(opened.content)
      },
    })
    await this.#untilKnown()
    return async () => subscription.unsubscribe()
  }

  async answer(subject: string, handler: (message: unknown) => unknown) {
    checkSubject(subject)
    let left = false
    const open = this.#seal.reader()
    const reply = async (error: Error | null, message: Msg) => {
      try {
        if (error !== null) throw error
        const opened = open(message.data, subject)
        if ('problem' in opened) return this.#drop(subject, opened)
        const { content, mac } = opened
        const text = left
          ? replyGone(subject)
          : await replyTo(subject, content.toString(), handler, this.#maxBytes)
        if (!this.#connection.isClosed()) message.respond(this.#seal.seal(text, replyAbout(subject, mac)))
      } catch (cause) {
        this.#log.error({ err: cause, subject }, 'a bus request was not answered')
      }
    }
    const subscription = this.#connection.subscribe(subject, {
      queue: ANSWER_GROUP,
      callback: (error, message) => void reply(error, message),
    })
    await this.#untilKnown()
    return async () => {
      left = true
      // Requests in flight would otherwise wait for their timeout.
      if (!this.#connection.isClosed()) await settleOrPass(subscription.drain())
    }
  }

  async request(subject: string, message: unknown, { timeoutMs }: { timeoutMs: number }): Promise<unknown> {
    checkSubject(subject)
    const sealed = this.#seal.seal(this.#encode(subject, message), subject)
    const reply = await this.#connection
      .request(subject, sealed, { timeout: timeoutMs })
      .catch((cause: unknown) => {
        if (cause instanceof errors.TimeoutError) throw new RequestTimeoutError(subject, timeoutMs, { cause })
        if (isNoResponder(cause)) throw new NoResponderError(subject, { cause })
        throw cause
      })
    const opened = this.#seal.reader()(reply.data, replyAbout(subject, macOf(sealed)))
    if (!('problem' in opened)) return readReply(subject, opened.content.toString())
    this.#drop(subject, opened)
    // It is unknown whether a server acted.
    throw new RequestTimeoutError(subject, timeoutMs)
  }

  onReconnect(listener: () => void): void {
    this.#reconnectListeners.push(listener)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#dropped[Symbol.dispose]()
    if (this.#connection.isClosed()) return
    // Sends messages that were already handed over.
    await settleOrPass(this.#connection.drain())
    await this.#connection.close()
  }

  #encode(subject: string, message: unknown): string {
    return encodeMessage(subject, message, this.#maxBytes)
  }

  get #maxBytes(): number {
    return Math.min(this.#connection.info?.max_payload ?? MAX_MESSAGE_BYTES, MAX_MESSAGE_BYTES) - SEAL_BYTES
  }

  #drop(subject: string, { problem }: Extract<Opened, { problem: string }>): void {
    // One line for all machines and channels.
    const [source = ''] = subject.split('.')
    this.#dropped.write(
      source,
      { subject, problem },
      'dropped a bus message that no server of this database sent',
    )
  }

  /** Waits until the NATS server knows the subscription. An unreachable server learns of it on reconnect. */
  async #untilKnown(): Promise<void> {
    await settleOrPass(this.#connection.flush())
  }

  async #watch(): Promise<void> {
    for await (const status of this.#connection.status()) {
      if (status.type === 'disconnect') this.#log.warn({}, 'connection to NATS lost')
      if (status.type === 'error') this.#log.error({ err: status.error }, 'NATS reported an error')
      if (status.type === 'reconnect') {
        this.#log.info({}, 'connection to NATS restored')
        for (const listener of this.#reconnectListeners) listener()
      }
    }
  }
}

/** A reply counts only for the request that it answers. */
const replyAbout = (subject: string, mac: Buffer) => `reply ${subject} ${mac.toString('base64url')}`

async function settleOrPass(step: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, PATIENCE_MS)
  await Promise.race([step.catch(() => undefined), promise])
  clearTimeout(timer)
}

function signIn(username: string, password: string): { user?: string; pass?: string; token?: string } {
  if (username === '') return {}
  return password === '' ? { token: username } : { user: username, pass: password }
}

function isNoResponder(error: unknown): boolean {
  return (
    error instanceof errors.NoRespondersError ||
    (error instanceof errors.RequestError && error.isNoResponders())
  )
}
