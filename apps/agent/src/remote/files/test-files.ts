import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  CHANNEL_KIND,
  type ChannelEnd,
  encodeChannelEnd,
  encodeCredit,
  readChannelEnd,
  readChannelText,
} from '@muster/contract/agent/channel'
import type { CommandInput } from '@muster/contract/agent/commands'
import { FileNews, type FileTask, type UploadTask } from '@muster/contract/agent/files'
import { type RequestName, replies, type Reply } from '@muster/contract/agent/replies'
import type { TestServer } from '../../testing/test-server.ts'

export const raw = (path: string | Buffer) => Buffer.from(path).toString('base64url')

/** The two requests that save a text file: of the editor, and of jobs. */
export function givenSaves(server: TestServer, folder: string) {
  const write = (text: string, name = 'hosts') => {
    const path = join(folder, name)
    const hash = createHash('sha256').update(readFileSync(path)).digest('hex')
    return ask(server, 'write-text', { path: raw(path), text, hash })
  }
  const put = (text: string, name = 'hosts') =>
    ask(server, 'put-text', { path: raw(join(folder, name)), text, mode: null, owner: null })
  return [write, put]
}

let lastChannel = 1000

/** A file channel that is read at once unless a test wants to wait. */
export class FileChannel {
  readonly id: number
  #server: TestServer
  #from: number

  constructor(server: TestServer, order: FileTask | UploadTask, { reads = true }: { reads?: boolean } = {}) {
    this.#server = server
    this.#from = server.channelFrames.length
    lastChannel += 1
    this.id = lastChannel
    const before = server.onChannelFrame
    server.onChannelFrame = (frame) => {
      before(frame)
      const isCounted = frame.kind === CHANNEL_KIND.data || frame.kind === CHANNEL_KIND.text
      if (reads && frame.channel === this.id && isCounted) this.credit(frame.payload.length)
    }
    server.command(server.sign('open-channel', { channel: this.id, tool: { tool: 'files', order } }))
  }

  get #frames() {
    return this.#server.channelFrames.slice(this.#from).filter(({ channel }) => channel === this.id)
  }

  get bytes(): Buffer {
    return Buffer.concat(
      this.#frames.filter(({ kind }) => kind === CHANNEL_KIND.data).map(({ payload }) => payload),
    )
  }

  get news(): FileNews | undefined {
    const text = this.#frames.find(({ kind }) => kind === CHANNEL_KIND.text)
    return text === undefined ? undefined : FileNews.parse(readChannelText(text.payload))
  }

  get hasText(): boolean {
    return this.#frames.some(({ kind }) => kind === CHANNEL_KIND.text)
  }

  get end(): ChannelEnd | undefined {
    const last = this.#frames.find(({ kind }) => kind === CHANNEL_KIND.end)
    return last === undefined ? undefined : readChannelEnd(last.payload)
  }

  credit(bytes: number): void {
    this.#server.sendRaw(encodeCredit(this.id, bytes))
  }

  close(): void {
    this.#server.sendRaw(encodeChannelEnd(this.id, { code: 'closed', message: 'Closed.' }))
  }

  async ended(): Promise<ChannelEnd> {
    return this.#server.until(() => this.end)
  }
}

/** Sends a request to the agent like a server; returns the reply or the refusal. */
export async function ask<Name extends RequestName>(
  server: TestServer,
  name: Name,
  input: CommandInput<Name>,
): Promise<{ answer: Reply<Name>; refused: string | null }> {
  const command = server.sign(name, input)
  // Just signed.
  const { nonce } = JSON.parse(command.payload) as { nonce: string }
  server.command(command)
  const reply = await server.until(() =>
    server.frames.find((frame) => frame.type === 'reply' && frame.nonce === nonce),
  )
  if (reply.type !== 'reply') throw new Error('no reply')
  // The schema of this name.
  const answer = (reply.refused === null ? replies[name].parse(reply.answer) : undefined) as Reply<Name>
  return { answer, refused: reply.refused }
}
