import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessLook } from '@muster/contract/agent/processes'
import type { Log } from '../log/log.ts'
import type { ProcessReader, ProcessTools } from '../os/process-tools.ts'
import type { ProcessChanges } from './process-changes.ts'
import { WhileWatched } from './while-watched.ts'

/** CPU shares need two samples. The first values must not take a whole second. */
const SECOND_LOOK_MS = 200
const LOOK_LIMIT_MS = 60_000

export interface ProcessWatchOptions {
  loadTools: () => Promise<ProcessTools>
  /** Sends all parts or none. `false` = the link is down or busy. */
  send: (parts: ProcessLook[]) => boolean
  log: Log
}

/** Sends the processes of the machine while a user watches. Its code is loaded on first use. */
export class ProcessWatch extends WhileWatched {
  constructor({ loadTools, send, log }: ProcessWatchOptions) {
    let reader: ProcessReader | undefined
    let changes: ProcessChanges | undefined
    let lookedAtMs = 0
    super({
      log,
      look: async (isWatched) => {
        const tools = await loadTools()
        const isFirst = reader === undefined
        // A timer may fire slightly early.
        if (!isFirst && performance.now() - lookedAtMs < tools.everyMs - 300) return
        const signal = AbortSignal.timeout(LOOK_LIMIT_MS)
        const own = (reader ??= tools.openReader())
        const told = (changes ??= new (await import('./process-changes.ts')).ProcessChanges())
        lookedAtMs = performance.now()
        if (isFirst) {
          told.see(await own.read(signal))
          await sleep(SECOND_LOOK_MS, undefined, { signal })
        }
        told.see(await own.read(signal))
        if (isWatched() && send(told.list())) told.remember()
      },
      onStop: () => {
        reader = undefined
        changes = undefined
      },
    })
  }
}
