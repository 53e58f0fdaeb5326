import type { LogSource } from '@muster/contract/agent/logs'
import type { Channel } from '../channels/channel.ts'
import { ChannelRoom } from '../files/channel-room.ts'
import { describeFileError } from '../files/file-errors.ts'
import { describeError, type Log } from '../../log/log.ts'
import { AgentError } from '../../errors.ts'
import type { Os } from '../../os/os.ts'
import { followFile } from './follow-file.ts'

interface Surroundings {
  os: Pick<Os, 'loadLogTools'>
  dataFolder: string
  log: Log
}

/** Sends new entries of a log until the reader leaves. */
export async function serveLog(
  channel: Channel,
  source: LogSource,
  { os, dataFolder, log }: Surroundings,
): Promise<void> {
  const room = new ChannelRoom(channel)
  try {
    if (source.kind === 'file') await followFile(room, source, dataFolder)
    else await (await os.loadLogTools()).follow(room, source)
  } catch (cause) {
    // The reader has left.
    if (channel.isOver) return
    const reported = describeFileError(cause)
    if (!(reported instanceof AgentError))
      log.error({ cause: describeError(cause) }, 'failed to follow a log')
    channel.end({ code: 'refused', message: reported.message.slice(0, 500) })
  }
}
