import { type KeyObject, sign } from 'node:crypto'
import { hostname } from 'node:os'
import { type ClientOptions, type RawData, WebSocket } from 'ws'
import type { AgentFrame, LiveFrame } from '@muster/contract/agent/agent-frame'
import type { Hardware } from '@muster/contract/agent/hardware'
import {
  LINK_PATH,
  linkProof,
  MAX_FRAME_BYTES,
  MAX_RETRY_WITHIN_MS,
  MAX_SOCKET_BYTES,
  PROTOCOL_VERSIONS,
  SERVER_DEAD_AFTER_MS,
  ServerFrame,
} from '@muster/contract/agent/link'
import { ERROR_STATUS, PROXY_GUIDE_PATH } from '@muster/contract/errors'
import { z } from 'zod'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { SignedCommand } from '@muster/contract/agent/commands'
import { describeError, type Log } from '../log/log.ts'
import type { Identity } from '../identity/identity.ts'
import type { Outbox } from '../state/outbox.ts'
import { linkAddress, needsMasks, serverAddress } from './address.ts'
import { ReportPump } from './report-pump.ts'
import { connectionTo, isProofObsolete, UntrustedCertificate } from './server-trust.ts'

/** Node's request calls it, with a callback that the types of ws leave out. */
type CreateConnection = NonNullable<ClientOptions['createConnection']>

/** A server that accepts ten thousand returning agents may need a while for each. */
const DIAL_TIMEOUT_MS = 20_000
const SIGN_IN_TIMEOUT_MS = 20_000
/** A link that lasted this long resets the back-off. */
const GOOD_AFTER_MS = 5000
/** Slower retry after the server refused this agent. */
const REFUSED_ATTEMPT = 4
/** The server's answer to a request that reached it without its upgrade. */
const UPGRADE_REMOVED = ERROR_STATUS.upgrade_required
const ERROR_FRAMES_PER_LINK = 100
const REPLY_HEAD_BYTES = 100

/**
 * The connection to the server over the agent's life: connect, sign in, exchange frames, and after any break wait a
 * random time and connect again. One socket exists at a time; callbacks of older ones are ignored.
 */
export class Link implements Disposable {
  #options: LinkOptions
  #socket: WebSocket | undefined
  #pump: ReportPump | undefined
  #phase: 'down' | 'dialing' | 'challenged' | 'up' = 'down'
  #attempt = 0
  #retryWithinMs = 0
  #upSince = 0
  #errorFrames = 0
  #reason = ''
  /** A cause that lasts until someone changes the network or the server. It is logged once. */
  #problem = ''
  /** The server's certificate needs no proof, and the proven one is another. */
  #isProofObsolete = false
  #silence: NodeJS.Timeout | undefined
  #beat: NodeJS.Timeout | undefined
  #redial: NodeJS.Timeout | undefined
  #disposed = false

  constructor(options: LinkOptions) {
    this.#options = options
    options.outbox.onAppend(() => this.#pump?.pushSoon())
  }

  get isUp(): boolean {
    return this.#phase === 'up'
  }

  start(): void {
    if (this.#disposed) return
    const { identity, agentVersion } = this.#options
    this.#phase = 'dialing'
    this.#reason = ''
    this.#errorFrames = 0
    this.#options.onState({ state: 'connecting' })
    const connection = connectionTo(identity, DIAL_TIMEOUT_MS)
    const options: ClientOptions = {
      headers: { 'x-muster-agent': identity.agent_id, 'user-agent': `muster-agent/${agentVersion}` },
      handshakeTimeout: DIAL_TIMEOUT_MS,
      maxPayload: MAX_SOCKET_BYTES,
      // Compression would cost each idle agent a window, and reports are small.
      perMessageDeflate: false,
      ...(needsMasks(identity.server_url) ? {} : { generateMask: (mask: Buffer) => void mask.fill(0) }),
      ...(connection === undefined ? {} : { createConnection: connection as unknown as CreateConnection }),
    }
    const socket = new WebSocket(linkAddress(identity.server_url, LINK_PATH), options)
    this.#socket = socket
    let untrusted: UntrustedCertificate | undefined
    const ifCurrent =
      <Args extends unknown[]>(work: (...args: Args) => void) =>
      (...args: Args) => {
        if (this.#socket === socket) work(...args)
      }
    socket.on(
      'open',
      ifCurrent(() => this.#watchSilence(SIGN_IN_TIMEOUT_MS, 'the sign-in timed out')),
    )
    socket.on(
      'upgrade',
      ifCurrent((response: IncomingMessage) => {
        this.#isProofObsolete = isProofObsolete(response.socket, identity)
      }),
    )
    socket.on(
      'unexpected-response',
      ifCurrent((_request: ClientRequest, { statusCode }: IncomingMessage) => {
        this.#reason =
          statusCode === UPGRADE_REMOVED
            ? this.#describeProxy()
            : `the server or a proxy in front of it answered with status ${statusCode}`
        socket.terminate()
      }),
    )
    socket.on(
      'ping',
      ifCurrent(() => {
        this.#silence?.refresh()
        this.#beat?.refresh()
      }),
    )
    socket.on(
      'message',
      ifCurrent((data: RawData, isBinary: boolean) => this.#receive(data, isBinary)),
    )
    socket.on(
      'error',
      ifCurrent((error: Error) => {
        this.#reason ||= describeError(error)
        if (error instanceof UntrustedCertificate) untrusted = error
      }),
    )
    socket.on(
      'close',
      ifCurrent((code: number, reason: Buffer) =>
        untrusted === undefined ? this.#onClose(code, reason.toString()) : void this.#regainTrust(untrusted),
      ),
    )
  }

  /** Reports an error that belongs to no report. */
  sendError(code: string, message: string): void {
    this.#send({ type: 'error', code, message: message.slice(0, 2000) })
  }

  /** Sends frames that are useful only now: all of them, or none while the connection is busy. */
  sendLive(frames: LiveFrame[]): boolean {
    if (!this.isUp || this.#socket?.bufferedAmount !== 0) return false
    for (const frame of frames) this.#send(frame)
    return true
  }

  /** Sends the reply to a request. Dropped without a link, because the requester is gone too. */
  sendReply(reply: Omit<Extract<LiveFrame, { type: 'reply' }>, 'type'>): void {
    if (!this.isUp) return
    const isTooLong = Buffer.byteLength(JSON.stringify(reply)) > MAX_FRAME_BYTES - REPLY_HEAD_BYTES
    const refused = isTooLong ? 'The reply of the machine is too large.' : reply.refused?.slice(0, 2000)
    this.#send({ type: 'reply', ...reply, refused: refused ?? null, answer: isTooLong ? null : reply.answer })
  }

  /** Sends a frame of a channel. `false` = no link. `onTaken` is called when the system has accepted it. */
  sendBytes(bytes: Uint8Array, onTaken: () => void): boolean {
    if (!this.isUp || this.#socket?.readyState !== WebSocket.OPEN) return false
    this.#socket.send(bytes, onTaken)
    return true
  }

  bufferedBytes(): number {
    return this.#socket?.bufferedAmount ?? 0
  }

  /** Resolves when every report is acknowledged, or after `timeoutMs`. */
  async flush(timeoutMs: number): Promise<void> {
    const deadline = Date.now() + timeoutMs
    while (this.isUp && this.#options.outbox.bytes > 0 && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  /** Closes the connection. The link reconnects on its own. */
  drop(reason: string): void {
    this.#reason ||= reason
    this.#socket?.terminate()
  }

  [Symbol.dispose](): void {
    this.#disposed = true
    clearTimeout(this.#silence)
    clearInterval(this.#beat)
    clearTimeout(this.#redial)
    const socket = this.#socket
    this.#socket = undefined
    this.#pump = undefined
    this.#phase = 'down'
    if (socket === undefined) return
    // A socket that is still connecting reports its end as an error, which is of no interest here.
    socket.on('error', () => {})
    if (socket.readyState === WebSocket.OPEN) socket.close(1001, 'agent stopping')
    else socket.terminate()
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#silence?.refresh()
    if (isBinary) return this.isUp ? this.#options.onBytes(toBuffer(data)) : undefined
    const read = readFrame(toBuffer(data))
    if ('frame' in read) return this.#take(read.frame)
    this.#options.log.warn(
      { code: read.error.code, detail: read.error.message },
      'invalid frame from the server',
    )
    this.#errorFrames += 1
    if (this.#errorFrames <= ERROR_FRAMES_PER_LINK) this.#send(read.error)
    else this.drop('the server sends invalid frames')
  }

  #take(frame: ServerFrame): void {
    switch (frame.type) {
      case 'challenge':
        return this.#answer(frame)
      case 'welcome':
        return this.#goUp(frame)
      case 'settings':
        if (this.isUp) this.#options.onMetricsInterval(frame.metrics_interval)
        return
      case 'stopping':
        this.#retryWithinMs = frame.retry_within_ms
        return
      case 'refused': {
        this.#attempt = Math.max(this.#attempt, REFUSED_ATTEMPT)
        const isCopy = frame.code === 'copied_agent'
        const detail = isCopy ? `${frame.message} ${this.#options.howToEnrol}` : frame.message
        this.#options.log.warn({ code: frame.code, detail }, 'server rejected this agent')
        if (frame.code === 'unknown_agent') this.#options.onUnknownAgent()
        return this.drop(`the server rejected this agent: ${detail}`)
      }
      case 'command':
        if (this.isUp) return this.#options.onCommand(frame.command)
        return this.sendError('too_early', 'Ignored a command that arrived before the sign-in was complete.')
      case 'ack':
        if (this.#pump === undefined) return
        this.#options.outbox.acknowledge(Math.min(frame.seq, this.#pump.sentSeq))
        this.#pump.acknowledge(frame.seq)
        return this.#options.onAcknowledged()
      case 'error':
        return this.#options.log.warn({ code: frame.code, detail: frame.message }, 'server rejected a frame')
    }
  }

  #answer(challenge: Extract<ServerFrame, { type: 'challenge' }>): void {
    // Only one challenge per link is signed: an agent that signs anything on request helps attackers.
    if (this.#phase !== 'dialing') return
    this.#phase = 'challenged'
    const { identity, privateKey, agentVersion, now } = this.#options
    this.#options.onServerTime(Date.parse(challenge.server_time), now())
    if (!challenge.protocols.some((version) => PROTOCOL_VERSIONS.some((known) => known === version))) {
      this.#attempt = Math.max(this.#attempt, REFUSED_ATTEMPT)
      this.#options.log.error(
        { server: challenge.protocols, agent: PROTOCOL_VERSIONS },
        'no common protocol version',
      )
      return this.drop('the server supports no protocol version of this agent')
    }
    const proof = Buffer.from(linkProof(identity.agent_id, challenge.nonce))
    this.#send({
      type: 'answer',
      signature: sign(null, proof, privateKey).toString('base64url'),
      protocols: [...PROTOCOL_VERSIONS],
      agent_version: agentVersion,
      agent_time: new Date(now()).toISOString(),
      active: this.#options.activeRuns().slice(0, 10_000),
      checks_version: this.#options.checksVersion(),
      tasks_version: this.#options.tasksVersion(),
      remote_rules: this.#options.remoteRules(),
      last_report: this.#options.outbox.lastSeq,
      sessions: this.#options.sessions().slice(0, 1000),
      beats: true,
      can_update: this.#options.canUpdate,
      runs_as_user: true,
      pushes_files: true,
      hardware: this.#options.hardware,
      hostname: hostname().slice(0, 255) || undefined,
    })
  }

  #goUp(welcome: Extract<ServerFrame, { type: 'welcome' }>): void {
    const socket = this.#socket
    if (this.#phase !== 'challenged' || socket === undefined) return
    this.#phase = 'up'
    this.#upSince = performance.now()
    this.#retryWithinMs = 0
    this.#watchSilence(SERVER_DEAD_AFTER_MS, 'the server stopped responding')
    // Older servers send pings that need a reply.
    if (welcome.beat_ms !== undefined) this.#beat = setInterval(() => socket.pong(), welcome.beat_ms)
    this.#options.log.info({ server_version: welcome.server_version }, 'link up')
    this.#options.onState({ state: 'up', server_version: welcome.server_version })
    if (welcome.metrics_interval !== undefined) this.#options.onMetricsInterval(welcome.metrics_interval)
    this.#pump = new ReportPump(socket, this.#options.outbox)
    this.#problem = ''
    if (this.#isProofObsolete) this.#options.onProofObsolete()
    this.#options.onUp()
    this.#pump.push()
  }

  /** The server may have a new certificate. The socket has sent nothing. */
  async #regainTrust(untrusted: UntrustedCertificate): Promise<void> {
    this.#socket = undefined
    this.#phase = 'down'
    const problem = await this.#options.regainTrust(untrusted)
    if (this.#disposed) return
    if (problem === undefined) {
      this.#redial = setTimeout(() => this.start(), reconnectDelayMs(0, Math.random(), 0))
      return
    }
    this.#warnOnce(problem, 'certificate of the server not trusted')
    this.#reason = problem
    this.#onClose(0, '')
  }

  #describeProxy(): string {
    const { server_url } = this.#options.identity
    const cause = 'a proxy between this machine and the server does not pass WebSockets'
    const problem = `${cause}. See ${serverAddress(server_url, PROXY_GUIDE_PATH).href}`
    this.#warnOnce(problem, 'no WebSocket to the server')
    return problem
  }

  #warnOnce(problem: string, message: string): void {
    if (problem !== this.#problem) this.#options.log.warn({ problem }, message)
    this.#problem = problem
  }

  #onClose(code: number, reason: string): void {
    const wasUp = this.isUp
    this.#socket = undefined
    this.#pump = undefined
    this.#phase = 'down'
    clearTimeout(this.#silence)
    this.#silence = undefined
    clearInterval(this.#beat)
    this.#beat = undefined
    if (wasUp && performance.now() - this.#upSince > GOOD_AFTER_MS) this.#attempt = 0
    const retryMs = reconnectDelayMs(this.#attempt, Math.random(), this.#retryWithinMs)
    this.#attempt += 1
    const reported = this.#reason || reason || `connection closed (code ${code})`
    const level = wasUp || this.#attempt === 1 ? 'info' : 'debug'
    this.#options.log[level]({ reason: reported, retry_ms: retryMs }, wasUp ? 'link lost' : 'no link')
    this.#options.onState({ state: 'waiting', reason: reported, retry_ms: retryMs })
    this.#redial = setTimeout(() => this.start(), retryMs)
  }

  #watchSilence(limitMs: number, reason: string): void {
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => this.drop(reason), limitMs)
  }

  #send(frame: AgentFrame): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame))
  }
}

function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data)
}

const FIRST_MS = 500
const MIN_MS = 100

/**
 * Full jitter: a random time up to a limit that doubles, so that a fleet does not reconnect at once. The limit is at
 * least what a stopping server has asked for.
 */
export function reconnectDelayMs(attempt: number, random: number, retryWithinMs: number): number {
  const doubled = Math.min(MAX_RETRY_WITHIN_MS, FIRST_MS * 2 ** Math.min(attempt, 10))
  const limit = Math.max(doubled, retryWithinMs)
  return Math.max(MIN_MS, Math.round(limit * random))
}

type ErrorFrame = Extract<AgentFrame, { type: 'error' }>
type ReadFrame = { frame: ServerFrame } | { error: ErrorFrame }

const KNOWN_TYPES = new Set<unknown>(ServerFrame.options.map((option) => option.shape.type.value))
const LooseFrame = z.looseObject({ type: z.string() })

/** Parses a text frame of the server, or returns the error frame to reply with. */
function readFrame(data: Buffer): ReadFrame {
  if (data.byteLength > MAX_FRAME_BYTES) {
    return refuse(
      'too_large',
      `Refused a frame of ${data.byteLength} bytes. The limit is ${MAX_FRAME_BYTES}.`,
    )
  }
  const content = tryJson(data)
  const loose = LooseFrame.safeParse(content)
  if (!loose.success) return refuse('unreadable', 'Refused a frame that is not a JSON object with a type.')
  if (!KNOWN_TYPES.has(loose.data.type)) {
    return refuse('unknown_type', `Ignored a frame of the unknown type "${loose.data.type.slice(0, 50)}".`)
  }
  const frame = ServerFrame.safeParse(content)
  if (frame.success) return { frame: frame.data }
  const what = z.prettifyError(frame.error).replaceAll(/\s+/g, ' ')
  return refuse('unreadable', `Refused a frame of type "${loose.data.type}": ${what}`.slice(0, 500))
}

function refuse(code: string, message: string): ReadFrame {
  return { error: { type: 'error', code, message } }
}

function tryJson(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString()) as unknown
  } catch {
    return undefined
  }
}

export type LinkState =
  | { state: 'connecting' }
  | { state: 'up'; server_version: string }
  | { state: 'waiting'; reason: string; retry_ms: number }

interface LinkOptions {
  identity: Identity
  privateKey: KeyObject
  agentVersion: string
  canUpdate: boolean
  hardware: Hardware | undefined
  /** How a copy of a machine becomes one of its own, as a message. */
  howToEnrol: string
  outbox: Outbox
  log: Log
  now: () => number
  /** Runs that the server will still get reports for. */
  activeRuns: () => number[]
  /** The version of `set-checks` that is stored completely; 0 = none. */
  checksVersion: () => number
  tasksVersion: () => number
  /** The remote rules; undefined = none were received yet. */
  remoteRules: () => string
  /** Open sessions of remote tools. */
  sessions: () => string[]
  onCommand: (command: SignedCommand) => void
  onBytes: (bytes: Buffer) => void
  onServerTime: (serverTimeMs: number, machineTimeMs: number) => void
  onUp: () => void
  /** Returns undefined if the agent may connect again, or else what is wrong and what to do. */
  regainTrust: (untrusted: UntrustedCertificate) => Promise<string | undefined>
  /** The proven certificate can be removed. */
  onProofObsolete: () => void
  /** The server has stored a report. */
  onAcknowledged: () => void
  /** The server no longer knows this machine: all remote sessions must end. */
  onUnknownAgent: () => void
  /** Interval of metrics samples. */
  onMetricsInterval: (seconds: number) => void
  onState: (state: LinkState) => void
}
