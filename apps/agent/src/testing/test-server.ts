import { createHash, generateKeyPairSync, randomUUID, sign, verify, type KeyObject } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { WebSocketServer, type WebSocket } from 'ws'
import {
  CERTIFICATE_PROOF_PATH,
  certificateProof,
  CertificateProofRequest,
} from '@muster/contract/agent/certificate-proof'
import {
  commandProof,
  type CommandInput,
  type CommandName,
  type SignedCommand,
} from '@muster/contract/agent/commands'
import { ENROL_PATH, EnrolRequest, enrolProof } from '@muster/contract/agent/enrol'
import { AgentFrame } from '@muster/contract/agent/agent-frame'
import {
  HEARTBEAT_MS,
  LINK_PATH,
  linkProof,
  type Report,
  type ServerFrame,
} from '@muster/contract/agent/link'
import { type ChannelFrame, decodeChannelFrame } from '@muster/contract/agent/channel'
import { publicKeyText, readPublicKey } from '../identity/identity.ts'
import { LONG_PATIENCE_MS } from '../../../../tools/patience.ts'

/** More than any operation takes here, also on a busy machine. */

export const GOOD_TOKEN = 'a-token-that-is-long-enough'

type AgentReport = Extract<AgentFrame, { type: 'report' }>
type Answer = Extract<AgentFrame, { type: 'answer' }>

/** A small server for the contract, which gives tests access to its internals. */
export class TestServer implements AsyncDisposable {
  keys = generateKeyPairSync('ed25519')
  agents = new Map<string, KeyObject>()
  /** All frames of agents, of all links. */
  readonly frames: AgentFrame[] = []
  readonly answers: Answer[] = []
  /** Frames of channels, of all links. */
  readonly channelFrames: ChannelFrame[] = []
  /** Called for each of them. */
  onChannelFrame: (frame: ChannelFrame) => void = () => {}
  socket: WebSocket | undefined
  acknowledges = true
  /** The log of the agent, for the error of a wait that ends without a result. */
  readLog: () => string = () => ''
  /** Answers requests that are no enrolment. */
  onRequest: (request: IncomingMessage, response: ServerResponse) => void = (_, response) =>
    void response.writeHead(404).end()
  /** Whether it is new enough to prove its certificate. */
  canProve = true
  /** In its proofs. */
  authority: string | null = null
  /** Requests to prove its certificate. */
  proofs = 0
  /** Added to the server time. */
  clockOffsetMs = 0
  protocols = [1]
  /** Interval of requested heartbeats instead of pings, if set. */
  beatMs: number | undefined
  /** Interval of metrics samples in seconds, if set. */
  metricsInterval: number | undefined
  /** Heartbeats of all links. */
  beats = 0
  links = 0
  #http: Server
  #sockets = new WebSocketServer({ noServer: true, maxPayload: 64 * 1024 * 1024 })
  #watchers = new Set<() => void>()
  #beat: NodeJS.Timeout

  constructor(tls?: { key: string; cert: string }) {
    const answer = (request: IncomingMessage, response: ServerResponse) =>
      void this.#answerHttp(request, response)
    this.#http = tls === undefined ? createServer(answer) : createTlsServer(tls, answer)
    this.#http.on('upgrade', (request, socket, head) => {
      if (request.url !== LINK_PATH) {
        socket.destroy()
        return
      }
      this.#sockets.handleUpgrade(request, socket, head, (link) =>
        this.#greet(link, String(request.headers['x-muster-agent'])),
      )
    })
    this.#beat = setInterval(() => {
      if (this.beatMs === undefined) this.socket?.ping()
    }, HEARTBEAT_MS)
  }

  async listen(port = 0): Promise<number> {
    await new Promise<void>((resolve) => this.#http.listen(port, '127.0.0.1', resolve))
    // A listening TCP server has an address of this kind.
    return (this.#http.address() as AddressInfo).port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#beat)
    for (const socket of this.#sockets.clients) socket.terminate()
    this.#http.closeAllConnections()
    await new Promise((resolve) => this.#http.close(resolve))
  }

  /** Another server with the same keys and agents, like a restart. */
  successor(tls?: { key: string; cert: string }): TestServer {
    const next = new TestServer(tls)
    next.keys = this.keys
    next.agents = this.agents
    return next
  }

  /** Hangs: the connection stays open without data. The next connection is served. */
  pause(): void {
    const hanging = this.socket
    if (hanging === undefined) throw new Error('no agent is linked')
    hanging.ping = () => {}
    hanging.pause()
    hanging.send = () => {}
  }

  get reports(): Report[] {
    return this.frames
      .filter((frame): frame is AgentReport => frame.type === 'report')
      .map(({ report }) => report)
  }

  reportsOf(historyId: number): Report[] {
    return this.reports.filter((report) => 'history_id' in report && report.history_id === historyId)
  }

  outputOf(historyId: number, stream: 'stdout' | 'stderr' = 'stdout'): string {
    const chunks = new Map<number, string>()
    for (const report of this.reportsOf(historyId)) {
      if (report.kind === 'output') chunks.set(report.chunk, report.stream === stream ? report.text : '')
    }
    return [...chunks]
      .toSorted(([a], [b]) => a - b)
      .map(([, text]) => text)
      .join('')
  }

  /** Resolves with the result of `find`, which is repeated for every frame and link. */
  async until<T>(find: () => T | undefined | false, timeoutMs = LONG_PATIENCE_MS): Promise<T> {
    const deadline = Date.now() + timeoutMs
    for (;;) {
      const found = find()
      if (found !== undefined && found !== false) return found
      const left = deadline - Date.now()
      if (left <= 0)
        throw new Error(
          [
            `timed out after ${timeoutMs} ms`,
            `the agent logged ${this.readLog().slice(-1000)}`,
            `it sent ${JSON.stringify(this.frames).slice(-1000)}`,
          ].join('; '),
        )
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(left, 100))
        this.#watchers.add(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
  }

  untilUp(links = this.links + 1): Promise<true> {
    return this.until(() => this.links >= links && this.socket !== undefined)
  }

  result(historyId: number, timeoutMs?: number) {
    return this.until(() => this.reportsOf(historyId).find((report) => report.kind === 'result'), timeoutMs)
  }

  /** A signed command; every part can be forged. */
  sign<Name extends CommandName>(
    name: Name,
    input: CommandInput<Name>,
    more: CommandParts = {},
  ): SignedCommand {
    const now = Date.now()
    const payload = JSON.stringify({
      protocol: 1,
      agent_id: [...this.agents.keys()][0],
      author: 'anna',
      issued_at: new Date(now).toISOString(),
      expires_at: new Date(now + 60_000).toISOString(),
      nonce: randomUUID(),
      history_id: null,
      name,
      input,
      ...more.payload,
    })
    const proof = Buffer.from(commandProof(payload))
    const signature = sign(null, proof, more.key ?? this.keys.privateKey).toString('base64url')
    return { payload, signature, person_signature: null }
  }

  send(frame: ServerFrame | Record<string, unknown>): void {
    this.sendRaw(JSON.stringify(frame))
  }

  sendRaw(data: string | Uint8Array): void {
    if (this.socket === undefined) throw new Error('no agent is linked')
    this.socket.send(data)
  }

  command(command: SignedCommand): void {
    this.send({ type: 'command', command })
  }

  /** Sends a shell command with this history id. */
  runShell(historyId: number, cmd: string, more: Partial<CommandInput<'run-command'>> = {}): SignedCommand {
    const input = { ...shellInput(cmd), ...more }
    const command = this.sign('run-command', input, { payload: { history_id: historyId } })
    this.command(command)
    return command
  }

  #changed(): void {
    const watchers = [...this.#watchers]
    this.#watchers.clear()
    for (const watcher of watchers) watcher()
  }

  async #answerHttp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.url === CERTIFICATE_PROOF_PATH && this.canProve)
      return void answer(...this.#proveCertificate(await readJson(request), request.socket))
    if (request.url !== ENROL_PATH || request.method !== 'POST') return this.onRequest(request, response)
    const enrolment = EnrolRequest.parse(await readJson(request))
    const key = readPublicKey(enrolment.public_key)
    const isOwner = verify(
      null,
      Buffer.from(enrolProof(enrolment)),
      key,
      Buffer.from(enrolment.signature, 'base64url'),
    )
    if (enrolment.token !== GOOD_TOKEN || !isOwner) {
      const detail = 'This enrolment token has expired.'
      return void answer(403, { detail, code: 'enrolment_refused', request_id: 'r1' })
    }
    const agentId = `agent${enrolment.machine_key.slice(0, 30)}`
    const reattached = this.agents.has(agentId)
    this.agents.set(agentId, key)
    answer(200, { agent_id: agentId, command_key: publicKeyText(this.keys.privateKey), reattached })
  }

  #proveCertificate(body: unknown, socket: Socket): [status: number, body: unknown] {
    const { nonce } = CertificateProofRequest.parse(body)
    this.proofs += 1
    const served = socket instanceof TLSSocket ? socket.getX509Certificate() : undefined
    if (served === undefined)
      return [409, { detail: 'A proxy serves it.', code: 'conflict', request_id: 'r2' }]
    const certificate = createHash('sha256').update(served.raw).digest('hex')
    const content = { certificate, authority: this.authority }
    const proof = Buffer.from(certificateProof(nonce, content))
    return [200, { ...content, signature: sign(null, proof, this.keys.privateKey).toString('base64url') }]
  }

  #greet(socket: WebSocket, agentId: string): void {
    const nonce = randomUUID()
    const send = (frame: ServerFrame) => socket.send(JSON.stringify(frame))
    const server_time = new Date(Date.now() + this.clockOffsetMs).toISOString()
    send({ type: 'challenge', nonce, server_time, protocols: this.protocols })
    socket.on('error', () => {})
    socket.on('pong', () => {
      this.beats += 1
      this.#changed()
    })
    socket.on('close', () => {
      if (this.socket === socket) this.socket = undefined
      this.#changed()
    })
    socket.on('message', (data, isBinary) => {
      if (isBinary) return this.#takeChannelFrame(data as Buffer)
      const frame = AgentFrame.parse(JSON.parse((data as Buffer).toString())) // ws hands over buffers by default.
      this.frames.push(frame)
      if (frame.type === 'answer') this.#signIn(socket, { agentId, nonce, frame })
      if (frame.type === 'report' && this.acknowledges) send({ type: 'ack', seq: frame.seq })
      this.#changed()
    })
  }

  #takeChannelFrame(bytes: Buffer): void {
    const frame = decodeChannelFrame(bytes)
    if ('wrong' in frame) throw new Error(frame.wrong)
    this.channelFrames.push(frame)
    this.onChannelFrame(frame)
    this.#changed()
  }

  #signIn(
    socket: WebSocket,
    { agentId, nonce, frame }: { agentId: string; nonce: string; frame: Answer },
  ): void {
    const key = this.agents.get(agentId)
    const proof = Buffer.from(linkProof(agentId, nonce))
    const send = (reply: ServerFrame) => socket.send(JSON.stringify(reply))
    if (key === undefined || !verify(null, proof, key, Buffer.from(frame.signature, 'base64url'))) {
      send({ type: 'refused', code: 'unknown_agent', message: 'This machine is not enrolled here.' })
      return socket.close(4001)
    }
    this.answers.push(frame)
    const beat = this.beatMs === undefined ? {} : { beat_ms: this.beatMs }
    const pace = this.metricsInterval === undefined ? {} : { metrics_interval: this.metricsInterval }
    send({ type: 'welcome', protocol: 1, server_version: '1.2.3', ...beat, ...pace })
    this.socket = socket
    this.links += 1
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer) // A request without encoding yields buffers.
  return JSON.parse(Buffer.concat(parts).toString()) as unknown
}

export interface CommandParts {
  payload?: Record<string, unknown>
  key?: KeyObject
}

export function shellInput(cmd: string): CommandInput<'run-command'> {
  return {
    shell: 'bash',
    custom_shell: null,
    cmd,
    env_vars: [],
    run_as_user: null,
    timeout_seconds: 60,
    output_cap_bytes: 1024 * 1024,
  }
}
