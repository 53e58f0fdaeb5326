/** When an escalation chain notifies: the contract's EscalationChainForm. */
export interface EscalationTimes {
  /** Minutes after the chain starts, increasing. */
  steps: readonly { after_minutes: number }[]
  /** The last step is repeated this often ... */
  repeat_times: number
  /** ... after this many minutes each. 0 = never. */
  repeat_minutes: number
}

export interface EscalationRun {
  /** Index of the step. */
  step: number
  /** 0, or the number of the repetition. */
  round: number
  /** Minutes after the chain starts. */
  minutes: number
}

/** The run of a chain with this number, from 0; undefined after the last one. */
export function escalationRun(chain: EscalationTimes, run: number): EscalationRun | undefined {
  const { steps, repeat_minutes, repeat_times } = chain
  const step = steps[run]
  if (step !== undefined) return { step: run, round: 0, minutes: step.after_minutes }
  const last = steps.at(-1)
  const round = run - steps.length + 1
  if (last === undefined || repeat_minutes === 0 || round > repeat_times) return undefined
  return { step: steps.length - 1, round, minutes: last.after_minutes + round * repeat_minutes }
}

/** Minutes from the start, or from the run before, to a run. */
export function minutesBefore(chain: EscalationTimes, run: number): number | undefined {
  const next = escalationRun(chain, run)
  if (next === undefined) return undefined
  return next.minutes - (run === 0 ? 0 : (escalationRun(chain, run - 1)?.minutes ?? 0))
}

/** Returns the problem of the times as a sentence. */
export function findEscalationProblem({ steps }: EscalationTimes): string | undefined {
  if (steps.length === 0) return 'Add at least one step.'
  const isInOrder = steps.every(
    ({ after_minutes }, index) => index === 0 || after_minutes > (steps[index - 1]?.after_minutes ?? 0),
  )
  return isInOrder ? undefined : 'Each step must be later than the one before.'
}

/** Whether a chain runs for an alert: it was notified, and no user works on it. */
export function escalates(alert: {
  state: string
  hold: string | null
  /** The highest severity that was notified; null = no notification yet. */
  notified: string | null
}): boolean {
  return alert.state === 'open' && alert.hold === null && alert.notified !== null
}
