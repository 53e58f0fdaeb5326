import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { enrolProof } from '@muster/contract/agent/enrol'
import { commandProof, CommandPayload, type SignedCommand } from '@muster/contract/agent/commands'
import { type ChannelFrame, decodeChannelFrame } from '@muster/contract/agent/channel'
import type { Hardware } from '@muster/contract/agent/hardware'
import { LINK_PATH, linkProof, type Report, ServerFrame } from '@muster/contract/agent/link'
import { enrolAgent } from '@muster/contract/api/installers'
import type { Platform } from '@muster/contract/fields'
import { vi } from 'vitest'
import { WebSocket } from 'ws'
import { verifyProof } from '../../platform/agent-link/keys.ts'
import type { TestServer } from '../../testing/test-server.ts'
import { createEnrolToken } from '../installers/enrol-machine.ts'
import { LONG_PATIENCE_MS } from '../../../../../tools/patience.ts'

type CommandFrame = { payload: CommandPayload; command: SignedCommand }

/** A machine on a real socket, controlled by the test. */
export class TestAgent implements Disposable {
  readonly agentId: string
  readonly frames: ServerFrame[] = []
  /** Number of pings from the server. */
  pings = 0
  readonly #server: TestServer
  #url: string
  #key: KeyObject
  #commandKey: string
  readonly channelFrames: ChannelFrame[] = []
  #ws: WebSocket | undefined
  #seq = 0
  #wake: (() => void)[] = []

  private constructor(
    server: TestServer,
    given: { url: string; agentId: string; key: KeyObject; commandKey: string },
  ) {
    this.#server = server
    this.#url = given.url
    this.agentId = given.agentId
    this.#key = given.key
    this.#commandKey = given.commandKey
  }

  static async enrol(
    server: TestServer,
    url: string,
    siteId: number,
    more: { machineKey?: string; hostname?: string; key?: KeyObject; hardware?: Hardware } = {},
  ): Promise<TestAgent> {
    const token = await createEnrolToken(server.ctx.db, {
      siteId,
      monitoringType: 'server',
      plat: null,
      uses: 1,
      expiresAt: new Date(server.clock.now().getTime() + 60_000).toISOString(),
      createdBy: 'test',
      now: server.clock.now(),
    })
    const { body, key } = enrolBody(token, more)
    const { body: answer } = await server.anonymous.call(enrolAgent, { body })
    return new TestAgent(server, { url, agentId: answer.agent_id, key, commandKey: answer.command_key })
  }

  /** A machine that has a row already, such as one of `given.agent()`, with a new key. It cannot verify commands. */
  static async of(server: TestServer, url: string, agentId: string): Promise<TestAgent> {
    const { privateKey: key } = generateKeyPairSync('ed25519')
    await server.ctx.db
      .updateTable('agents')
      .set({ public_key: publicKeyOf(key) })
      .where('agent_id', '=', agentId)
      .execute()
    return new TestAgent(server, { url, agentId, key, commandKey: '' })
  }

  /** Connects and signs in. Resolves with `welcome` or the frame received instead. */
  async connect(
    more: {
      key?: KeyObject
      protocols?: number[]
      agentTime?: string
      active?: number[]
      checksVersion?: number
      tasksVersion?: number
      remoteRules?: string
      lastReport?: number
      beats?: boolean
      sessions?: string[]
      answersPings?: boolean
      canUpdate?: boolean
      runsAsUser?: boolean
      pushesFiles?: boolean
      hardware?: Hardware
      hostname?: string
    } = {},
  ): Promise<ServerFrame> {
    const ws = new WebSocket(this.#url.replace('http', 'ws') + LINK_PATH, {
      headers: { 'x-muster-agent': this.agentId },
      autoPong: more.answersPings ?? true,
    })
    this.#ws = ws
    const from = this.frames.length
    ws.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) return this.#receive(ServerFrame.parse(JSON.parse(data.toString('utf8'))))
      const frame = decodeChannelFrame(data)
      if ('wrong' in frame) throw new Error(frame.wrong)
      this.channelFrames.push(frame)
    })
    ws.on('ping', () => (this.pings += 1))
    ws.on('close', () => this.#notify())
    ws.on('error', () => this.#notify())
    const challenge = await this.next((frame) => frame.type === 'challenge', from)
    if (challenge.type !== 'challenge') throw new Error('no challenge')
    this.send({
      type: 'answer',
      signature: sign(
        null,
        Buffer.from(linkProof(this.agentId, challenge.nonce)),
        more.key ?? this.#key,
      ).toString('base64url'),
      protocols: more.protocols ?? [1],
      agent_version: '0.1.0',
      agent_time: more.agentTime ?? new Date().toISOString(),
      active: more.active ?? [],
      checks_version: more.checksVersion,
      tasks_version: more.tasksVersion,
      remote_rules: more.remoteRules,
      last_report: more.lastReport,
      beats: more.beats,
      sessions: more.sessions,
      can_update: more.canUpdate,
      runs_as_user: more.runsAsUser ?? true,
      pushes_files: more.pushesFiles ?? true,
      hardware: more.hardware,
      hostname: more.hostname,
    })
    return this.next((frame) => frame.type === 'welcome' || frame.type === 'refused', from)
  }

  /** Connects and waits until the server has stored it: the API shows the machine as connected. */
  async comeOnline(more: Parameters<TestAgent['connect']>[0] = {}): Promise<void> {
    await this.connect(more)
    await this.isStored(1)
  }

  /** Another machine with a copy of its data folder. */
  copy(): TestAgent {
    const given = { url: this.#url, agentId: this.agentId, key: this.#key, commandKey: this.#commandKey }
    return new TestAgent(this.#server, given)
  }

  /** Drops the connection and waits until the server has stored it. */
  async goOffline(): Promise<void> {
    this.cut()
    await this.isStored(0)
  }

  send(frame: unknown): void {
    this.sendText(JSON.stringify(frame))
  }

  sendText(text: string | Uint8Array): void {
    this.#ws?.send(text)
  }

  /** Shows activity, requested or not. */
  beat(): void {
    this.#ws?.pong()
  }

  ping(): void {
    this.#ws?.ping()
  }

  /** Stops reading until `resume`. */
  pause(): void {
    this.#ws?.pause()
  }

  resume(): void {
    this.#ws?.resume()
  }

  report(report: Report): number {
    this.#seq += 1
    this.send({ type: 'report', seq: this.#seq, report })
    return this.#seq
  }

  /** The next command, verified with the pinned key. */
  async nextCommand(from: number): Promise<CommandFrame> {
    const frame = await this.next(({ type }) => type === 'command', from)
    if (frame.type !== 'command') throw new Error('no command')
    const { command } = frame
    if (!(await verifyProof(this.#commandKey, commandProof(command.payload), command.signature)))
      throw new Error('bad signature')
    return { command, payload: CommandPayload.parse(JSON.parse(command.payload)) }
  }

  /** Waits for the first matching frame from index `from` on. */
  async next(fits: (frame: ServerFrame) => boolean, from: number): Promise<ServerFrame> {
    const deadline = Date.now() + LONG_PATIENCE_MS
    for (;;) {
      const found = this.frames.slice(from).find(fits)
      if (found !== undefined) return found
      if (Date.now() > deadline)
        throw new Error(`no such frame among ${JSON.stringify(this.frames.slice(from))}`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 200)
        this.#wake.push(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
  }

  get isOpen(): boolean {
    return this.#ws?.readyState === WebSocket.OPEN
  }

  /** Drops the connection without a close frame. */
  cut(): void {
    this.#ws?.terminate()
  }

  [Symbol.dispose](): void {
    this.cut()
  }

  /** Waits until the server has stored whether it is connected. */
  async isStored(connected: 0 | 1): Promise<void> {
    await vi.waitFor(async () => {
      const row = await this.#server.ctx.db
        .selectFrom('agents')
        .select('connected')
        .where('agent_id', '=', this.agentId)
        .executeTakeFirstOrThrow()
      if (row.connected !== connected) throw new Error(`the server has not stored connected = ${connected}`)
    })
  }

  #receive(frame: ServerFrame): void {
    this.frames.push(frame)
    this.#notify()
  }

  #notify(): void {
    for (const wake of this.#wake.splice(0)) wake()
  }
}

/** As enrolments send it: 32 bytes. */
function publicKeyOf(key: KeyObject): string {
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(12).toString('base64url')
}

/** A valid enrolment request with a new key. */
export function enrolBody(
  token: string,
  more: {
    machineKey?: string
    hostname?: string
    key?: KeyObject
    platform?: Platform
    hardware?: Hardware
  } = {},
) {
  const privateKey = more.key ?? generateKeyPairSync('ed25519').privateKey
  const public_key = publicKeyOf(privateKey)
  const machine_key = more.machineKey ?? randomBytes(32).toString('hex')
  const proof = enrolProof({ token, machine_key, public_key })
  return {
    key: privateKey,
    body: {
      token,
      public_key,
      machine_key,
      signature: sign(null, Buffer.from(proof), privateKey).toString('base64url'),
      facts: {
        hostname: more.hostname ?? 'PC-12',
        platform: more.platform ?? 'linux',
        arch: 'amd64',
        agent_version: '0.1.0',
      },
      ...(more.hardware && { hardware: more.hardware }),
    },
  }
}
