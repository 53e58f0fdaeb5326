import type { FileTask, UploadTask } from '@muster/contract/agent/files'
import type { Channel } from '../channels/channel.ts'
import { describeError, type Log } from '../../log/log.ts'
import { MachineRefused } from '../../os/machine-refused.ts'
import { ChannelRoom } from './channel-room.ts'
import { tellFileError } from './file-errors.ts'
import { finishUpload, receiveBytes } from './receive-upload.ts'
import { sendArchive } from './send-archive.ts'
import { sendFile } from './send-file.ts'
import type { UploadSurroundings } from './upload-part.ts'

/** Does what a channel of the tool was opened for, and ends it with how it went. */
export async function serveFiles(
  channel: Channel,
  order: FileTask | UploadTask,
  { log, ...surroundings }: UploadSurroundings & { log: Log },
): Promise<void> {
  try {
    await serve(channel, order, surroundings)
    channel.end({ code: 'ended', message: 'That was all.' })
  } catch (cause) {
    // Nobody is there to hear of it.
    if (channel.isOver) return
    const told = tellFileError(cause)
    if (!(told instanceof MachineRefused)) log.error({ cause: describeError(cause) }, 'work on a file failed')
    channel.end({ code: 'refused', message: told.message.slice(0, 500) })
  }
}

async function serve(
  channel: Channel,
  order: FileTask | UploadTask,
  surroundings: UploadSurroundings,
): Promise<void> {
  const { dataFolder } = surroundings
  switch (order.task) {
    case 'read':
      return sendFile(new ChannelRoom(channel), order, dataFolder)
    case 'archive':
      return sendArchive(new ChannelRoom(channel), order, dataFolder)
    case 'write':
      return receiveBytes(channel, order, dataFolder)
    case 'finish':
      return finishUpload(order, surroundings)
  }
}
