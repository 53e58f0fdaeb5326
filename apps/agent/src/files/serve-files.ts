import type { FileTask } from '@muster/contract/agent/files'
import type { Channel } from '../channels/channel.ts'
import { describeError, type Log } from '../log/log.ts'
import { MachineRefused } from '../os/machine-refused.ts'
import { ChannelRoom } from './channel-room.ts'
import { tellFileError } from './file-errors.ts'
import { sendArchive } from './send-archive.ts'
import { sendFile } from './send-file.ts'

/** Does what a channel of the tool was opened for, and ends it with how it went. */
export async function serveFiles(
  channel: Channel,
  order: FileTask,
  { dataFolder, log }: { dataFolder: string; log: Log },
): Promise<void> {
  const room = new ChannelRoom(channel)
  try {
    if (order.task === 'read') await sendFile(room, order, dataFolder)
    else await sendArchive(room, order, dataFolder)
    channel.end({ code: 'ended', message: 'That was all.' })
  } catch (cause) {
    if (room.gone.aborted) return
    const told = tellFileError(cause)
    if (!(told instanceof MachineRefused)) log.error({ cause: describeError(cause) }, 'a file cannot be sent')
    channel.end({ code: 'refused', message: told.message.slice(0, 500) })
  }
}
