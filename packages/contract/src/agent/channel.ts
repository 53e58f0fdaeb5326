import { z } from 'zod'

/** Sent to a tool's window before anything else if the user at the machine is asked for consent. */
export const ConsentMessage = z.object({
  type: z.literal('asking'),
  /** Time limit of the response. */
  seconds: z.int(),
})
export type ConsentMessage = z.infer<typeof ConsentMessage>

/**
 * A channel is a bidirectional byte stream between a user's window and a tool on a machine, inside the agent's
 * single link. The signed command `open-channel` opens it. Its frames are binary: one byte for the kind, four for
 * the channel number within the link (big endian), and the payload. See docs/protocol.md.
 */
export const CHANNEL_KIND = {
  /** Bytes of the tool. */
  data: 0,
  /** One message of the tool, JSON. */
  text: 1,
  /** The sender accepts this many more bytes of `data` and `text` (four bytes, big endian). */
  credit: 2,
  /** The end of the channel, JSON of `ChannelEnd`. The last frame. */
  end: 3,
} as const
export type ChannelKind = (typeof CHANNEL_KIND)[keyof typeof CHANNEL_KIND]

export const CHANNEL_HEADER_BYTES = 5
/** Limit for unacknowledged `data` and `text` per channel and direction; more needs credit. */
export const CHANNEL_WINDOW_BYTES = 256 * 1024
/** Maximum payload of a frame. Senders use smaller ones, so that no channel delays another for long. */
export const MAX_CHANNEL_PAYLOAD_BYTES = 64 * 1024
export const CHANNEL_CHUNK_BYTES = 32 * 1024
/** Concurrent channels per agent. */
export const MAX_CHANNELS = 32

/** Why a channel has ended. A tool may wait for its user only after `detached` and `link_lost`. */
export const ChannelEndCode = z.enum([
  'ended',
  'closed',
  'detached',
  'link_lost',
  'agent_offline',
  'not_allowed',
  /** A two-factor code is required first. */
  'code_needed',
  /** A reason is required first. */
  'purpose_needed',
  'session_ended',
  'not_found',
  'too_many',
  'refused',
  /** The machine could show its desktop if a VNC server were installed. */
  'no_vnc_server',
  /** The requested shell cannot be started. */
  'no_shell',
  'bad_frame',
  'over_window',
  'server_stopping',
  'failed',
])
export type ChannelEndCode = z.infer<typeof ChannelEndCode>
export const ChannelEnd = z.object({ code: ChannelEndCode, message: z.string().max(500) })
export type ChannelEnd = z.infer<typeof ChannelEnd>

export interface ChannelFrame {
  kind: ChannelKind
  channel: number
  payload: Uint8Array
}

export function encodeChannelFrame({ kind, channel, payload }: ChannelFrame): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(CHANNEL_HEADER_BYTES + payload.length)
  bytes[0] = kind
  new DataView(bytes.buffer).setUint32(1, channel)
  bytes.set(payload, CHANNEL_HEADER_BYTES)
  return bytes
}

/** Parses a frame, or returns what is wrong with it. The payload is a view of the same bytes. */
export function decodeChannelFrame(bytes: Uint8Array): ChannelFrame | { wrong: string; channel?: number } {
  if (bytes.length < CHANNEL_HEADER_BYTES) return { wrong: 'A channel frame has at least 5 bytes.' }
  const kind = bytes[0]
  const channel = new DataView(bytes.buffer, bytes.byteOffset).getUint32(1)
  if (kind === undefined || !isKind(kind))
    return { wrong: 'The kind of a channel frame is unknown.', channel }
  const payload = bytes.subarray(CHANNEL_HEADER_BYTES)
  if (payload.length > MAX_CHANNEL_PAYLOAD_BYTES) {
    return { wrong: `A channel frame carries at most ${MAX_CHANNEL_PAYLOAD_BYTES} bytes.`, channel }
  }
  if (kind === CHANNEL_KIND.credit && payload.length !== 4) return { wrong: 'Credit has 4 bytes.', channel }
  // Empty frames cost no credit, so the window would not limit them.
  const isEmpty = kind === CHANNEL_KIND.credit ? readCredit(payload) === 0 : payload.length === 0
  if (isEmpty && kind !== CHANNEL_KIND.end) return { wrong: 'A channel frame must not be empty.', channel }
  return { kind, channel, payload }
}

export function encodeCredit(channel: number, bytes: number): Uint8Array<ArrayBuffer> {
  const payload = new Uint8Array(4)
  new DataView(payload.buffer).setUint32(0, bytes)
  return encodeChannelFrame({ kind: CHANNEL_KIND.credit, channel, payload })
}

export function readCredit(payload: Uint8Array): number {
  return new DataView(payload.buffer, payload.byteOffset).getUint32(0)
}

export function encodeChannelText(channel: number, message: unknown): Uint8Array<ArrayBuffer> {
  const payload = new TextEncoder().encode(JSON.stringify(message))
  return encodeChannelFrame({ kind: CHANNEL_KIND.text, channel, payload })
}

export function encodeChannelEnd(channel: number, end: ChannelEnd): Uint8Array<ArrayBuffer> {
  const cut = { code: end.code, message: end.message.slice(0, 500) }
  const payload = new TextEncoder().encode(JSON.stringify(cut))
  return encodeChannelFrame({ kind: CHANNEL_KIND.end, channel, payload })
}

/** Parses an end; an invalid one counts as a failure. */
export function readChannelEnd(payload: Uint8Array): ChannelEnd {
  const parsed = ChannelEnd.safeParse(readChannelText(payload))
  return parsed.success
    ? parsed.data
    : { code: 'failed', message: 'The channel was closed without a reason.' }
}

/** Parses JSON; undefined if invalid. */
export function readChannelText(payload: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(payload)) as unknown
  } catch {
    return undefined
  }
}

/** Whether the payload counts against the window. */
export function isCounted(kind: ChannelKind): boolean {
  return kind === CHANNEL_KIND.data || kind === CHANNEL_KIND.text
}

function isKind(value: number): value is ChannelKind {
  return value <= CHANNEL_KIND.end
}
