import {
  CHANNEL_KIND,
  type ChannelEnd,
  decodeChannelFrame,
  encodeChannelEnd,
  encodeChannelFrame,
  encodeCredit,
  readChannelEnd,
  readChannelText,
  readCredit,
} from '@muster/contract/agent/channel'
import { CreditDebt, SendWindow } from '@muster/contract/agent/channel-flow'
import type { WebTermRequest } from '@muster/contract/api/webterm'
import { BLOCKED_FROM, NO_CLOSE_CODE, RETRY_BLOCKED_MS } from '../../app/live/live-socket.ts'
import { ChannelAccepted, channelPath, type LogRequest, type ToolRequest } from '@muster/contract/channels'

/** The reason for opening the tools of this window: given once, it counts for later tools. */
let given: string | undefined
const listeners = new Set<() => void>()

const readReason = (): string | undefined => given

export function giveReason(reason: string): void {
  given = reason
  for (const listener of listeners) listener()
}

/** Called as soon as a reason was given, in any terminal of this window. */
export function onReason(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

interface Waiting {
  onTurn: () => void
  onDismissed: () => void
}
const waiting: Waiting[] = []

/** Several tools may need a reason at once: the first asks, the next one if that is dismissed. */
export function waitForReason(tool: Waiting): () => void {
  waiting.push(tool)
  waiting[0]?.onTurn()
  return () => {
    waiting.splice(waiting.indexOf(tool), 1)
    waiting[0]?.onTurn()
  }
}

/** The question was dismissed: waiting tools do not ask again on their own. */
export function dismissReason(): void {
  for (const tool of waiting.slice()) tool.onDismissed()
}

const RETRY_FIRST_MS = 300
const RETRY_MOST_MS = 5000
const PING_EVERY_MS = 5000
/** A slow connection may buffer a whole channel window before the first response. */
const MAX_UNANSWERED = 4
/** Error codes that are retried automatically. */
const COMES_BACK = new Set<ChannelEnd['code']>(['link_lost', 'agent_offline', 'server_stopping'])

export interface ChannelHandlers {
  fetchTicket: () => Promise<string>
  /** The hello of each connection. */
  request: () => ToolRequest | LogRequest | WebTermRequest
  /** The channel is accepted; the tool's messages follow. */
  onWelcome: (welcome: ChannelAccepted) => void
  /** `consumed` returns credit once the bytes are processed. */
  onData: (bytes: Uint8Array, consumed: () => void) => void
  onText: (message: unknown) => void
  /**
   * The connection broke and will be retried; returning false stops that. `blocked`: the server responds, but a proxy
   * does not pass WebSockets.
   */
  onLost: (why: ChannelEnd | 'blocked' | undefined) => void | false
  /** The channel has ended; true = retry once. */
  onEnd: (end: ChannelEnd) => boolean
}

/** One channel to a tool on a machine, reopened after a break until it ends or is disposed of. */
export class ChannelClient implements Disposable {
  #url: string
  #handlers: ChannelHandlers
  #socket: WebSocket | undefined
  #sending = new SendWindow()
  #debt = new CreditDebt()
  /** Bytes without credit from the machine yet; a message is sent whole. */
  #waiting: { kind: typeof CHANNEL_KIND.data | typeof CHANNEL_KIND.text; payload: Uint8Array }[] = []
  #failures = 0
  /** Sockets in a row that delivered nothing, although the server had issued a ticket for each. */
  #mute = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #pulse: ReturnType<typeof setInterval> | undefined
  /** Pings since the last received message. */
  #unanswered = 0
  #isOver = false

  /** `place`: a machine's id, or the path of another socket with the same protocol. */
  constructor(place: string | { path: string }, handlers: ChannelHandlers) {
    const path = typeof place === 'string' ? channelPath(place) : place.path
    this.#url = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${path}`
    this.#handlers = handlers
    void this.#connect()
  }

  sendData(bytes: Uint8Array): void {
    // A clipboard without text has nothing to paste.
    if (bytes.length === 0) return
    this.#waiting.push({ kind: CHANNEL_KIND.data, payload: bytes })
    this.#push()
  }

  sendText(message: unknown): void {
    const payload = new TextEncoder().encode(JSON.stringify(message))
    this.#waiting.push({ kind: CHANNEL_KIND.text, payload })
    this.#push()
  }

  /** Ends the tool on the machine as well. */
  close(): void {
    this.#send(encodeChannelEnd(0, { code: 'closed', message: 'Closed in the console.' }))
    this[Symbol.dispose]()
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    clearInterval(this.#pulse)
    this.#socket?.close()
    this.#socket = undefined
  }

  async #connect(): Promise<void> {
    let ticket: string
    try {
      ticket = await this.#handlers.fetchTicket()
    } catch {
      // The call has shown the error already; here it is a failed attempt.
      this.#mute = 0
      return this.#lose(undefined)
    }
    if (this.#isOver) return
    const socket = new WebSocket(this.#url)
    socket.binaryType = 'arraybuffer'
    this.#socket = socket
    this.#mute += 1
    this.#sending = new SendWindow()
    this.#debt = new CreditDebt()
    this.#waiting = []
    let end: ChannelEnd | undefined
    socket.addEventListener('open', () => {
      // Undefined values are left out.
      socket.send(
        JSON.stringify({ type: 'hello', ticket, purpose: readReason(), request: this.#handlers.request() }),
      )
      this.#push()
    })
    this.#watch(socket)
    socket.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (this.#socket !== socket) return
      this.#unanswered = 0
      this.#mute = 0
      if (data instanceof ArrayBuffer) end = this.#receive(new Uint8Array(data)) ?? end
      else if (typeof data === 'string') this.#greet(data)
    })
    socket.addEventListener('close', ({ code }) => {
      if (this.#socket !== socket) return
      if (code !== NO_CLOSE_CODE) this.#mute = 0
      this.#socket = undefined
      clearInterval(this.#pulse)
      if (end === undefined || COMES_BACK.has(end.code)) return this.#lose(end)
      if (this.#handlers.onEnd(end)) void this.#connect()
    })
  }

  /** Detects a silently broken connection: the network reports it to neither side. */
  #watch(socket: WebSocket): void {
    clearInterval(this.#pulse)
    this.#unanswered = 0
    this.#pulse = setInterval(() => {
      if (this.#socket !== socket) return
      if (this.#unanswered >= MAX_UNANSWERED) {
        this.#socket = undefined
        socket.close()
        return this.#lose(undefined)
      }
      this.#unanswered += 1
      if (socket.readyState === WebSocket.OPEN) socket.send('ping')
    }, PING_EVERY_MS)
  }

  #greet(text: string): void {
    const welcome = ChannelAccepted.safeParse(readChannelText(new TextEncoder().encode(text)))
    if (welcome.success) this.#handlers.onWelcome(welcome.data)
  }

  #receive(bytes: Uint8Array): ChannelEnd | undefined {
    const frame = decodeChannelFrame(bytes)
    if ('wrong' in frame) return undefined
    const { kind, payload } = frame
    switch (kind) {
      case CHANNEL_KIND.data:
        this.#handlers.onData(payload, () => this.#consumed(payload.length))
        return undefined
      case CHANNEL_KIND.text:
        this.#failures = 0
        this.#handlers.onText(readChannelText(payload))
        this.#consumed(payload.length)
        return undefined
      case CHANNEL_KIND.credit:
        this.#sending.add(readCredit(payload))
        this.#push()
        return undefined
      case CHANNEL_KIND.end:
        return readChannelEnd(payload)
    }
  }

  #consumed(bytes: number): void {
    const credit = this.#debt.consume(bytes)
    if (credit > 0) this.#send(encodeCredit(0, credit))
  }

  #push(): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const { kind, payload } = first
      const size =
        kind === CHANNEL_KIND.text ? payload.length : Math.min(payload.length, this.#sending.left, 16 * 1024)
      if (size === 0 || !this.#sending.take(size)) return
      this.#send(encodeChannelFrame({ kind, channel: 0, payload: payload.subarray(0, size) }))
      if (size === payload.length) this.#waiting.shift()
      else first.payload = payload.subarray(size)
    }
  }

  #send(frame: Uint8Array<ArrayBuffer>): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(frame)
  }

  #lose(why: ChannelEnd | undefined): void {
    clearInterval(this.#pulse)
    if (this.#isOver) return
    const isBlocked = this.#mute >= BLOCKED_FROM
    // The first socket without a message is tried again before anything is said.
    const isUnclear = this.#mute > 0 && !isBlocked
    if (!isUnclear && this.#handlers.onLost(isBlocked ? 'blocked' : why) === false)
      return this[Symbol.dispose]()
    const most = Math.min(RETRY_MOST_MS, RETRY_FIRST_MS * 2 ** this.#failures)
    this.#failures += 1
    const delayMs = isBlocked ? RETRY_BLOCKED_MS : most / 2 + (most / 2) * Math.random()
    this.#timer = setTimeout(() => void this.#connect(), delayMs)
  }
}
