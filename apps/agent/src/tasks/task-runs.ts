import {
  type ActionResult,
  type DefinedAction,
  INSTANCE_POLICIES,
  roomForOutput,
  type TaskDefinition,
} from '@muster/contract/agent/tasks'
import { endOfRepetition } from '@muster/rules/schedules/task-schedule'
import { describeError, type Log } from '../log/log.ts'
import type { BackgroundRuns } from '../run/background-runs.ts'
import { Semaphore } from '../run/semaphore.ts'
import { prepareCommand, prepareScript, type RunContext } from '../run/prepare-run.ts'
import { describePreparation, type Stop } from '../run/run-outcome.ts'
import type { Outbox } from '../state/outbox.ts'
import type { State } from '../state/state.ts'
import { OutputText } from '../run/output-reports.ts'
import type { RunRequest, TaskRunQueue } from './task-run-queue.ts'

const MAX_REASON_CHARACTERS = 2000

interface ActionSurroundings {
  runs: BackgroundRuns
  context: RunContext
  /** Ends the run. */
  signal: AbortSignal
  /** Why it was ended. */
  stop: () => Stop
}

/** Runs the actions of a task in order. */
async function runActions(
  { actions, continue_on_error }: TaskDefinition,
  surroundings: ActionSurroundings,
): Promise<ActionResult[]> {
  const room = roomForOutput(actions.length)
  const results: ActionResult[] = []
  let isBroken = false
  for (const action of actions) {
    if (surroundings.signal.aborted) {
      results.push(notTaken(action, surroundings.stop()))
    } else if (isBroken) {
      results.push(notTaken(action, { outcome: 'skipped', reason: 'An earlier action failed.' }))
    } else {
      const result = await runAction(action, room, surroundings)
      results.push(result)
      isBroken = !continue_on_error && (result.outcome !== 'exited' || result.retcode !== 0)
    }
  }
  return results
}

async function runAction(
  action: DefinedAction,
  room: number,
  { runs, context, signal, stop }: ActionSurroundings,
): Promise<ActionResult> {
  const { problem, secrets } = action.type === 'script' ? action : {}
  if (problem !== undefined) return notTaken(action, { outcome: 'refused', reason: problem })
  const output = { stdout: new OutputText(room, secrets), stderr: new OutputText(room, secrets) }
  const prepare = () =>
    action.type === 'script'
      ? prepareScript({ ...action, run_as_user: action.run_as_user ?? null }, context)
      : prepareCommand({ ...action, env_vars: [], run_as_user: null }, context)
  try {
    const { seconds, outcome, reason, retcode } = await runs.run(prepare, {
      signal,
      stop,
      timeoutSeconds: action.timeout_seconds,
      onOutput: (stream, bytes) => void output[stream].take(bytes),
    })
    for (const text of [output.stdout, output.stderr]) text.end()
    return {
      name: action.name,
      outcome,
      reason: reason?.slice(0, MAX_REASON_CHARACTERS) ?? null,
      retcode,
      stdout: output.stdout.text,
      stderr: output.stderr.text,
      execution_time: seconds,
    }
  } catch (cause) {
    const { outcome, reason } = describePreparation(cause)
    return notTaken(action, { outcome, reason: reason ?? '' })
  }
}

function notTaken(
  { name }: DefinedAction,
  why: { outcome: ActionResult['outcome']; reason: string },
): ActionResult {
  const { outcome, reason } = why
  return {
    name,
    outcome,
    reason: reason.slice(0, MAX_REASON_CHARACTERS),
    retcode: null,
    stdout: '',
    stderr: '',
    execution_time: 0,
  }
}

const MAX_AT_ONCE = 8
/** Runs of one task that wait for the previous one. */
const MAX_WAITING = 100
/** A hanging process must not block shutdown. */
const LAST_RUNS_MS = 6000

export interface TaskRunsOptions {
  state: State
  outbox: Outbox
  orders: TaskRunQueue
  runs: BackgroundRuns
  context: RunContext
  log: Log
  now: () => number
  zone: () => string
}

interface ActiveRun {
  order: RunRequest
  definition: TaskDefinition
  abort: AbortController
  stop?: Stop
  /** Its task was removed: results are dropped. */
  isUnwanted?: boolean
  ended: Promise<void>
}

/** Runs tasks, with each task's policy for a run that is still active. */
export class TaskRuns implements AsyncDisposable {
  #options: TaskRunsOptions
  #slots = new Semaphore(MAX_AT_ONCE)
  #active = new Set<ActiveRun>()
  /** By task, in order of arrival. */
  #waiting = new Map<number, { order: RunRequest; definition: TaskDefinition }[]>()
  #isDisposed = false

  constructor(options: TaskRunsOptions) {
    this.#options = options
  }

  /** Whether it is active or waits for an earlier run. */
  has({ run_id, task_id }: RunRequest): boolean {
    return (
      [...this.#active].some(({ order }) => order.run_id === run_id) ||
      (this.#waiting.get(task_id) ?? []).some(({ order }) => order.run_id === run_id)
    )
  }

  begin(order: RunRequest, definition: TaskDefinition): void {
    const before = [...this.#active].filter((run) => run.order.task_id === order.task_id)
    const waiting = this.#waiting.get(order.task_id) ?? []
    if (before.length === 0 && waiting.length === 0) return this.#start(order, definition)
    switch (definition.task_instance_policy) {
      case INSTANCE_POLICIES.parallel:
        return this.#start(order, definition)
      case INSTANCE_POLICIES.skip:
        return this.#miss(order)
      case INSTANCE_POLICIES.stopExisting:
        for (const { order: earlier } of waiting) this.#miss(earlier)
        this.#waiting.set(order.task_id, [{ order, definition }])
        for (const run of before)
          end(run, { outcome: 'cancelled', reason: 'Ended because the task started again.' })
        return undefined
      default:
        if (waiting.length >= MAX_WAITING) return this.#miss(order)
        this.#waiting.set(order.task_id, [...waiting, { order, definition }])
    }
  }

  /** Ends the runs of a removed task. */
  removeUnwanted(isWanted: (taskId: number) => boolean): void {
    for (const [taskId, waiting] of this.#waiting) {
      if (isWanted(taskId)) continue
      for (const { order } of waiting) this.#options.orders.move(order, 'ended')
      this.#waiting.delete(taskId)
    }
    for (const run of this.#active) {
      if (isWanted(run.order.task_id)) continue
      run.isUnwanted = true
      this.#options.orders.move(run.order, 'ended')
      end(run, { outcome: 'cancelled', reason: 'The task was removed while it ran.' })
    }
  }

  /** Reports a run that cannot start, or was interrupted. */
  fail(order: RunRequest, reason: string): void {
    const { outbox, orders, state } = this.#options
    const at = this.#instant()
    state.write(() => {
      outbox.append({
        kind: 'task-result',
        ...headOf(order),
        started_at: order.ordered_at,
        ended_at: at < order.ordered_at ? order.ordered_at : at,
        reason,
        actions: [],
      })
      orders.move(order, 'ended')
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    for (const run of this.#active)
      end(run, { outcome: 'failed', reason: 'The agent was stopped while the task ran.' })
    const over = Promise.withResolvers<void>()
    const patience = setTimeout(() => over.resolve(), LAST_RUNS_MS)
    await Promise.race([Promise.all([...this.#active].map(({ ended }) => ended)), over.promise])
    clearTimeout(patience)
  }

  #start(order: RunRequest, definition: TaskDefinition): void {
    const run: ActiveRun = { order, definition, abort: new AbortController(), ended: Promise.resolve() }
    this.#active.add(run)
    run.ended = this.#perform(run)
      .catch((cause: unknown) => {
        this.#options.log.error(
          { task_id: order.task_id, cause: describeError(cause) },
          'task failed with an unexpected error',
        )
        this.fail(order, `Failed to run the task: ${describeError(cause)}.`)
      })
      .finally(() => {
        this.#active.delete(run)
        this.#startNext(order.task_id)
      })
  }

  #startNext(taskId: number): void {
    if (this.#isDisposed || [...this.#active].some(({ order }) => order.task_id === taskId)) return
    const [next, ...rest] = this.#waiting.get(taskId) ?? []
    if (rest.length === 0) this.#waiting.delete(taskId)
    else this.#waiting.set(taskId, rest)
    if (next !== undefined) this.#start(next.order, next.definition)
  }

  async #perform(run: ActiveRun): Promise<void> {
    await this.#slots.take()
    try {
      if (run.isUnwanted === true || (this.#isDisposed && run.stop === undefined)) return
      await this.#performNow(run)
    } finally {
      this.#slots.give()
    }
  }

  async #performNow(run: ActiveRun): Promise<void> {
    const { outbox, orders, runs, context, state } = this.#options
    const { order, definition } = run
    const started_at = this.#instant()
    state.write(() => {
      orders.move(order, 'running')
      outbox.append({ kind: 'task-started', ...headOf(order), started_at })
    })
    const timer = this.#endInTime(run)
    const actions = await runActions(definition, {
      runs,
      context,
      signal: run.abort.signal,
      // The code that aborts sets the reason.
      stop: () => run.stop ?? { outcome: 'cancelled', reason: 'Stopped.' },
    })
    clearTimeout(timer)
    state.write(() => {
      orders.move(order, 'ended')
      if (run.isUnwanted === true) return
      const ended_at = this.#instant()
      outbox.append({
        kind: 'task-result',
        ...headOf(order),
        started_at,
        // The clock may have been set back.
        ended_at: ended_at < started_at ? started_at : ended_at,
        reason: run.stop?.reason ?? null,
        actions,
      })
    })
  }

  /** A task may request to end with its repetition period. */
  #endInTime(run: ActiveRun): NodeJS.Timeout | undefined {
    const { order, definition } = run
    const { now, zone } = this.#options
    if (!definition.stop_task_at_duration_end || order.planned_at === null) return undefined
    const endMs = endOfRepetition(definition.schedule, zone(), Date.parse(order.planned_at))
    if (endMs === undefined) return undefined
    const reason = 'Ended because the repetition period of the task is over.'
    return setTimeout(
      () => end(run, { outcome: 'cancelled', reason }),
      Math.min(Math.max(0, endMs - now()), 2 ** 31 - 1),
    )
  }

  #miss(order: RunRequest): void {
    const { outbox, orders, state } = this.#options
    const { task_id, run_id, planned_at, ordered_at } = order
    const at = planned_at ?? ordered_at
    state.write(() => {
      outbox.append({ kind: 'task-missed', task_id, run_id, count: 1, from: at, to: at, why: 'busy' })
      orders.move(order, 'ended')
    })
  }

  #instant(): string {
    return new Date(this.#options.now()).toISOString()
  }
}

function headOf({ task_id, run_id, trigger, planned_at }: RunRequest) {
  return { task_id, run_id, trigger, planned_at }
}

function end(run: ActiveRun, stop: Stop): void {
  run.stop ??= stop
  run.abort.abort()
}
