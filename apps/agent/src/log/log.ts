const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]
export type LogFields = Record<string, unknown>

/** Fields first, constant text second: `log.warn({ command }, 'agent refused command')`. */
export type Log = Record<LogLevel, (fields: LogFields, message: string) => void>

export function createLog(level: LogLevel, write: (line: string) => void): Log {
  const lowest = LOG_LEVELS.indexOf(level)
  const at = (own: LogLevel) => (fields: LogFields, message: string) => {
    if (LOG_LEVELS.indexOf(own) < lowest) return
    const line = { time: new Date().toISOString(), level: own, message, ...readable(fields) }
    write(`${JSON.stringify(line)}\n`)
  }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** Logs to standard error. MUSTER_LOG_LEVEL sets the level. */
export function createProcessLog(): Log {
  const wanted = process.env.MUSTER_LOG_LEVEL ?? 'info'
  const level = LOG_LEVELS.find((known) => known === wanted)
  // A log that cannot be written (closed pipe, full disk) must not end the agent.
  process.stderr.on('error', () => {})
  const log = createLog(level ?? 'info', (line) => process.stderr.write(line))
  if (level === undefined) log.warn({ wanted, known: LOG_LEVELS }, 'unknown MUSTER_LOG_LEVEL, using info')
  return log
}

function readable(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error ? describeError(value) : value,
    ]),
  )
}

/** The message of an error and its causes, in one line. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const text = error.message === '' && 'code' in error ? String(error.code) : error.message
  return error.cause === undefined ? text : `${text}: ${describeError(error.cause)}`
}
