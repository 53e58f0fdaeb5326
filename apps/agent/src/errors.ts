/** An error to print as one line on the command line. */
export class CliError extends Error {
  override name = 'CliError'
}

/** The server did not accept this machine. A repetition does not help. */
export class RefusedError extends CliError {
  override name = 'RefusedError'
}

/** The agent cannot do what was requested. The message is shown to users. */
export class AgentError extends Error {
  override name = 'AgentError'
}

/** The machine cannot measure something. The message is shown to users. */
export class MeasureError extends Error {
  override name = 'MeasureError'
}

/** The machine lacks what a measurement needs, so nothing is known about its target. The message is shown to users. */
export class NotMeasuredError extends MeasureError {
  override name = 'NotMeasuredError'
}

/** The run was not started. The message is shown to users. */
export class RunError extends Error {
  override name = 'RunError'
}
