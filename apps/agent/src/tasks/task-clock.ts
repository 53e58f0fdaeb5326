import { createHash } from 'node:crypto'
import { isTimed, nextTaskRun } from '@muster/rules/schedules/task-schedule'
import { parseTimePeriod } from '@muster/rules/schedules/time-period'
import { instantOf, wallClockAt } from '@muster/rules/schedules/zone-time'
import type { PlannedTask } from './definitions.ts'

/** The clock is looked at no more seldom than this: it may be set, and the machine may have slept. */
const LONGEST_WAIT_MS = 30_000
/** What begins later than this was missed; a machine that is busy may be a little late. */
const LATE_MS = 90_000
/** A clock that was set back by more was wrong before: what "was dealt with" in its future was not. */
const SET_BACK_MS = 3_600_000
const MOST_COUNTED = 1000

/** That the time of a task has come, once or several times; or never, where the zone has changed. */
export interface DueTask {
  task: PlannedTask
  /** The run that takes place; undefined when it is too late for it and nothing is made up for. */
  run: { trigger: 'schedule' | 'missed'; plannedMs: number } | undefined
  /** Runs that do not take place. */
  missed: { count: number; fromMs: number; toMs: number } | undefined
  /** All up to here is dealt with. */
  handledMs: number
}

interface Entry {
  task: PlannedTask
  handledMs: number
  /** Infinity = never. */
  dueMs: number
}

export interface TaskClockOptions {
  /** Unix milliseconds. */
  now: () => number
  zone: () => string
  /** Makes the random delays of this machine differ from those of others. */
  seed: string
  /** Deals with it in one transaction. */
  onDue: (due: DueTask) => void
}

/**
 * Decides when tasks run by the calendar. For each task it is known up to which moment its runs are dealt with; what
 * lies between there and now is run or was missed. So a run happens once, however the clock jumps and however often
 * the agent is restarted.
 */
export class TaskClock implements Disposable {
  #options: TaskClockOptions
  #entries: Entry[] = []
  #zone = ''
  #timer: NodeJS.Timeout | undefined
  #isDisposed = false

  constructor(options: TaskClockOptions) {
    this.#options = options
  }

  /** Makes these the tasks that run. */
  plan(tasks: readonly PlannedTask[]): void {
    const timed = tasks.filter(({ enabled, schedule }) => enabled && isTimed(schedule.task_type))
    // Where the time zone is not needed it is not read: the calendars of the world take 7 MB of an agent's memory.
    if (timed.length > 0) this.#zone = this.#options.zone()
    this.#entries = timed.map((task) => {
      const handledMs = Math.max(task.handledMs ?? -Infinity, Date.parse(task.counts_from))
      return this.#entryOf(task, handledMs)
    })
    this.#look()
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    clearTimeout(this.#timer)
  }

  #look(): void {
    clearTimeout(this.#timer)
    if (this.#entries.length === 0 || this.#isDisposed) return
    const now = this.#options.now()
    const zone = this.#options.zone()
    // By the clocks where it was, before by those where it is.
    this.#entries = this.#entries.map((entry) => this.#attend(entry, now))
    if (zone !== this.#zone) {
      const before = this.#zone
      this.#zone = zone
      this.#entries = this.#entries.map((entry) => this.#move(entry, before, now))
    }
    const dueMs = Math.min(...this.#entries.map((entry) => entry.dueMs))
    const waitMs = Math.min(Math.max(dueMs - this.#options.now(), 0), LONGEST_WAIT_MS)
    this.#timer = setTimeout(() => this.#look(), waitMs)
  }

  #attend(entry: Entry, now: number): Entry {
    const { task } = entry
    if (entry.handledMs > now + SET_BACK_MS) return this.#entryOf(task, now)
    if (entry.dueMs > now) return entry
    const due = this.#collect(entry, now)
    this.#options.onDue(due)
    return this.#entryOf(task, due.handledMs)
  }

  /** What has run at a time of day that the clocks here showed later was not missed here. */
  #move({ task, handledMs: before }: Entry, zone: string, now: number): Entry {
    const same = instantOf(this.#zone, wallClockAt(zone, before))
    const handledMs = Math.max(before, Math.min(same, now))
    if (handledMs > before) this.#options.onDue({ task, run: undefined, missed: undefined, handledMs })
    return this.#entryOf(task, handledMs)
  }

  #collect({ task, handledMs }: Entry, now: number): DueTask {
    const runs: number[] = []
    let next = nextTaskRun(task.schedule, this.#zone, handledMs)
    while (next !== undefined && next + this.#delayOf(task, next) <= now && runs.length < MOST_COUNTED) {
      runs.push(next)
      next = nextTaskRun(task.schedule, this.#zone, next)
    }
    // The caller found that one is due.
    const plannedMs = runs.at(-1)!
    const lateMs = now - plannedMs - this.#delayOf(task, plannedMs)
    const isLate = lateMs > LATE_MS || runs.length === MOST_COUNTED
    const run =
      isLate && !task.run_asap_after_missed
        ? undefined
        : { plannedMs, trigger: isLate ? ('missed' as const) : ('schedule' as const) }
    const lost = run === undefined ? runs : runs.slice(0, -1)
    return {
      task,
      run,
      missed: lost.length === 0 ? undefined : { count: lost.length, fromMs: lost[0]!, toMs: lost.at(-1)! }, // There is one.
      handledMs: runs.length === MOST_COUNTED ? now : plannedMs,
    }
  }

  #entryOf(task: PlannedTask, handledMs: number): Entry {
    const next = nextTaskRun(task.schedule, this.#zone, handledMs)
    return { task, handledMs, dueMs: next === undefined ? Infinity : next + this.#delayOf(task, next) }
  }

  /** The same for the same run, also after a restart. */
  #delayOf({ id, schedule: { random_task_delay: delay } }: PlannedTask, plannedMs: number): number {
    if (delay === null) return 0
    const digest = createHash('sha256').update(`${this.#options.seed} ${id} ${plannedMs}`).digest()
    return Math.floor((digest.readUInt32BE(0) / 2 ** 32) * parseTimePeriod(delay, () => {}) * 1000)
  }
}
