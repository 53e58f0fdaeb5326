import {
  type ActionResult,
  type DefinedAction,
  roomForOutput,
  type TaskDefinition,
} from '@muster/contract/agent/tasks'
import { TailText } from '../checks/tail-text.ts'
import type { BackgroundRuns } from '../run/background-runs.ts'
import { prepareCommand } from '../run/prepare-command.ts'
import { prepareScript, type RunPlace } from '../run/prepare-script.ts'
import { describePreparation, type Stop } from '../run/run-outcome.ts'

const LONGEST_REASON = 2000

export interface ActionSurroundings {
  runs: BackgroundRuns
  place: RunPlace
  /** Ends the run. */
  signal: AbortSignal
  /** Why it was ended. */
  stop: () => Stop
}

/** Takes the actions of a task in order. */
export async function runActions(
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
      results.push(notTaken(action, { outcome: 'skipped', reason: 'An action before it failed.' }))
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
  { runs, place, signal, stop }: ActionSurroundings,
): Promise<ActionResult> {
  const { problem, secrets } = action.type === 'script' ? action : {}
  if (problem !== undefined) return notTaken(action, { outcome: 'refused', reason: problem })
  const output = { stdout: new TailText(room, secrets), stderr: new TailText(room, secrets) }
  const prepare = () =>
    action.type === 'script'
      ? prepareScript({ ...action, run_as_user: null }, place)
      : prepareCommand({ ...action, env_vars: [], run_as_user: null }, place)
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
      reason: reason?.slice(0, LONGEST_REASON) ?? null,
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
    reason: reason.slice(0, LONGEST_REASON),
    retcode: null,
    stdout: '',
    stderr: '',
    execution_time: 0,
  }
}
