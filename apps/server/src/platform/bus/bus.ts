import { AppError, ERROR_STATUS, type ErrorCode } from '@muster/contract/errors'

/**
 * Messages between server processes. Subjects are words joined by dots (`agent.abc`, `events`); messages are JSON
 * values. Nothing is stored: a process that is away misses what is published meanwhile, see `onReconnect`.
 */
export interface Bus extends AsyncDisposable {
  /** Sends to every subscriber in every process, including this one. Returns at once. */
  publish(subject: string, message: unknown): void
  /** Resolves when messages arrive. Messages of one sender arrive in order. */
  subscribe(subject: string, handler: (message: unknown) => void | Promise<void>): Promise<Unsubscribe>
  /** Publishes raw bytes, for streams. The caller must not change them afterwards. */
  publishBytes(subject: string, bytes: Uint8Array): void
  subscribeBytes(subject: string, handler: (bytes: Uint8Array) => void): Promise<Unsubscribe>
  /**
   * Sends a request to the process that answers the subject. Throws NoResponderError at once if there is none,
   * RequestTimeoutError if it takes too long, and the AppError that the answerer threw.
   */
  request(subject: string, message: unknown, options: { timeoutMs: number }): Promise<unknown>
  /** Resolves when requests arrive. If a subject has several answerers, any one of them gets the request. */
  answer(subject: string, handler: (message: unknown) => unknown): Promise<Unsubscribe>
  /** Called after a lost bus is back. Messages in between are lost, so read the state again. */
  onReconnect(listener: () => void): void
}

/** No message reaches the handler after the call. Resolves when every process knows. */
export type Unsubscribe = () => Promise<void>

/** No process answers the subject: the agent is not connected. */
export class NoResponderError extends Error {
  override name = 'NoResponderError'
  constructor(subject: string, options?: ErrorOptions) {
    super(`no answerer for ${subject}`, options)
  }
}

/** No answer in time. It is unknown whether the process acted. */
export class RequestTimeoutError extends Error {
  override name = 'RequestTimeoutError'
  constructor(subject: string, timeoutMs: number, options?: ErrorOptions) {
    super(`no answer from ${subject} within ${timeoutMs} ms`, options)
  }
}

/** The default limit of NATS. It applies in process too, so that the default deployment shows the error. */
export const MAX_MESSAGE_BYTES = 1_048_576

/** Refuses subjects that only one of the two implementations accepts: wildcards, spaces, empty words. */
export function checkSubject(subject: string): void {
  if (!/^[\w-]+(?:\.[\w-]+)*$/.test(subject)) throw new Error(`invalid bus subject: ${subject}`)
}

/** Encodes a message. The value is wrapped, because JSON cannot represent undefined. */
export function encodeMessage(subject: string, value: unknown, maxBytes = MAX_MESSAGE_BYTES): string {
  const text = JSON.stringify({ value })
  if (Buffer.byteLength(text) > maxBytes) {
    throw new AppError('too_large', `A message to ${subject} is larger than ${maxBytes} bytes`)
  }
  return text
}

export function decodeMessage(text: string): unknown {
  // `as`: written by encodeMessage of a server process. Neither agents nor browsers reach the bus.
  return (JSON.parse(text) as { value?: unknown }).value
}

type Reply = { value: unknown } | { error: { code: ErrorCode | undefined; message: string } } | { gone: true }

/** The reply to a request that reaches an answerer that is just leaving. */
export function replyGone(subject: string): string {
  return encodeMessage(subject, { gone: true } satisfies Reply)
}

/** Runs a handler and encodes its result or error as the reply. */
export async function replyTo(
  subject: string,
  text: string,
  handler: (message: unknown) => unknown,
  maxBytes?: number,
): Promise<string> {
  try {
    return encodeMessage(subject, { value: await handler(decodeMessage(text)) } satisfies Reply, maxBytes)
  } catch (error) {
    const code = error instanceof AppError ? error.code : undefined
    const message = error instanceof Error ? error.message : String(error)
    return encodeMessage(subject, { error: { code, message: message.slice(0, 10_000) } } satisfies Reply)
  }
}

/** Returns the result of a reply or throws its error. An AppError keeps its code. */
export function readReply(subject: string, text: string): unknown {
  // `as`: written by replyTo.
  const reply = decodeMessage(text) as Reply
  if ('gone' in reply) throw new NoResponderError(subject)
  if (!('error' in reply)) return reply.value
  const { code, message } = reply.error
  if (code !== undefined && Object.hasOwn(ERROR_STATUS, code)) throw new AppError(code, message)
  throw new Error(`${subject} failed: ${message}`)
}
