import type { FoundLog, LogSearch, LogSource } from '@muster/contract/agent/logs'

/** How a system's log is read. Loaded when somebody looks, see `Os.loadLogTools`. */
export interface LogTools {
  read(search: LogSearch): Promise<FoundLog>
  /** The program that writes what comes, as lines, after some that were there. */
  followProgram(source: Extract<LogSource, { kind: 'journal' }>): { name: string; args: string[] }
}
