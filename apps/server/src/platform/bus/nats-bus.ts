import { AppError } from '@muster/contract/errors'
import { connect, errors, type Msg, type NatsConnection } from '@nats-io/transport-node'
import type { Log } from '../log/log.ts'
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

/** Answerers of one subject form a group. NATS picks one of them. */
const ANSWER_GROUP = 'answer'
const RECONNECT_WAIT_MS = 500
/** Longest wait for an unreachable NATS in steps that can proceed without it. */
const PATIENCE_MS = 1000

type BusLog = Pick<Log, 'error' | 'warn' | 'info'>

/** Connects to NATS and keeps reconnecting while the server runs. Throws if NATS is unreachable at the start. */
export async function connectNatsBus(url: string, log: BusLog): Promise<Bus> {
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
    return new NatsBus(connection, log)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new AppError('unavailable', `The message bus at ${host} cannot be reached: ${reason}`, { cause })
  }
}

class NatsBus implements Bus {
  #connection: NatsConnection
  #log: BusLog
  #reconnectListeners: (() => void)[] = []

  constructor(connection: NatsConnection, log: BusLog) {
    this.#connection = connection
    this.#log = log
    void this.#watch()
  }

  publish(subject: string, message: unknown): void {
    checkSubject(subject)
    const text = this.#encode(subject, message)
    // Closing: there are no subscribers left.
    if (this.#connection.isClosed() || this.#connection.isDraining()) return
    this.#connection.publish(subject, text)
  }

  async subscribe(subject: string, handler: (message: unknown) => void | Promise<void>) {
    checkSubject(subject)
    const deliver = async (error: Error | null, message: Msg) => {
      try {
        if (error !== null) throw error
        await handler(decodeMessage(message.string()))
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
    this.#connection.publish(subject, bytes)
  }

  async subscribeBytes(subject: string, handler: (bytes: Uint8Array) => void) {
    checkSubject(subject)
    const subscription = this.#connection.subscribe(subject, {
      callback: (error, message) => {
        if (error === null) handler(message.data)
        else this.#log.error({ err: error, subject }, 'a bus subscriber failed')
      },
    })
    await this.#untilKnown()
    return async () => subscription.unsubscribe()
  }

  async answer(subject: string, handler: (message: unknown) => unknown) {
    checkSubject(subject)
    let left = false
    const reply = async (error: Error | null, message: Msg) => {
      try {
        if (error !== null) throw error
        const text = left ? replyGone(subject) : await replyTo(subject, message.string(), handler)
        if (!this.#connection.isClosed()) message.respond(text)
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
    const text = this.#encode(subject, message)
    const reply = await this.#connection
      .request(subject, text, { timeout: timeoutMs })
      .catch((cause: unknown) => {
        if (cause instanceof errors.TimeoutError) throw new RequestTimeoutError(subject, timeoutMs, { cause })
        if (isNoResponder(cause)) throw new NoResponderError(subject, { cause })
        throw cause
      })
    return readReply(subject, reply.string())
  }

  onReconnect(listener: () => void): void {
    this.#reconnectListeners.push(listener)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#connection.isClosed()) return
    // Sends messages that were already handed over.
    await settleOrPass(this.#connection.drain())
    await this.#connection.close()
  }

  #encode(subject: string, message: unknown): string {
    const limit = Math.min(this.#connection.info?.max_payload ?? MAX_MESSAGE_BYTES, MAX_MESSAGE_BYTES)
    return encodeMessage(subject, message, limit)
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
