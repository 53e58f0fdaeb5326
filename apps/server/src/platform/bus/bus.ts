import { AppError, ERROR_STATUS, type ErrorCode } from '@muster/contract/errors'

/**
 * How server processes talk to each other. Subjects are words joined by dots (`agent.abc`, `events`); messages
 * are JSON values. Nothing is kept: what is published while a process is away is lost to it, see `onReconnect`.
 */
export interface Bus extends AsyncDisposable {
  /** Tells every subscriber of the subject in every process, this one included, and returns at once. */
  publish(subject: string, message: unknown): void
  /** Resolves when messages arrive; `handler` is called with them in the order in which each sender sent them. */
  subscribe(subject: string, handler: (message: unknown) => void | Promise<void>): Promise<Unsubscribe>
  /** The same with bytes as they are, for streams. They are not to be changed afterwards. */
  publishBytes(subject: string, bytes: Uint8Array): void
  subscribeBytes(subject: string, handler: (bytes: Uint8Array) => void): Promise<Unsubscribe>
  /**
   * Asks the process that answers the subject. Fails at once with NoResponderError when there is none, with
   * RequestTimeoutError when it takes too long, and with the answerer's AppError when that threw one.
   */
  request(subject: string, message: unknown, options: { timeoutMs: number }): Promise<unknown>
  /** Resolves when requests arrive. Of several answerers of one subject one is asked, no matter which. */
  answer(subject: string, handler: (message: unknown) => unknown): Promise<Unsubscribe>
  /** Calls back after the bus was lost and found again: messages of the time between are gone, read anew. */
  onReconnect(listener: () => void): void
}

/** No message reaches the handler from the call on; resolves when everybody knows. */
export type Unsubscribe = () => Promise<void>

/** Nobody answers the subject: the agent is connected to no process. */
export class NoResponderError extends Error {
  override name = 'NoResponderError'
  constructor(subject: string, options?: ErrorOptions) {
    super(`nobody answers ${subject}`, options)
  }
}

/** The process that answers the subject did not do so in time; whether it acted is unknown. */
export class RequestTimeoutError extends Error {
  override name = 'RequestTimeoutError'
  constructor(subject: string, timeoutMs: number, options?: ErrorOptions) {
    super(`no answer from ${subject} within ${timeoutMs} ms`, options)
  }
}

/** What NATS lets through unless told otherwise; the same limit in process, so that the default deployment shows the fault. */
export const MAX_MESSAGE_BYTES = 1_048_576

/** Refuses what only one of the two implementations would accept: wildcards, spaces, empty words. */
export function checkSubject(subject: string): void {
  if (!/^[\w-]+(?:\.[\w-]+)*$/.test(subject)) throw new Error(`not a subject of the bus: ${subject}`)
}

/** The text that travels. The value is wrapped, since JSON has no text for undefined. */
export function encodeMessage(subject: string, value: unknown, maxBytes = MAX_MESSAGE_BYTES): string {
  const text = JSON.stringify({ value })
  if (Buffer.byteLength(text) > maxBytes) {
    throw new AppError('too_large', `A message to ${subject} is larger than ${maxBytes} bytes`)
  }
  return text
}

export function decodeMessage(text: string): unknown {
  // `as`: written by encodeMessage of a server process; no machine and no browser reaches the bus.
  return (JSON.parse(text) as { value?: unknown }).value
}

type Reply = { value: unknown } | { error: { code: ErrorCode | undefined; message: string } } | { gone: true }

/** The reply to a request that reaches an answerer who is just leaving. */
export function replyGone(subject: string): string {
  return encodeMessage(subject, { gone: true } satisfies Reply)
}

/** Runs an answering handler; what it returns or throws becomes the text of the reply. */
export async function replyTo(
  subject: string,
  text: string,
  handler: (message: unknown) => unknown,
): Promise<string> {
  try {
    return encodeMessage(subject, { value: await handler(decodeMessage(text)) } satisfies Reply)
  } catch (error) {
    const code = error instanceof AppError ? error.code : undefined
    const message = error instanceof Error ? error.message : String(error)
    return encodeMessage(subject, { error: { code, message: message.slice(0, 10_000) } } satisfies Reply)
  }
}

/** The answer in a reply, or its error thrown: an AppError keeps its code on the way. */
export function readReply(subject: string, text: string): unknown {
  // `as`: written by replyTo.
  const reply = decodeMessage(text) as Reply
  if ('gone' in reply) throw new NoResponderError(subject)
  if (!('error' in reply)) return reply.value
  const { code, message } = reply.error
  if (code !== undefined && Object.hasOwn(ERROR_STATUS, code)) throw new AppError(code, message)
  throw new Error(`${subject} failed: ${message}`)
}
