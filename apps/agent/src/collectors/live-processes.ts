import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessSample } from '@muster/contract/agent/processes'
import { describeError, type Log } from '../log/log.ts'
import type { ProcessReader, ProcessTools } from '../os/os.ts'
import type { ProcessChanges } from './process-changes.ts'
import { WhileWatched } from './live-sampler.ts'

/** CPU shares need two samples. The first values must not take a whole second. */
const SECOND_SAMPLE_MS = 200
const SAMPLE_TIMEOUT_MS = 60_000

const NOTHING: ProcessSample = {
  whole: false,
  more: false,
  put: [],
  use: [],
  gone: [],
  left_out: 0,
  cpu_percent: 0,
  memory_total: 0,
  memory_used: 0,
}

export interface ProcessWatchOptions {
  loadTools: () => Promise<ProcessTools>
  /** Sends all parts or none. `false` = the link is down or busy. */
  send: (parts: ProcessSample[]) => boolean
  log: Log
}

/** Sends the processes of the machine while a user watches. Its code is loaded on first use. */
export class ProcessWatch extends WhileWatched {
  constructor({ loadTools, send, log }: ProcessWatchOptions) {
    let reader: ProcessReader | undefined
    let changes: ProcessChanges | undefined
    let sampledAtMs = 0
    super({
      log,
      look: async (isWatched) => {
        const tools = await loadTools()
        const isFirst = reader === undefined
        // A timer may fire slightly early.
        if (!isFirst && performance.now() - sampledAtMs < tools.everyMs - 300) return
        const signal = AbortSignal.timeout(SAMPLE_TIMEOUT_MS)
        const own = (reader ??= tools.openReader())
        const reported = (changes ??= new (await import('./process-changes.ts')).ProcessChanges())
        sampledAtMs = performance.now()
        try {
          if (isFirst) {
            reported.see(await own.read(signal))
            await sleep(SECOND_SAMPLE_MS, undefined, { signal })
          }
          reported.see(await own.read(signal))
        } catch (cause) {
          const problem = describeError(cause).slice(0, 2000) || 'Failed to list the processes.'
          if (isWatched()) send([{ ...NOTHING, problem }])
          throw cause
        }
        if (isWatched() && send(reported.list())) reported.remember()
      },
      onStop: () => {
        reader = undefined
        changes = undefined
      },
    })
  }
}
