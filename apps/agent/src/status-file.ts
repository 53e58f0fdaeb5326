import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { dataFiles, writePrivateFile } from './identity/data-folder.ts'
import type { LinkState } from './link/link.ts'
import type { Log } from './log/log.ts'

/** Problems of the agent itself, by cause. The messages are shown in the console. */
export class Problems {
  #sentences = new Map<string, string>()
  #listeners = new Set<() => void>()

  /** Sets a problem; `null` clears it. */
  set(cause: string, sentence: string | null): void {
    if ((this.#sentences.get(cause) ?? null) === sentence) return
    if (sentence === null) this.#sentences.delete(cause)
    else this.#sentences.set(cause, sentence)
    for (const listener of this.#listeners) listener()
  }

  list(): string[] {
    // Several causes may have one cure.
    return [...new Set(this.#sentences.values())].map((sentence) => sentence.slice(0, 500)).slice(0, 20)
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener)
  }
}

/** Written by the running agent for the command `status`. */
const AgentStatus = z.object({
  pid: z.int(),
  since: z.string(),
  link: z.discriminatedUnion('state', [
    z.object({ state: z.literal('connecting') }),
    z.object({ state: z.literal('up'), server_version: z.string() }),
    z.object({ state: z.literal('waiting'), reason: z.string(), retry_ms: z.number() }),
  ]),
})
export type AgentStatus = z.infer<typeof AgentStatus>

/** Written when the link comes up or goes down, not for each attempt in between. */
export class StatusFile implements Disposable {
  #folder: string
  #log: Log
  #last = ''

  constructor(folder: string, log: Log) {
    this.#folder = folder
    this.#log = log
  }

  write(link: LinkState): void {
    const kind = link.state === 'waiting' ? link.reason : link.state
    if (kind === this.#last || link.state === 'connecting') return
    this.#last = kind
    const status: AgentStatus = { pid: process.pid, since: new Date().toISOString(), link }
    try {
      writePrivateFile(this.#folder, dataFiles.status, `${JSON.stringify(status)}\n`)
    } catch (cause) {
      this.#log.debug({ cause }, 'failed to write the status file')
    }
  }

  [Symbol.dispose](): void {
    try {
      rmSync(join(this.#folder, dataFiles.status), { force: true })
    } catch (cause) {
      this.#log.debug({ cause }, 'failed to remove the status file')
    }
  }
}

export function findStatus(folder: string): AgentStatus | undefined {
  try {
    return AgentStatus.parse(JSON.parse(readFileSync(join(folder, dataFiles.status), 'utf8')))
  } catch {
    // The agent is not running, or the disk is read-only: the lock shows which.
    return undefined
  }
}
