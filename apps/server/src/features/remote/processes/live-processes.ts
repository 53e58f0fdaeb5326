import { randomBytes } from 'node:crypto'
import type { ProcessSample } from '@muster/contract/agent/processes'
import type { LiveProcesses as Changes, Process } from '@muster/contract/api/processes'
import type { WatchedProcesses } from '../../../fleet/handlers.ts'
import { LiveViews } from '../../../fleet/live-views.ts'

/** A response must also fit a message between two server processes. The rest is requested again. */
const MAX_ANSWER_CHARACTERS = 250_000
/** Number of remembered ended processes. Older requests get the full list again. */
const MAX_GONE = 5000

interface Seen {
  /** Changes with each watch: positions of an earlier one are meaningless. */
  epoch: string
  position: number
  /** In the order of their last change. */
  processes: Map<number, { process: Process; position: number }>
  gone: { pid: number; position: number }[]
  /** Ended processes up to this position are no longer known. */
  goneFrom: number
  isComplete: boolean
  /** Why the machine could not list them at last. */
  problem: string | undefined
  sums: Pick<Changes, 'left_out' | 'cpu_percent' | 'memory_total' | 'memory_used'>
}

/** Viewed processes of machines linked to this process, as reported. */
export class LiveProcesses implements Disposable {
  #watches: LiveViews<Seen>

  constructor(renew: (agentId: string, seconds: number) => boolean) {
    this.#watches = new LiveViews(renew, beginSeen)
  }

  /** Waits for changes since `after`. Undefined = the machine is not linked here. */
  async next(agentId: string, after: string): Promise<WatchedProcesses | undefined> {
    const seen = await this.#watches.next(
      agentId,
      (state) =>
        state.problem !== undefined || (state.isComplete && state.position > (positionIn(state, after) ?? 0)),
    )
    if (seen === undefined) return undefined
    if (seen.problem !== undefined) return { problem: seen.problem }
    const from = positionIn(seen, after)
    const { processes, next } = listChanged(seen, from ?? 0)
    return {
      connected: true,
      whole: from === undefined,
      more: next < seen.position,
      processes,
      gone:
        from === undefined ? [] : seen.gone.filter(({ position }) => position > from).map(({ pid }) => pid),
      next: seen.isComplete ? `${seen.epoch}.${next}` : after,
      ...seen.sums,
    }
  }

  /** Takes a whole or partial scan. Unrequested ones are dropped. */
  take(agentId: string, look: ProcessSample): void {
    const seen = this.#watches.find(agentId)
    if (seen === undefined) return
    seen.problem = look.problem
    if (look.problem !== undefined) return this.#watches.wake(agentId)
    if (look.whole) Object.assign(seen, beginSeen())
    // A scan that was in transit when an earlier watch ended cannot be applied.
    else if (seen.position === 0) return
    takePart(seen, look)
    if (look.more) return
    seen.isComplete = true
    this.#watches.wake(agentId)
  }

  drop(agentId: string): void {
    this.#watches.drop(agentId)
  }

  [Symbol.dispose](): void {
    this.#watches[Symbol.dispose]()
  }
}

function beginSeen(): Seen {
  return {
    epoch: randomBytes(6).toString('base64url'),
    position: 0,
    processes: new Map(),
    gone: [],
    goneFrom: 0,
    isComplete: false,
    problem: undefined,
    sums: { left_out: 0, cpu_percent: 0, memory_total: 0, memory_used: 0 },
  }
}

/** The position in `after`. Undefined = everything must be sent. */
function positionIn(seen: Seen, after: string): number | undefined {
  const [epoch, position] = after.split('.')
  if (epoch !== seen.epoch || position === undefined || !/^\d{1,15}$/.test(position)) return undefined
  return Number(position) < seen.goneFrom || Number(position) > seen.position ? undefined : Number(position)
}

function takePart(seen: Seen, look: ProcessSample): void {
  // A scan without changes also counts.
  seen.position += 1
  const put = (process: Process) => {
    seen.position += 1
    seen.processes.delete(process.pid)
    seen.processes.set(process.pid, { process, position: seen.position })
  }
  for (const pid of look.gone) {
    if (!seen.processes.delete(pid)) continue
    seen.position += 1
    seen.gone.push({ pid, position: seen.position })
  }
  const old = seen.gone.splice(0, Math.max(0, seen.gone.length - MAX_GONE))
  seen.goneFrom = old.at(-1)?.position ?? seen.goneFrom
  for (const process of look.put) {
    const before = seen.processes.get(process.pid)?.process
    const use = before?.start === process.start ? before : { cpu_percent: 0, membytes: 0 }
    put({ ...process, cpu_percent: use.cpu_percent, membytes: use.membytes })
  }
  for (const [pid, cpu_percent, membytes] of look.use) {
    const known = seen.processes.get(pid)
    if (known !== undefined) put({ ...known.process, cpu_percent, membytes })
  }
  const { left_out, cpu_percent, memory_total, memory_used } = look
  seen.sums = { left_out, cpu_percent, memory_total, memory_used }
}

/** As many as fit, the oldest change first, and the position up to which they are complete. */
function listChanged(seen: Seen, from: number): { processes: Process[]; next: number } {
  const processes: Process[] = []
  let characters = 0
  let next = from
  for (const { process, position } of seen.processes.values()) {
    if (position <= from) continue
    characters += JSON.stringify(process).length
    if (characters > MAX_ANSWER_CHARACTERS) return { processes, next }
    processes.push(process)
    next = position
  }
  return { processes, next: seen.position }
}
