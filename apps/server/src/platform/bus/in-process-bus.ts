import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../log/log.ts'
import {
  checkSubject,
  decodeMessage,
  encodeMessage,
  NoResponderError,
  readReply,
  replyTo,
  RequestTimeoutError,
  type Bus,
  type Unsubscribe,
} from './bus.ts'

type Subscriber = { handler: (message: unknown) => void | Promise<void> }
type ByteSubscriber = { handler: (bytes: Uint8Array) => void }
type Answerer = { handler: (message: unknown) => unknown }

/** The bus of a single server. Messages still pass through JSON, so that both implementations behave alike. */
export class InProcessBus implements Bus {
  #log: Pick<Log, 'error'>
  #subscribers = new Map<string, Set<Subscriber>>()
  #byteSubscribers = new Map<string, Set<ByteSubscriber>>()
  #answerers = new Map<string, Set<Answerer>>()
  #closed = false

  constructor(log: Pick<Log, 'error'>) {
    this.#log = log
  }

  publish(subject: string, message: unknown): void {
    checkSubject(subject)
    const subscribers = this.#subscribers.get(subject)
    const text = encodeMessage(subject, message)
    for (const subscriber of subscribers ?? []) {
      queueMicrotask(() => {
        // It may have unsubscribed in the meantime.
        if (subscribers?.has(subscriber)) void this.#deliver(subject, subscriber, text)
      })
    }
  }

  async subscribe(subject: string, handler: Subscriber['handler']) {
    this.#check(subject)
    return addTo(this.#subscribers, subject, { handler })
  }

  publishBytes(subject: string, bytes: Uint8Array): void {
    checkSubject(subject)
    const subscribers = this.#byteSubscribers.get(subject)
    for (const subscriber of subscribers ?? []) {
      queueMicrotask(() => {
        if (subscribers?.has(subscriber)) subscriber.handler(bytes)
      })
    }
  }

  async subscribeBytes(subject: string, handler: ByteSubscriber['handler']) {
    this.#check(subject)
    return addTo(this.#byteSubscribers, subject, { handler })
  }

  async answer(subject: string, handler: Answerer['handler']) {
    this.#check(subject)
    return addTo(this.#answerers, subject, { handler })
  }

  async request(subject: string, message: unknown, { timeoutMs }: { timeoutMs: number }): Promise<unknown> {
    this.#check(subject)
    const text = encodeMessage(subject, message)
    const [answerer] = this.#answerers.get(subject) ?? []
    if (answerer === undefined) throw new NoResponderError(subject)
    const settled = new AbortController()
    const timeout = wait(timeoutMs, undefined, { signal: settled.signal }).then(() => {
      throw new RequestTimeoutError(subject, timeoutMs)
    })
    try {
      return readReply(subject, await Promise.race([replyTo(subject, text, answerer.handler), timeout]))
    } finally {
      settled.abort()
      // The cancelled timer must not count as an unhandled error.
      timeout.catch(() => undefined)
    }
  }

  onReconnect(): void {
    // A process cannot lose its connection to itself.
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    // Cleared one by one, because messages in flight hold the inner sets.
    for (const subscribers of this.#subscribers.values()) subscribers.clear()
    this.#subscribers.clear()
    for (const subscribers of this.#byteSubscribers.values()) subscribers.clear()
    this.#byteSubscribers.clear()
    this.#answerers.clear()
  }

  async #deliver(subject: string, { handler }: Subscriber, text: string): Promise<void> {
    try {
      await handler(decodeMessage(text))
    } catch (error) {
      this.#log.error({ err: error, subject }, 'a bus subscriber failed')
    }
  }

  #check(subject: string): void {
    checkSubject(subject)
    if (this.#closed) throw new Error('the bus is closed')
  }
}

function addTo<Member>(groups: Map<string, Set<Member>>, subject: string, member: Member): Unsubscribe {
  const group = groups.get(subject) ?? new Set()
  groups.set(subject, group.add(member))
  return async () => {
    group.delete(member)
    if (group.size === 0 && groups.get(subject) === group) groups.delete(subject)
  }
}
