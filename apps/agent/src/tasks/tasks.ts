import { randomUUID } from 'node:crypto'
import type { CommandInput } from '@muster/contract/agent/commands'
import type { TaskTrigger } from '@muster/contract/agent/tasks'
import type { Log } from '../log/log.ts'
import type { BackgroundRuns } from '../run/background-runs.ts'
import type { RunContext } from '../run/prepare-run.ts'
import type { Wanted } from '../state/definitions.ts'
import type { KeyValueStore, State } from '../state/state.ts'
import type { Outbox } from '../state/outbox.ts'
import type { Seal } from '../state/seal.ts'
import { isSameBoot } from '../os/node-os.ts'
import { type PlannedTask, TaskDefinitions } from './definitions.ts'
import { TaskRunQueue } from './task-run-queue.ts'
import { type DueTask, TaskClock } from './task-clock.ts'
import { TaskRuns } from './task-runs.ts'

/** Definitions may arrive in several commands. Those still missing after this time are requested. */
const REQUEST_DELAY_MS = 500
/** A request may arrive before the definition of its task. */
const WAIT_FOR_DEFINITION_MS = 60_000
const SEED = 'tasks_seed'
const BOOT = 'tasks_boot'

export interface TasksOptions {
  state: State
  keyValues: KeyValueStore
  seal: Seal
  outbox: Outbox
  log: Log
  runs: BackgroundRuns
  context: RunContext
  /** Unix milliseconds, corrected to the server's clock. */
  now: () => number
  zone: () => string
  bootMark: () => string
}

/**
 * The tasks of this machine: their definitions, schedule and results. A run is stored (task-run-queue.ts) before its
 * process starts, so that one transaction records both that it is due and that it is handled.
 */
export class Tasks implements AsyncDisposable {
  #options: TasksOptions
  #definitions: TaskDefinitions
  #orders: TaskRunQueue
  #clock: TaskClock
  #runs: TaskRuns
  #newest = -1
  #requestedIds = new Set<number>()
  #reported = new Set<string>()
  #requestTimer: NodeJS.Timeout | undefined
  #replan: NodeJS.Immediate | undefined
  #begin: NodeJS.Immediate | undefined
  #queueTimer: NodeJS.Timeout | undefined

  constructor(options: TasksOptions) {
    const { keyValues, now, zone } = options
    this.#options = options
    this.#definitions = new TaskDefinitions(options)
    this.#orders = new TaskRunQueue(options)
    this.#runs = new TaskRuns({ ...options, orders: this.#orders })
    const seed = keyValues.find(SEED) ?? randomUUID()
    keyValues.save(SEED, seed)
    this.#clock = new TaskClock({ now, zone, seed, onDue: (due) => this.#takeDue(due) })
  }

  start(): void {
    for (const order of this.#orders.list('running'))
      this.#runs.fail(order, 'The agent was restarted while the task ran.')
    this.#plan()
    const { bootMark, keyValues, state } = this.#options
    const [mark, before] = [bootMark(), keyValues.find(BOOT)]
    state.write(() => {
      keyValues.save(BOOT, mark)
      if (before === undefined || isSameBoot(before, mark)) return
      for (const { id, enabled, schedule } of this.#definitions.list().planned)
        if (enabled && schedule.task_type === 'startup') this.#order(id, 'startup')
    })
    this.#beginSoon()
  }

  /** The version of `set-tasks` that is stored completely; 0 = none. */
  get version(): number {
    return this.#definitions.version
  }

  onLinkUp(): void {
    this.#newest = -1
    this.#requestedIds.clear()
  }

  /** Stores the definitions from the server, like `Checks.set`. */
  set(wanted: Wanted): void {
    if (wanted.version < this.#newest) return
    this.#newest = wanted.version
    this.#definitions.set(wanted)
    // The transaction may be retried or rolled back.
    this.#replan ??= setImmediate(() => {
      this.#replan = undefined
      this.#plan()
      this.#beginSoon()
      this.#requestSoon(wanted.version)
    })
  }

  /** Runs in the transaction that records the command. */
  runNow({ id, run_id, trigger }: CommandInput<'run-task'>): void {
    this.#order(id, trigger, { runId: run_id })
    this.#beginSoon()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#requestTimer)
    clearTimeout(this.#queueTimer)
    clearImmediate(this.#replan)
    clearImmediate(this.#begin)
    this.#clock[Symbol.dispose]()
    await this.#runs[Symbol.asyncDispose]()
  }

  #plan(): void {
    const { planned, unknown } = this.#definitions.list()
    this.#runs.removeUnwanted((id) => this.#definitions.has(id))
    this.#clock.plan(planned)
    for (const task of planned) this.#onboard(task)
    for (const { id, revision } of unknown) this.#reportUnknown(id, revision)
  }

  #onboard({ id, enabled, schedule, onboarded }: PlannedTask): void {
    if (schedule.task_type !== 'onboarding' || !enabled || onboarded) return
    this.#options.state.write(() => {
      this.#definitions.saveOnboarded(id)
      this.#order(id, 'onboarding')
    })
  }

  #reportUnknown(id: number, revision: string): void {
    const name = `${id} ${revision}`
    if (this.#reported.has(name)) return
    this.#reported.add(name)
    this.#options.log.info({ task_id: id }, 'task is not supported')
    const reason =
      'The agent on this machine does not support this task, or cannot store it. Update the agent.'
    this.#runs.fail(this.#newRequest(id, 'schedule', {}), reason)
  }

  #takeDue({ task, run, missed, handledMs }: DueTask): void {
    const { outbox, state } = this.#options
    state.write(() => {
      this.#definitions.saveHandled(task.id, handledMs)
      if (missed !== undefined) {
        outbox.append({
          kind: 'task-missed',
          task_id: task.id,
          run_id: randomUUID(),
          count: missed.count,
          from: new Date(missed.fromMs).toISOString(),
          to: new Date(missed.toMs).toISOString(),
          why: 'off',
        })
      }
      if (run !== undefined) this.#order(task.id, run.trigger, { plannedMs: run.plannedMs })
    })
    this.#beginSoon()
  }

  #order(taskId: number, trigger: TaskTrigger, more: { runId?: string; plannedMs?: number } = {}): void {
    this.#orders.add(this.#newRequest(taskId, trigger, more))
  }

  #newRequest(task_id: number, trigger: TaskTrigger, more: { runId?: string; plannedMs?: number }) {
    const { runId = randomUUID(), plannedMs } = more
    return {
      run_id: runId,
      task_id,
      trigger,
      planned_at: plannedMs === undefined ? null : new Date(plannedMs).toISOString(),
      ordered_at: new Date(this.#options.now()).toISOString(),
    }
  }

  #beginSoon(): void {
    this.#begin ??= setImmediate(() => {
      this.#begin = undefined
      this.#beginWaiting()
    })
  }

  #beginWaiting(): void {
    clearTimeout(this.#queueTimer)
    for (const order of this.#orders.list('waiting')) {
      if (this.#runs.has(order)) continue
      const definition = this.#definitions.find(order.task_id)
      if (definition !== undefined) this.#runs.begin(order, definition)
      else this.#waitForDefinition(order)
    }
  }

  #waitForDefinition(order: ReturnType<TaskRunQueue['list']>[number]): void {
    const waitedMs = this.#options.now() - Date.parse(order.ordered_at)
    if (waitedMs < 0 || waitedMs >= WAIT_FOR_DEFINITION_MS)
      return this.#runs.fail(order, 'The task does not exist on this machine.')
    this.#queueTimer = setTimeout(() => this.#beginWaiting(), WAIT_FOR_DEFINITION_MS - waitedMs)
    return undefined
  }

  #requestSoon(version: number): void {
    clearTimeout(this.#requestTimer)
    const missing = this.#definitions.listMissing()
    if (missing.length === 0) return this.#options.outbox.append({ kind: 'tasks-known', version })
    this.#requestTimer = setTimeout(() => {
      // Requested once per link, or an unreadable definition would be requested forever.
      const ids = this.#definitions.listMissing().filter((id) => !this.#requestedIds.has(id))
      if (ids.length === 0) return
      for (const id of ids) this.#requestedIds.add(id)
      this.#options.outbox.append({ kind: 'tasks-missing', version, ids })
    }, REQUEST_DELAY_MS)
    return undefined
  }
}
