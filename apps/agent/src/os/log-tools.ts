import type { ChannelRoom } from '../remote/files/channel-room.ts'
import type { FoundLog, LogSearch, LogSource } from '@muster/contract/agent/logs'

/** How a system's log is read. Loaded when somebody looks, see `Os.loadLogTools`. */
export interface LogTools {
  read(search: LogSearch): Promise<FoundLog>
  /** Sends what comes, as lines, after some that were there, until nobody reads any more. */
  follow(room: ChannelRoom, source: Exclude<LogSource, { kind: 'file' }>): Promise<never>
}
