import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import {
  ConsentMessage,
  CHANNEL_KIND,
  type ChannelEnd,
  type ChannelEndCode,
  encodeChannelEnd,
  encodeChannelFrame,
  encodeChannelText,
  encodeCredit,
  readChannelEnd,
  readChannelText,
} from '@muster/contract/agent/channel'
import { DesktopNews } from '@muster/contract/desktop'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { onTestFinished, vi } from 'vitest'
import { isAlive } from '../../testing/is-alive.ts'
import type { TestServer } from '../../testing/test-server.ts'
import { RfbViewer } from './rfb-viewer.ts'

let lastChannel = 10_000

type Options = { tool: 'desktop'; display: string | null } | { tool: 'vnc'; host: string; port: number }

/** A browser window on the desktop of the agent's machine, as a server connects it. */
export class TestDesktop {
  readonly id: number
  readonly session = randomUUID()
  readonly viewer: RfbViewer
  #server: TestServer
  #credited = 0

  constructor(
    server: TestServer,
    request: Options = { tool: 'desktop', display: null },
    endReport: { person?: string; recorded?: boolean } = {},
  ) {
    this.#server = server
    lastChannel += 1
    this.id = lastChannel
    this.viewer = new RfbViewer(
      (bytes) => this.send(bytes),
      (count) => this.#until(count),
    )
    const tool = { ...request, session: this.session }
    server.command(server.sign('open-channel', { channel: this.id, tool, ...endReport }))
  }

  get #frames() {
    return this.#server.channelFrames.filter(({ channel }) => channel === this.id)
  }

  get data(): Buffer {
    return Buffer.concat(
      this.#frames.filter(({ kind }) => kind === CHANNEL_KIND.data).map(({ payload }) => payload),
    )
  }

  get news(): DesktopNews[] {
    return this.#frames
      .filter(({ kind }) => kind === CHANNEL_KIND.text)
      .map(({ payload }) => readChannelText(payload))
      .filter((message) => !ConsentMessage.safeParse(message).success)
      .map((message) => DesktopNews.parse(message))
  }

  get end(): ChannelEnd | undefined {
    const last = this.#frames.find(({ kind }) => kind === CHANNEL_KIND.end)
    return last === undefined ? undefined : readChannelEnd(last.payload)
  }

  /** Running processes of this session. */
  get processes(): number[] {
    return readdirSync('/proc')
      .map(Number)
      .filter(
        (pid) => pid > 0 && readProc(pid, 'environ').includes(`MUSTER_RUN=${this.session}\0`) && isAlive(pid),
      )
  }

  /** Resolves with everything received when it has this many bytes; gives credit meanwhile. */
  async #until(count: number): Promise<Buffer> {
    return this.#server.until(() => {
      const { data } = this
      if (data.length > this.#credited) {
        this.#server.sendRaw(encodeCredit(this.id, data.length - this.#credited))
        this.#credited = data.length
      }
      if (data.length < count && this.end !== undefined) throw new Error(`It is over: ${this.end.message}`)
      return data.length >= count && data
    })
  }

  send(payload: Buffer): void {
    this.#server.sendRaw(encodeChannelFrame({ kind: CHANNEL_KIND.data, channel: this.id, payload }))
  }

  ping(number: number): void {
    this.#server.sendRaw(encodeChannelText(this.id, { type: 'ping', number }))
  }

  close(code: ChannelEndCode): void {
    this.#server.sendRaw(encodeChannelEnd(this.id, { code, message: 'Closed.' }))
  }

  async opened(): Promise<Extract<DesktopNews, { type: 'opened' }>> {
    return this.#server.until(() => {
      if (this.end !== undefined) throw new Error(this.end.message)
      return this.news.find((news) => news.type === 'opened')
    })
  }

  async ended(): Promise<ChannelEnd> {
    return this.#server.until(() => this.end)
  }

  /** The report of its end. */
  async reported(): Promise<string> {
    return this.#server.until(() => {
      const found = this.#server.reports.find(
        (report) => report.kind === 'session-ended' && report.session === this.session,
      )
      return found?.kind === 'session-ended' && found.reason
    })
  }
}

export function readProc(pid: number, file: 'environ' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

/** Listening ports, as `address:port` in the kernel's hexadecimal format. */
export function listListening(): string[] {
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state]) => state === '0A')
      .map(([, local]) => local ?? ''),
  )
}

/** An X server without a screen, used as the agent's own display during the test; returns its name. */
export async function givenDisplay(size = '1280x800', more: string[] = []): Promise<string> {
  const display = await startDisplay(size, more)
  onTestFinished(() => display[Symbol.asyncDispose]())
  vi.stubEnv('DISPLAY', display.name)
  onTestFinished(() => void vi.unstubAllEnvs())
  return display.name
}

export interface XDisplay extends AsyncDisposable {
  name: string
}

export async function startDisplay(size: string, more: string[] = []): Promise<XDisplay> {
  // As display managers start it: otherwise it restarts when its last client ends, and refuses the next one meanwhile.
  const args = ['-displayfd', '3', '-screen', '0', `${size}x24`, '-nolisten', 'tcp', '-noreset', ...more]
  const child = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
  // Descriptor 3 is a pipe to read from.
  const [number] = (await once(child.stdio[3] as Readable, 'data')) as [Buffer]
  return {
    name: `:${number.toString().trim()}`,
    async [Symbol.asyncDispose]() {
      child.kill()
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}
