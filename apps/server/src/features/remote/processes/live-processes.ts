import { randomBytes } from 'node:crypto'
import type { ProcessLook } from '@muster/contract/agent/processes'
import type { LiveProcesses as Answer, Process } from '@muster/contract/api/processes'
import { Watches } from '../../../fleet/watches.ts'

/** An answer also fits a message between two server processes; what does not fit is asked for again. */
const MOST_ANSWER_CHARACTERS = 250_000
/** Of so many that have ended the numbers are known; who has asked longer ago is told everything anew. */
const MOST_GONE = 5000

interface Seen {
  /** Another one with each watch: places of an earlier one say nothing. */
  epoch: string
  place: number
  /** In the order of their last change. */
  processes: Map<number, { process: Process; place: number }>
  gone: { pid: number; place: number }[]
  /** What has ended up to here is not known any more. */
  goneFrom: number
  isComplete: boolean
  sums: Pick<Answer, 'left_out' | 'cpu_percent' | 'memory_total' | 'memory_used'>
}

/** The processes of machines of this process that somebody looks at, as each has told them. */
export class LiveProcesses implements Disposable {
  #watches: Watches<Seen>

  constructor(tell: (agentId: string, seconds: number) => boolean) {
    this.#watches = new Watches(tell, beginSeen)
  }

  /** What has changed since `after`, as soon as there is something; undefined = the machine is not linked here. */
  async next(agentId: string, after: string): Promise<Answer | undefined> {
    const seen = await this.#watches.next(
      agentId,
      (state) => state.isComplete && state.place > (placeOf(state, after) ?? 0),
    )
    if (seen === undefined) return undefined
    const from = placeOf(seen, after)
    const { processes, next } = listChanged(seen, from ?? 0)
    return {
      connected: true,
      whole: from === undefined,
      more: next < seen.place,
      processes,
      gone: from === undefined ? [] : seen.gone.filter(({ place }) => place > from).map(({ pid }) => pid),
      next: seen.isComplete ? `${seen.epoch}.${next}` : after,
      ...seen.sums,
    }
  }

  /** A machine has looked, or tells a part of a look; what nobody asked for is passed over. */
  take(agentId: string, look: ProcessLook): void {
    const seen = this.#watches.find(agentId)
    if (seen === undefined) return
    if (look.whole) Object.assign(seen, beginSeen())
    // What was on its way when an earlier watch ended cannot be made sense of.
    else if (seen.place === 0) return
    takePart(seen, look)
    if (look.more) return
    seen.isComplete = true
    this.#watches.wake(agentId)
  }

  forget(agentId: string): void {
    this.#watches.forget(agentId)
  }

  [Symbol.dispose](): void {
    this.#watches[Symbol.dispose]()
  }
}

function beginSeen(): Seen {
  return {
    epoch: randomBytes(6).toString('base64url'),
    place: 0,
    processes: new Map(),
    gone: [],
    goneFrom: 0,
    isComplete: false,
    sums: { left_out: 0, cpu_percent: 0, memory_total: 0, memory_used: 0 },
  }
}

/** The place that `after` names; undefined = everything is to be told. */
function placeOf(seen: Seen, after: string): number | undefined {
  const [epoch, place] = after.split('.')
  if (epoch !== seen.epoch || place === undefined || !/^\d{1,15}$/.test(place)) return undefined
  return Number(place) < seen.goneFrom || Number(place) > seen.place ? undefined : Number(place)
}

function takePart(seen: Seen, look: ProcessLook): void {
  // A look in which nothing has changed is one, too.
  seen.place += 1
  const put = (process: Process) => {
    seen.place += 1
    seen.processes.delete(process.pid)
    seen.processes.set(process.pid, { process, place: seen.place })
  }
  for (const pid of look.gone) {
    if (!seen.processes.delete(pid)) continue
    seen.place += 1
    seen.gone.push({ pid, place: seen.place })
  }
  const old = seen.gone.splice(0, Math.max(0, seen.gone.length - MOST_GONE))
  seen.goneFrom = old.at(-1)?.place ?? seen.goneFrom
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

/** As many as fit, the longest unchanged first, and up to which place that is everything. */
function listChanged(seen: Seen, from: number): { processes: Process[]; next: number } {
  const processes: Process[] = []
  let characters = 0
  let next = from
  for (const { process, place } of seen.processes.values()) {
    if (place <= from) continue
    characters += JSON.stringify(process).length
    if (characters > MOST_ANSWER_CHARACTERS) return { processes, next }
    processes.push(process)
    next = place
  }
  return { processes, next: seen.place }
}
