import { randomBytes } from 'node:crypto'
import { AgentFrame, type LiveFrame } from '@muster/contract/agent/agent-frame'
import {
  AGENT_BEAT_MS,
  DEAD_AFTER_MS,
  HEARTBEAT_MS,
  linkProof,
  MAX_FRAME_BYTES,
  PROTOCOL_VERSIONS,
  type Report,
  SERVER_BEAT_MS,
  type ServerFrame,
} from '@muster/contract/agent/link'
import type { RawData, WebSocket } from 'ws'
import type { Log } from '../log/log.ts'
import { verifyProof } from './keys.ts'
import { LinkChannels } from './link-channels.ts'

export type AnswerFrame = Extract<AgentFrame, { type: 'answer' }>

export interface SocketOwner {
  log: Log
  serverVersion: string
  /** Seconds: so often machines measure themselves. */
  metricsInterval: number
  now: () => Date
  /** base64url public key of an agent; undefined = this server knows no such machine. */
  findKey(agentId: string): Promise<string | undefined>
  onUp(socket: AgentSocket, answer: AnswerFrame): void
  onDown(socket: AgentSocket): void
  /** Every report that waited when it signed in is stored and acknowledged. */
  onCaughtUp(socket: AgentSocket): void
  /** What is of use at this moment only. */
  onLive(socket: AgentSocket, frame: LiveFrame): void
  /** `bytes`: how long it was on the wire. */
  onReport(socket: AgentSocket, sent: { seq: number; report: Report; bytes: number }): void
}

const SIGN_IN_MS = 10_000
/** Above this the machine does not read what it is sent; a new link starts afresh. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024

/**
 * One agent's WebSocket: challenge, answer, then frames both ways. Everything it says is parsed by the contract;
 * a frame that cannot be is answered with an `error` frame and the link stays.
 */
export class AgentSocket {
  readonly agentId: string
  readonly source: string
  readonly channels = new LinkChannels((bytes) => this.#writeBytes(bytes))
  #heardMs = Date.now()
  #saidMs = 0
  #sayEveryMs = HEARTBEAT_MS
  #owner: SocketOwner
  #ws: WebSocket
  #nonce = randomBytes(32).toString('base64url')
  #state: 'signing-in' | 'up' | 'closed' = 'signing-in'
  #signInTimer: NodeJS.Timeout
  /** The last of the reports that waited when it signed in; 0 = all of them are stored. */
  #owed = 0

  constructor(owner: SocketOwner, ws: WebSocket, agentId: string, source: string) {
    this.#owner = owner
    this.#ws = ws
    this.agentId = agentId
    this.source = source
    this.#signInTimer = setTimeout(
      () => this.refuse('sign_in_timeout', 'The sign-in took too long.'),
      SIGN_IN_MS,
    )
    ws.on('message', (data, isBinary) => this.#receive(data, isBinary))
    ws.on('pong', () => {
      this.#heardMs = Date.now()
    })
    ws.on('error', (error) => owner.log.debug({ agent_id: agentId, err: error }, 'agent socket error'))
    ws.on('close', () => this.#closed())
    this.#write({
      type: 'challenge',
      nonce: this.#nonce,
      server_time: owner.now().toISOString(),
      protocols: [...PROTOCOL_VERSIONS],
    })
  }

  /** Sends a frame; false = the link is down or does not drain. */
  send(frame: ServerFrame): boolean {
    if (this.#state !== 'up') return false
    if (this.#ws.bufferedAmount > MAX_BUFFERED_BYTES) {
      this.terminate()
      return false
    }
    this.#write(frame)
    return true
  }

  /** Reports up to and including this number are stored. */
  acknowledge(seq: number): void {
    this.send({ type: 'ack', seq })
    if (this.#owed === 0 || seq < this.#owed) return
    this.#owed = 0
    this.#owner.onCaughtUp(this)
  }

  isSilent(nowMs: number): boolean {
    return nowMs - this.#heardMs > DEAD_AFTER_MS
  }

  /** Shows the machine that this server lives, when it has said nothing for a while; it answers. */
  beat(nowMs: number): void {
    if (nowMs - this.#saidMs < this.#sayEveryMs) return
    this.#saidMs = nowMs
    this.#ws.ping()
  }

  refuse(code: string, message: string): void {
    this.#write({ type: 'refused', code, message })
    this.#ws.close(4403, code)
    setTimeout(() => this.terminate(), 1000).unref()
  }

  close(): void {
    this.#ws.close(1001, 'server stopping')
  }

  terminate(): void {
    this.#ws.terminate()
  }

  #write(frame: ServerFrame): void {
    if (this.#ws.readyState !== this.#ws.OPEN) return
    this.#saidMs = Date.now()
    this.#ws.send(JSON.stringify(frame))
  }

  #writeBytes(bytes: Uint8Array): void {
    if (this.#state !== 'up' || this.#ws.readyState !== this.#ws.OPEN) return
    this.#saidMs = Date.now()
    this.#ws.send(bytes)
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#heardMs = Date.now()
    if (!Buffer.isBuffer(data)) return
    if (isBinary) return this.#state === 'up' ? this.channels.take(data) : undefined
    if (data.length > MAX_FRAME_BYTES) {
      return this.#write({
        type: 'error',
        code: 'too_large',
        message: `A frame has at most ${MAX_FRAME_BYTES} bytes.`,
      })
    }
    const frame = readFrame(data)
    if (typeof frame === 'string') {
      this.#owner.log.info({ agent_id: this.agentId, problem: frame }, 'agent sent an unreadable frame')
      const code = frame === 'unknown type' ? 'unknown_type' : 'unreadable'
      return this.#write({ type: 'error', code, message: frame })
    }
    if (this.#state === 'signing-in') {
      if (frame.type === 'answer') void this.#checkAnswer(frame)
    } else if (this.#state === 'up' && frame.type === 'report') {
      this.#owner.onReport(this, { seq: frame.seq, report: frame.report, bytes: data.length })
    } else if (frame.type === 'error') {
      this.#owner.log.info(
        { agent_id: this.agentId, code: frame.code, problem: frame.message },
        'agent refused a frame',
      )
    } else if (this.#state === 'up' && frame.type !== 'report' && frame.type !== 'answer') {
      this.#owner.onLive(this, frame)
    }
  }

  async #checkAnswer(answer: AnswerFrame): Promise<void> {
    const nonce = this.#nonce
    // An answer is looked at once: a second one on the same socket finds no nonce.
    this.#nonce = ''
    try {
      const key = await this.#owner.findKey(this.agentId)
      if (key === undefined)
        return this.refuse('unknown_agent', 'This server does not know this machine. Enrol it again.')
      if (nonce === '' || !verifyProof(key, linkProof(this.agentId, nonce), answer.signature)) {
        this.#owner.log.info({ agent_id: this.agentId, source: this.source }, 'agent failed its challenge')
        return this.refuse('bad_signature', 'The answer to the challenge is wrong.')
      }
    } catch (error) {
      this.#owner.log.error({ agent_id: this.agentId, err: error }, 'agent sign-in failed')
      return this.#ws.close(1011, 'server error')
    }
    const protocol = PROTOCOL_VERSIONS.findLast((version) => answer.protocols.includes(version))
    if (protocol === undefined)
      return this.refuse('protocol', 'No protocol version in common. Update the agent.')
    if (this.#state !== 'signing-in') return
    clearTimeout(this.#signInTimer)
    this.#state = 'up'
    this.#owed = answer.last_report ?? 0
    const beats = answer.beats === true
    if (beats) this.#sayEveryMs = SERVER_BEAT_MS
    this.#write({
      type: 'welcome',
      protocol,
      server_version: this.#owner.serverVersion,
      metrics_interval: this.#owner.metricsInterval,
      ...(beats ? { beat_ms: AGENT_BEAT_MS } : {}),
    })
    this.#owner.onUp(this, answer)
  }

  #closed(): void {
    clearTimeout(this.#signInTimer)
    const wasUp = this.#state === 'up'
    this.#state = 'closed'
    this.channels.linkLost()
    if (wasUp) this.#owner.onDown(this)
  }
}

/** The frame, or what is wrong with it. */
function readFrame(data: Buffer): AgentFrame | string {
  let value: unknown
  try {
    // PostgreSQL stores no NUL character in text.
    value = JSON.parse(data.toString('utf8').replaceAll(String.raw`\u0000`, String.raw`\ufffd`))
  } catch {
    return 'not JSON'
  }
  const parsed = AgentFrame.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  if (issue?.code === 'invalid_union' && issue.path.join('.') === 'type') return 'unknown type'
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`.slice(0, 300)
}
