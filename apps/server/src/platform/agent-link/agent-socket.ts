import { randomBytes } from 'node:crypto'
import { AgentFrame, type LiveFrame } from '@muster/contract/agent/agent-frame'
import {
  AGENT_BEAT_MS,
  DEAD_AFTER_MS,
  HEARTBEAT_MS,
  linkProof,
  MAX_FRAME_BYTES,
  MAX_SIGN_IN_BYTES,
  MAX_UNREADABLE_FRAMES,
  PROTOCOL_VERSIONS,
  type Report,
  SERVER_BEAT_MS,
  type ServerFrame,
} from '@muster/contract/agent/link'
import type { RawData, WebSocket } from 'ws'
import { storable } from '../database/sql.ts'
import type { LimitedLog } from '../log/limited-log.ts'
import type { Log } from '../log/log.ts'
import { verifyProof } from './keys.ts'
import { LinkChannels } from './link-channels.ts'

export type AnswerFrame = Extract<AgentFrame, { type: 'answer' }>

/** The stored row of an agent that signs in. */
export interface KnownAgent {
  /** base64url. */
  public_key: string
  /** JSON of the contract's Hardware. */
  hardware: string | null
}

export interface SocketOwner {
  log: Log
  /** For messages that an agent can cause without limit. */
  limitedLog: LimitedLog
  serverVersion: string
  /** Seconds between metrics samples of a machine. */
  metricsInterval: number
  now: () => Date
  /** Returns undefined for an unknown agent. */
  findAgent(agentId: string): Promise<KnownAgent | undefined>
  /** Why an agent that holds the key may not connect, as a message. */
  findRefusal(
    socket: AgentSocket,
    known: KnownAgent,
    answer: AnswerFrame,
  ): Promise<{ code: string; message: string } | undefined>
  /** Resolves when the agent may sign in. */
  turn(): Promise<void>
  /** Charges a received frame. Returns the milliseconds to pause reading. */
  spend(agentId: string, bytes: number): number
  onUp(socket: AgentSocket, answer: AnswerFrame): void
  onDown(socket: AgentSocket): void
  /** Every report that was waiting at sign-in is stored and acknowledged. */
  onCaughtUp(socket: AgentSocket): void
  /** Live data that is not stored. */
  onLive(socket: AgentSocket, frame: LiveFrame): void
  /** `bytes`: size on the wire. */
  onReport(socket: AgentSocket, sent: { seq: number; report: Report; bytes: number }): void
}

const SIGN_IN_MS = 10_000
const ANOTHER_KEY =
  "This agent's key is no longer valid: its machine was enrolled again with another key, or its key file was replaced. To connect this agent, enrol it again."
/** Above this the agent is not reading. The link is closed; a new one starts empty. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024
/** Above this the agent is not reading error frames. */
const MAX_UNREAD_BYTES = 64 * 1024

/** Why reading from a socket is paused: the agent's budget, its own unstored reports, or the reports of all agents. */
export type HoldReason = 'budget' | 'own reports' | 'all reports'

/**
 * One agent's WebSocket: challenge, answer, then frames in both directions. Before sign-in only one frame is accepted,
 * a text frame with a valid signature; nothing else is parsed. After sign-in every frame is parsed by the contract. An
 * unreadable frame is answered with an `error` frame, and too many of them end the link.
 */
export class AgentSocket {
  readonly agentId: string
  readonly source: string
  readonly channels = new LinkChannels((bytes) => this.#writeBytes(bytes))
  #receivedMs = Date.now()
  #saidMs = 0
  #sayEveryMs = HEARTBEAT_MS
  #owner: SocketOwner
  #ws: WebSocket
  #nonce = randomBytes(32).toString('base64url')
  #state: 'signing-in' | 'up' | 'closed' = 'signing-in'
  #signInTimer: NodeJS.Timeout
  /** Sequence number of the last report that was waiting at sign-in. 0 = all are stored. */
  #owed = 0
  #unreadable = 0
  #holds = new Set<HoldReason>()
  #budgetTimer: NodeJS.Timeout | undefined

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
    ws.on('ping', (payload) => this.#spend(payload.length))
    ws.on('pong', (payload) => {
      this.#receivedMs = Date.now()
      this.#spend(payload.length)
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

  /** Returns false if the link is down or its buffer is full. */
  send(frame: ServerFrame): boolean {
    if (this.#state !== 'up') return false
    if (this.#ws.bufferedAmount > MAX_BUFFERED_BYTES) {
      this.terminate()
      return false
    }
    this.#write(frame)
    return true
  }

  /** Acknowledges reports up to and including this number. */
  acknowledge(seq: number): void {
    this.send({ type: 'ack', seq })
    if (this.#owed === 0 || seq < this.#owed) return
    this.#owed = 0
    this.#owner.onCaughtUp(this)
  }

  /** Stops reading until `release`. Unread data stays in the agent's operating system and is not lost. */
  hold(reason: HoldReason): void {
    if (this.#holds.size === 0) this.#ws.pause()
    this.#holds.add(reason)
  }

  release(reason: HoldReason): void {
    if (!this.#holds.delete(reason) || this.#holds.size > 0) return
    // The agent may have been sending while its socket was not read.
    this.#receivedMs = Date.now()
    this.#ws.resume()
  }

  isSilent(nowMs: number): boolean {
    return this.#holds.size === 0 && nowMs - this.#receivedMs > DEAD_AFTER_MS
  }

  /** Pings an agent that has been silent for a while. */
  beat(nowMs: number): void {
    if (nowMs - this.#saidMs < this.#sayEveryMs) return
    this.#saidMs = nowMs
    this.#ws.ping()
  }

  refuse(code: string, message: string): void {
    this.#write({ type: 'refused', code, message })
    this.#ws.close(4403, code)
    // Do not read more from an unknown peer.
    if (this.#state === 'signing-in') this.#ws.pause()
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
    if (this.#ws.bufferedAmount > MAX_BUFFERED_BYTES) return this.terminate()
    this.#saidMs = Date.now()
    this.#ws.send(bytes)
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#receivedMs = Date.now()
    if (!Buffer.isBuffer(data)) return
    if (this.#state === 'signing-in') return void this.#signIn(data, isBinary)
    if (this.#state !== 'up') return
    // Channels have their own credit.
    if (isBinary && this.channels.take(data)) return
    this.#spend(data.length)
    if (isBinary) return
    if (data.length > MAX_FRAME_BYTES)
      return this.#refuseFrame('too_large', `Frames are limited to ${MAX_FRAME_BYTES} bytes.`)
    const frame = readFrame(data)
    if (typeof frame === 'string')
      return this.#refuseFrame(frame === 'unknown type' ? 'unknown_type' : 'unreadable', frame)
    if (frame.type === 'report') {
      this.#owner.onReport(this, { seq: frame.seq, report: frame.report, bytes: data.length })
    } else if (frame.type === 'error') {
      this.#owner.limitedLog.write(
        this.agentId,
        { agent_id: this.agentId, code: frame.code, problem: frame.message },
        'agent refused a frame',
      )
    } else if (frame.type !== 'answer') {
      this.#owner.onLive(this, frame)
    }
  }

  #spend(bytes: number): void {
    if (this.#state !== 'up') return
    const waitMs = this.#owner.spend(this.agentId, bytes)
    if (waitMs === 0) return
    this.hold('budget')
    clearTimeout(this.#budgetTimer)
    this.#budgetTimer = setTimeout(() => this.release('budget'), waitMs)
  }

  /** Reports a bad frame to the agent, unless the agent does not read. */
  #refuseFrame(code: 'too_large' | 'unknown_type' | 'unreadable', problem: string): void {
    const about = { agent_id: this.agentId, problem }
    this.#owner.limitedLog.write(this.agentId, about, 'agent sent an unreadable frame')
    this.#unreadable += 1
    if (this.#unreadable >= MAX_UNREADABLE_FRAMES) {
      this.#owner.limitedLog.write(this.agentId, about, 'agent sent too many unreadable frames')
      this.terminate()
    } else if (this.#ws.bufferedAmount <= MAX_UNREAD_BYTES) {
      this.#write({ type: 'error', code, message: problem })
    }
  }

  /** Handles the first frame. The signature is verified before anything is parsed. */
  async #signIn(data: Buffer, isBinary: boolean): Promise<void> {
    const nonce = this.#nonce
    if (nonce === '') return this.terminate()
    this.#nonce = ''
    const signature = isBinary || data.length > MAX_SIGN_IN_BYTES ? undefined : findSignature(data)
    if (signature === undefined)
      return this.#refuseStranger('unreadable', 'The first frame must be a signed answer to the challenge.')
    // The agent has answered in time. From here on it waits for the server.
    clearTimeout(this.#signInTimer)
    await this.#owner.turn()
    if (this.#state !== 'signing-in') return
    try {
      const known = await this.#owner.findAgent(this.agentId)
      if (known === undefined)
        return this.#refuseStranger(
          'unknown_agent',
          'This server does not know this machine. Enrol it again.',
        )
      if (!(await verifyProof(known.public_key, linkProof(this.agentId, nonce), signature)))
        return this.#refuseStranger('bad_signature', ANOTHER_KEY)
      const answer = readFrame(data)
      if (typeof answer === 'string' || answer.type !== 'answer' || answer.signature !== signature)
        return this.#refuseStranger('unreadable', 'The answer to the challenge could not be read.')
      const refusal = await this.#owner.findRefusal(this, known, answer)
      if (refusal === undefined) return this.#goUp(answer)
      const { agentId: agent_id, source } = this
      this.#owner.limitedLog.write(source, { agent_id, code: refusal.code }, 'agent turned away')
      this.refuse(refusal.code, refusal.message)
    } catch (error) {
      this.#owner.log.error({ agent_id: this.agentId, err: error }, 'agent sign-in failed')
      this.#ws.close(1011, 'server error')
    }
  }

  #refuseStranger(code: string, message: string): void {
    const { agentId: agent_id, source } = this
    this.#owner.limitedLog.write(source, { agent_id, code }, 'agent failed its challenge')
    this.refuse(code, message)
  }

  #goUp(answer: AnswerFrame): void {
    const protocol = PROTOCOL_VERSIONS.findLast((version) => answer.protocols.includes(version))
    if (protocol === undefined)
      return this.refuse('protocol', 'The agent and the server share no protocol version. Update the agent.')
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
    clearTimeout(this.#budgetTimer)
    const wasUp = this.#state === 'up'
    this.#state = 'closed'
    this.channels.linkLost()
    if (wasUp) this.#owner.onDown(this)
  }
}

/** @returns The frame, or a description of the problem. */
function readFrame(data: Buffer): AgentFrame | string {
  let value: unknown
  try {
    const text = data.toString('utf8')
    // Where the escape of a NUL is part of a text, such as source code, its value has none and stays as it is.
    value = text.includes(String.raw`\u0000`)
      ? JSON.parse(text, (_, part: unknown) => storable(part))
      : JSON.parse(text)
  } catch {
    return 'not JSON'
  }
  const parsed = AgentFrame.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  if (issue?.code === 'invalid_union' && issue.path.join('.') === 'type') return 'unknown type'
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`.slice(0, 300)
}

/** @returns The possible `signature` of a text that may be JSON, or undefined. */
function findSignature(data: Buffer): string | undefined {
  const start = data.indexOf('"signature"')
  if (start < 0) return undefined
  const found = SIGNATURE.exec(data.toString('latin1', start, start + MAX_SIGNATURE_LENGTH))
  return found?.[1]
}

const SIGNATURE = /^"signature"\s*:\s*"([\w-]{86})"/
const MAX_SIGNATURE_LENGTH = 200
