import { get } from 'node:http'
import { encodeChannelEnd } from '@muster/contract/agent/channel'
import type { AgentFacts } from '@muster/contract/agent/facts'
import type { AgentFrame } from '@muster/contract/agent/agent-frame'
import {
  SERVER_DEAD_AFTER_MS,
  LINK_PATH,
  linkProof,
  MAX_RETRY_WITHIN_MS,
  MAX_SOCKET_BYTES,
  PROTOCOL_VERSIONS,
  type Report,
  ServerFrame,
} from '@muster/contract/agent/link'
import type { AgentManifest } from '@muster/contract/agent/updates'
import { MAX_RESULTS } from '@muster/contract/agent/checks'
import { WebSocket } from 'ws'
import { FakeChecks } from './checks.ts'
import { AGENT_VERSION, changeFacts, makeFacts } from './facts.ts'
import { makeSoftware } from './inventory.ts'
import type { FleetCore } from './fleet-core.ts'
import { signAs } from './identity.ts'
import { runCommand } from './run-command.ts'

export type MachineState = 'off' | 'waiting' | 'connecting' | 'up' | 'refused'

/** Back-off of the real agent: a random time up to a limit that doubles. */
const FIRST_RETRY_MS = 500
const MIN_RETRY_MS = 100
const DIAL_TIMEOUT_MS = 20_000

/** One simulated machine: its link, unacknowledged reports, and active runs. */
export class FakeMachine {
  readonly index: number
  readonly agentId: string
  readonly hostname: string
  /** Active runs: history id -> cancels it. */
  readonly runs = new Map<number, () => void>()
  readonly checks = new FakeChecks()
  /** Version of its tasks, which it does not store. */
  tasksVersion = 0
  /** The version of its agent, which an update changes. */
  version = AGENT_VERSION
  #core: FleetCore
  #state: MachineState = 'off'
  #socket: WebSocket | undefined
  #seq = 0
  #unacknowledged: { seq: number; report: Report }[] = []
  #lastReceivedMs = 0
  #failures = 0
  #retryWithinMs = 0
  #takeBackRetry: () => void = () => {}
  #takeBackBeat: () => void = () => {}
  /** Heartbeat interval; undefined = only on request. */
  #beatMs: number | undefined
  #hasReportedFacts = false
  #onAcknowledged: (() => void) | undefined

  constructor(core: FleetCore, index: number, agentId: string) {
    this.#core = core
    this.index = index
    this.agentId = agentId
    this.hostname = this.facts().hostname
  }

  get state(): MachineState {
    return this.#state
  }

  get waitingReports(): number {
    return this.#unacknowledged.length
  }

  /** Generated each time, so that ten thousand inventories are not stored. */
  facts(): AgentFacts {
    const facts = makeFacts(this.#core.seed, this.index, this.#core.startedMs)
    return { ...facts, ...this.#core.overrideFacts?.(this.index) }
  }

  /** Its installed software; undefined if not configured. */
  software(): ReturnType<typeof makeSoftware> | undefined {
    const { seed, software } = this.#core
    return software === undefined ? undefined : makeSoftware(seed, this.index, software)
  }

  connect(): void {
    this.#takeBackRetry()
    if (this.#state === 'connecting' || this.#state === 'up') return
    this.#state = 'connecting'
    const socket = new WebSocket(this.#core.linkUrl + LINK_PATH, {
      headers: { 'x-muster-agent': this.agentId, 'user-agent': 'muster-fake-agent' },
      handshakeTimeout: DIAL_TIMEOUT_MS,
      maxPayload: MAX_SOCKET_BYTES,
      perMessageDeflate: false,
    })
    this.#socket = socket
    socket.on('message', (data: Buffer, isBinary) => {
      this.#lastReceivedMs = Date.now()
      if (!isBinary && socket === this.#socket) this.#receive(data)
    })
    socket.on('ping', () => {
      this.#lastReceivedMs = Date.now()
      if (socket === this.#socket) this.#planBeat()
    })
    socket.on('error', (error) => this.#core.noteDialError(error))
    socket.on('close', () => {
      if (socket === this.#socket) this.#lost()
    })
  }

  /** Takes the machine off the network, like an unplugged cable, until `connect`. */
  disconnect(): void {
    this.#takeBackRetry()
    this.#takeBackBeat()
    if (this.#state === 'up') this.#core.counts.connected -= 1
    const socket = this.#socket
    this.#socket = undefined
    this.#state = 'off'
    socket?.terminate()
  }

  /** Connects, reports its facts, and disconnects: for many machines that are known but offline. */
  async visit(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onAcknowledged = resolve
      this.connect()
    })
    this.#onAcknowledged = undefined
    this.disconnect()
  }

  /** Sends a report, now or when the link is back. It is stored until the server acknowledges it. */
  report(report: Report): void {
    this.#seq += 1
    this.#unacknowledged.push({ seq: this.#seq, report })
    this.#core.counts.reports += 1
    if (this.#state === 'up') this.#send({ type: 'report', seq: this.#seq, report })
  }

  /** Replies to a request, or refuses it. */
  reply(nonce: string, said: { refused: string } | { answer: object }): void {
    const frame = { type: 'reply', nonce, refused: null, answer: null, ...said } as const
    if (this.#state === 'up') this.#send(frame)
  }

  /** Reports a change on the machine. */
  reportChange(): void {
    this.report({ kind: 'facts', facts: changeFacts(this.facts(), this.#core.random) })
  }

  /** Reports results of some checks. Returns their number. */
  reportChecks(count: number): number {
    const results = this.checks.measureNext(count, this.#core.random)
    if (results.length > 0) this.report({ kind: 'checks', results })
    this.#core.counts.checkResults += results.length
    return results.length
  }

  /** Reports this CPU load. */
  reportCpu(percent: number): void {
    const results = this.checks.measureCpu(percent)
    if (results.length > 0) this.report({ kind: 'checks', results })
    this.#core.counts.checkResults += results.length
  }

  /** Reports results of all checks over the past time, like a machine that was offline. Returns their number. */
  reportPast(given: { fromMs: number; everyMs: number }): number {
    const count = Math.floor((Date.now() - given.fromMs) / given.everyMs)
    const moments = Array.from({ length: count }, (_, index) => given.fromMs + index * given.everyMs)
    const results = this.checks.measurePast(moments, this.#core.random)
    for (let at = 0; at < results.length; at += MAX_RESULTS) {
      this.report({ kind: 'checks', results: results.slice(at, at + MAX_RESULTS) })
    }
    this.#core.counts.checkResults += results.length
    return results.length
  }

  /** Resets failed attempts: failures while the server was down are not counted. */
  resetFailures(): void {
    this.#failures = 0
  }

  /** Ends a link that has been silent for too long. Called periodically for all machines. */
  checkSilence(nowMs: number): void {
    if (this.#state === 'up' && nowMs - this.#lastReceivedMs > SERVER_DEAD_AFTER_MS) this.#socket?.terminate()
  }

  /** Downloads a version, restarts with it and confirms it, like the real agent. */
  async update({ version, path }: AgentManifest): Promise<void> {
    const report = (state: 'downloading' | 'installed' | 'confirmed') =>
      this.report({ kind: 'update', version, state, at: new Date().toISOString(), reason: null })
    report('downloading')
    this.#core.counts.downloadedBytes += await download(this.#core.linkUrl.replace(/^ws/, 'http') + path)
    report('installed')
    this.version = version
    this.disconnect()
    // Reports wait for the link.
    report('confirmed')
    this.connect()
  }

  /** Simulated machines have no tools. */
  refuseChannel(channel: number): void {
    const end = { code: 'refused' as const, message: 'A simulated machine has no terminal.' }
    this.#socket?.send(encodeChannelEnd(channel, end))
  }

  #send(frame: AgentFrame): void {
    this.#socket?.send(JSON.stringify(frame))
  }

  #receive(data: Buffer): void {
    const parsed = ServerFrame.safeParse(JSON.parse(data.toString()))
    if (!parsed.success) {
      this.#core.counts.unreadable += 1
      return this.#send({ type: 'error', code: 'unreadable', message: parsed.error.message.slice(0, 500) })
    }
    const frame = parsed.data
    switch (frame.type) {
      case 'challenge':
        return this.#answer(frame.nonce)
      case 'welcome':
        return this.#goUp(frame.beat_ms)
      case 'refused':
        this.#core.noteRefusal(frame.message)
        this.disconnect()
        this.#state = 'refused'
        return
      case 'command':
        return runCommand(this.#core, this, frame.command)
      case 'stopping':
        this.#retryWithinMs = frame.retry_within_ms
        return
      case 'settings':
        // The scenario controls its metrics.
        return
      case 'ack':
        this.#unacknowledged = this.#unacknowledged.filter(({ seq }) => seq > frame.seq)
        if (this.#unacknowledged.length === 0) this.#onAcknowledged?.()
        return
      case 'error':
        this.#core.counts.unreadable += 1
        return
    }
  }

  /** Runs that the server still gets reports of: running ones, and ended ones with unacknowledged reports. */
  #activeRuns(): number[] {
    const reported = this.#unacknowledged.flatMap(({ report }) =>
      'history_id' in report ? [report.history_id] : [],
    )
    return [...new Set([...this.runs.keys(), ...reported])]
  }

  #answer(nonce: string): void {
    this.#send({
      type: 'answer',
      signature: signAs(this.#core.seed, this.index, linkProof(this.agentId, nonce)),
      protocols: [...PROTOCOL_VERSIONS],
      agent_version: this.version,
      agent_time: new Date().toISOString(),
      active: this.#activeRuns(),
      checks_version: this.checks.version,
      tasks_version: this.tasksVersion,
      last_report: this.#unacknowledged.at(-1)?.seq ?? 0,
      beats: true,
      can_update: true,
      runs_as_user: true,
      pushes_files: true,
    })
  }

  #goUp(beatMs: number | undefined): void {
    this.#state = 'up'
    this.#beatMs = beatMs
    this.#planBeat()
    this.#failures = 0
    this.#retryWithinMs = 0
    this.checks.onLinkUp()
    this.#core.counts.connected += 1
    this.#core.counts.connects += 1
    for (const { seq, report } of this.#unacknowledged) this.#send({ type: 'report', seq, report })
    if (!this.#hasReportedFacts) this.report({ kind: 'facts', facts: this.facts() })
    const software = this.software()
    if (!this.#hasReportedFacts && software !== undefined) this.report({ ...software, inventory: null })
    this.#hasReportedFacts = true
    this.#core.noteConnected()
  }

  #planBeat(): void {
    this.#takeBackBeat()
    if (this.#beatMs === undefined || this.#state !== 'up') return
    this.#takeBackBeat = this.#core.clock.after(this.#beatMs, () => {
      this.#socket?.pong()
      this.#planBeat()
    })
  }

  #lost(): void {
    this.#takeBackBeat()
    if (this.#state === 'up') this.#core.counts.connected -= 1
    else this.#failures += 1
    this.#core.counts.mostFailures = Math.max(this.#core.counts.mostFailures, this.#failures)
    this.#socket = undefined
    this.#state = 'waiting'
    const limitMs = Math.max(
      this.#retryWithinMs,
      Math.min(MAX_RETRY_WITHIN_MS, FIRST_RETRY_MS * 2 ** this.#failures),
    )
    const delayMs = Math.max(MIN_RETRY_MS, limitMs * this.#core.random.next())
    this.#takeBackRetry = this.#core.clock.after(delayMs, () => this.connect())
  }
}

/** Reads a response to its end. Returns its size on the wire. */
function download(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers: { 'accept-encoding': 'gzip' } }, (response) => {
      let bytes = 0
      response.on('data', (part: Buffer) => (bytes += part.byteLength))
      response.on('error', reject)
      response.on('end', () => resolve(bytes))
    })
    request.on('error', reject)
  })
}
