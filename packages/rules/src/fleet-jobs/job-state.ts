/**
 * The states of a fleet job. `approval`: waits for a second person. `scheduled`: waits for its time. `paused`: by a
 * user. `halted`: by its own limits or by a user. `stopped` and `done` are final, but failed machines can be retried.
 */
export const FLEET_JOB_STATES = [
  'approval',
  'scheduled',
  'running',
  'paused',
  'halted',
  'done',
  'stopped',
] as const
export type FleetJobState = (typeof FLEET_JOB_STATES)[number]

/** The states of one machine in a job. `waiting` also covers offline machines that are kept. */
export const JOB_AGENT_STATES = ['waiting', 'running', 'succeeded', 'failed', 'skipped'] as const
export type JobAgentState = (typeof JOB_AGENT_STATES)[number]

export type JobCounts = Record<JobAgentState, number>

export const FLEET_JOB_STEPS = ['approve', 'pause', 'halt', 'resume', 'stop', 'retry_failed', 'undo'] as const
export type FleetJobStep = (typeof FLEET_JOB_STEPS)[number]

const FROM: Record<Exclude<FleetJobStep, 'retry_failed' | 'undo'>, readonly FleetJobState[]> = {
  approve: ['approval'],
  pause: ['running'],
  halt: ['running', 'paused'],
  resume: ['paused', 'halted'],
  stop: ['approval', 'scheduled', 'running', 'paused', 'halted'],
}

const LABELS: Record<FleetJobState, string> = {
  approval: 'waiting for approval',
  scheduled: 'scheduled',
  running: 'running',
  paused: 'paused',
  halted: 'halted',
  done: 'done',
  stopped: 'stopped',
}

/** Returns why this step is not possible now, as a sentence, or undefined. */
export function refuseStep(
  step: FleetJobStep,
  job: { state: FleetJobState; counts: JobCounts; hasInverse: boolean },
): string | undefined {
  switch (step) {
    case 'retry_failed':
      if (job.state === 'approval' || job.state === 'scheduled') return 'The job has not started.'
      return job.counts.failed === 0 ? 'No machine has failed.' : undefined
    case 'undo':
      if (!job.hasInverse) return 'This action has no inverse. Choose a script that reverts it.'
      return job.counts.succeeded === 0 ? 'No machine was changed.' : undefined
    default:
      return FROM[step].includes(job.state) ? undefined : `The job is ${LABELS[job.state]}.`
  }
}

export interface FailureLimit {
  /** Halts at this many failures; null = no limit. */
  failures: number | null
  /** Halts when this percentage of the machines of the current wave has failed; null = no limit. */
  percent: number | null
}

export interface WaveFailures {
  /** Failed machines of the whole job. */
  failed: number
  /** Failures among them before a user resumed the job. */
  forgiven: number
  wave: { size: number; failed: number; forgiven: number }
}

/** Returns why the job halts, as a sentence, or undefined. */
export function findHaltReason(limit: FailureLimit, so: WaveFailures): string | undefined {
  const failed = Math.max(0, so.failed - so.forgiven)
  if (limit.failures !== null && failed >= limit.failures)
    return failed === 1 ? '1 machine failed.' : `${failed} machines failed.`
  const inWave = Math.max(0, so.wave.failed - so.wave.forgiven)
  if (limit.percent === null || inWave === 0 || inWave * 100 < limit.percent * so.wave.size) return undefined
  return `${inWave} of ${so.wave.size} machines of this wave failed.`
}

export interface GateConditions {
  /** The least percentage of the machines of the wave that must have succeeded. */
  success_percent: number
  no_new_alerts: boolean
  /** Name of a check that must pass; null = none. */
  check: string | null
}

export interface GateFacts {
  succeeded: number
  /** Machines of the wave that have ended, without skipped ones. */
  ended: number
  newAlerts: number
  /** Machines on which the check does not pass; their number. */
  failingChecks: number
}

/** Returns why the gate after a wave stays closed, as a sentence, or undefined. */
export function findGateProblem(conditions: GateConditions, facts: GateFacts): string | undefined {
  const { succeeded, ended, newAlerts, failingChecks } = facts
  if (ended > 0 && succeeded * 100 < conditions.success_percent * ended)
    return `${succeeded} of ${ended} machines succeeded, and ${conditions.success_percent} % are required.`
  if (conditions.no_new_alerts && newAlerts > 0)
    return newAlerts === 1 ? 'A new alert opened.' : `${newAlerts} new alerts opened.`
  if (conditions.check !== null && failingChecks > 0)
    return `The check "${conditions.check}" does not pass on ${failingChecks === 1 ? '1 machine' : `${failingChecks} machines`}.`
  return undefined
}
