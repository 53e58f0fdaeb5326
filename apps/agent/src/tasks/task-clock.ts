import { createHash } from 'node:crypto'
import { isTimed, nextTaskRun, parseTimePeriod } from '@muster/rules/schedules/task-schedule'
import { instantOf, wallClockAt } from '@muster/rules/schedules/zone-time'
import type { PlannedTask } from './definitions.ts'

/** Maximum time between two clock checks: the clock may be set, and the machine may sleep. */
const MAX_WAIT_MS = 30_000
/** A run that starts later than this was missed. A busy machine may be slightly late. */
const LATE_MS = 90_000
/** A clock that was set back by more was wrong before: times in its future were not handled. */
const SET_BACK_MS = 3_600_000
const MAX_COUNTED = 1000

/** The task is due, for one or several times; or never, if the time zone has changed. */
export interface DueTask {
  task: PlannedTask
  /** The run that starts; undefined if it is too late and missed runs are not caught up. */
  run: { trigger: 'schedule' | 'missed'; plannedMs: number } | undefined
  /** Runs that were missed. */
  missed: { count: number; fromMs: number; toMs: number } | undefined
  /** All runs up to this time are handled. */
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
  /** Seed that makes the random delays of this machine differ from those of others. */
  seed: string
  /** Handles the due task in one transaction. */
  onDue: (due: DueTask) => void
}

/**
 * Decides when tasks run by the calendar. The time up to which its runs are handled is stored per task; runs between
 * that time and now are due or were missed. So a run happens once, however the clock changes and however often the
 * agent restarts.
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

  /** Replaces the tasks that run. */
  plan(tasks: readonly PlannedTask[]): void {
    const timed = tasks.filter(({ enabled, schedule }) => enabled && isTimed(schedule.task_type))
    // The time zone is read only when needed: the calendar data takes 7 MB of memory.
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
    // After a time zone change: times of the old zone before, of the new zone after.
    this.#entries = this.#entries.map((entry) => this.#attend(entry, now))
    if (zone !== this.#zone) {
      const before = this.#zone
      this.#zone = zone
      this.#entries = this.#entries.map((entry) => this.#move(entry, before, now))
    }
    const dueMs = Math.min(...this.#entries.map((entry) => entry.dueMs))
    const waitMs = Math.min(Math.max(dueMs - this.#options.now(), 0), MAX_WAIT_MS)
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

  /** A run at a time of day that the new zone reaches later was not missed. */
  #move({ task, handledMs: before }: Entry, zone: string, now: number): Entry {
    const same = instantOf(this.#zone, wallClockAt(zone, before))
    const handledMs = Math.max(before, Math.min(same, now))
    if (handledMs > before) this.#options.onDue({ task, run: undefined, missed: undefined, handledMs })
    return this.#entryOf(task, handledMs)
  }

  #collect({ task, handledMs }: Entry, now: number): DueTask {
    const runs: number[] = []
    let next = nextTaskRun(task.schedule, this.#zone, handledMs)
    while (next !== undefined && next + this.#delayOf(task, next) <= now && runs.length < MAX_COUNTED) {
      runs.push(next)
      next = nextTaskRun(task.schedule, this.#zone, next)
    }
    // The caller found that one is due.
    const plannedMs = runs.at(-1)!
    const lateMs = now - plannedMs - this.#delayOf(task, plannedMs)
    const isLate = lateMs > LATE_MS || runs.length === MAX_COUNTED
    const run =
      isLate && !task.run_asap_after_missed
        ? undefined
        : { plannedMs, trigger: isLate ? ('missed' as const) : ('schedule' as const) }
    const lost = run === undefined ? runs : runs.slice(0, -1)
    return {
      task,
      run,
      missed: lost.length === 0 ? undefined : { count: lost.length, fromMs: lost[0]!, toMs: lost.at(-1)! }, // Not empty.
      handledMs: runs.length === MAX_COUNTED ? now : plannedMs,
    }
  }

  #entryOf(task: PlannedTask, handledMs: number): Entry {
    const next = nextTaskRun(task.schedule, this.#zone, handledMs)
    return { task, handledMs, dueMs: next === undefined ? Infinity : next + this.#delayOf(task, next) }
  }

  /** The same result for the same run, also after a restart. */
  #delayOf({ id, schedule: { random_task_delay: delay } }: PlannedTask, plannedMs: number): number {
    if (delay === null) return 0
    const digest = createHash('sha256').update(`${this.#options.seed} ${id} ${plannedMs}`).digest()
    return Math.floor((digest.readUInt32BE(0) / 2 ** 32) * parseTimePeriod(delay, () => {}) * 1000)
  }
}
