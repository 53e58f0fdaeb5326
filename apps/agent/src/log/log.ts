import { appendFileSync, renameSync, statSync } from 'node:fs'

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

const MAX_LOG_BYTES = 1024 * 1024

/** Logs to a file and keeps one former file, where the system collects no output of services. */
export function createFileLog(file: string): Log {
  return createConfiguredLog((line) => {
    try {
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES)
        renameSync(file, `${file}.1`)
      appendFileSync(file, line, { mode: 0o600 })
    } catch {
      // A log that cannot be written (full disk) must not end the agent.
    }
  })
}

/** Logs to standard error. */
export function createProcessLog(): Log {
  // As above, for a closed pipe.
  process.stderr.on('error', () => {})
  return createConfiguredLog((line) => process.stderr.write(line))
}

/** MUSTER_LOG_LEVEL sets the level. */
function createConfiguredLog(write: (line: string) => void): Log {
  const wanted = process.env.MUSTER_LOG_LEVEL ?? 'info'
  const level = LOG_LEVELS.find((known) => known === wanted)
  const log = createLog(level ?? 'info', write)
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
