import { pino, type Logger } from 'pino'
import type { Config } from '../config/config.ts'

export type Log = Logger

/** JSON lines on standard error: object first, then a constant message. Standard output is for people. */
export function createLog(level: Config['logLevel']): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ['req.headers.authorization', 'req.headers.cookie', 'req.headers["x-api-key"]'],
    },
    pino.destination({ dest: 2, sync: true }),
  )
}
