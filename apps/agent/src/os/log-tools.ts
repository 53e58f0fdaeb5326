import type { ChannelRoom } from '../remote/files/channel-room.ts'
import type { FoundLog, LogSearch, LogSource } from '@muster/contract/agent/logs'

/** Reads the log of a system. Loaded on use, see `Os.loadLogTools`. */
export interface LogTools {
  read(search: LogSearch): Promise<FoundLog>
  /** Sends new lines, after some existing ones, until the reader leaves. */
  follow(room: ChannelRoom, source: Exclude<LogSource, { kind: 'file' }>): Promise<never>
}
