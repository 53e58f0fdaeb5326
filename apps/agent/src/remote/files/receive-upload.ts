import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { HASH_PART_BYTES, UploadInput, type UploadNews, type UploadTask } from '@muster/contract/agent/files'
import type { Channel } from '../channels/channel.ts'
import { AgentError } from '../../errors.ts'
import { openParent } from './open-parent.ts'
import { isWindows } from './paths.ts'
import {
  beginWriting,
  findReplaced,
  releasePart,
  type OpenPart,
  openPart,
  partName,
  partPath,
  stopWriting,
  type UploadSurroundings,
} from './upload-part.ts'

type WriteTask = Extract<UploadTask, { task: 'write' }>
type FinishTask = Extract<UploadTask, { task: 'finish' }>

/** Appends the bytes from the channel to the file until the end message. */
export async function receiveBytes(channel: Channel, task: WriteTask, dataFolder: string): Promise<void> {
  await stopWriting(task.upload)
  await using parent = await openParent(task.path, dataFolder)
  await using part = await openPart(parent, task.upload, dataFolder)
  const { size } = await part.handle.stat()
  if (size !== task.offset) throw new AgentError(`This upload has ${size} bytes instead of ${task.offset}.`)
  const send = (news: UploadNews) => channel.sendText(news)
  const written = await writeAll(channel, part, {
    upload: task.upload,
    from: size,
    onReady: () => send({ type: 'ready', size }),
  })
  if (written !== undefined) send({ type: 'written', size: written })
}

/** Returns the new size; undefined if the channel was closed before the end. Bytes received by then are kept. */
async function writeAll(
  channel: Channel,
  { handle, announced }: OpenPart,
  { upload, from, onReady }: { upload: string; from: number; onReady: () => void },
): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  let at = from
  let received = from
  let waiting: Buffer[] = []
  let last: Promise<void> = Promise.resolve()
  let isStopped = false
  using _ = beginWriting(upload, async () => {
    isStopped = true
    await last
    channel.end({ code: 'closed', message: 'The upload continues in another window.' })
    resolve(undefined)
  })
  // Bytes that arrive while the disk is busy are written together.
  const write = async () => {
    const pieces = waiting
    waiting = []
    const bytes = await writePieces(handle, pieces, at)
    at += bytes
    channel.consumed(bytes)
  }
  channel.use({
    onData: (bytes) => {
      if (isStopped) return
      received += bytes.length
      if (received > announced) {
        isStopped = true
        const problem = new AgentError(
          `This upload has more bytes than the ${announced} that were announced.`,
        )
        return void last.then(() => reject(problem), reject)
      }
      waiting.push(bytes)
      if (waiting.length > 1) return
      last = last.then(write)
      last.catch(reject)
    },
    onText: (message) => {
      if (UploadInput.safeParse(message).success) void last.then(() => resolve(at), reject)
    },
    onDrain: () => undefined,
    onEnd: () => void last.then(() => resolve(undefined), reject),
  })
  if (channel.isOver) return undefined
  onReady()
  // Released when the writer has ended.
  return await promise
}

/** Returns the number of written bytes. */
async function writePieces(handle: FileHandle, pieces: Buffer[], from: number): Promise<number> {
  const whole = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces)
  // A disk that is nearly full may write less.
  for (let done = 0; done < whole.length;)
    done += (await handle.write(whole, done, whole.length - done, from + done)).bytesWritten
  return whole.length
}

/** Renames a complete upload to its final name. Removes it if its content is wrong. */
export async function finishUpload(
  channel: Channel,
  task: FinishTask,
  surroundings: UploadSurroundings,
): Promise<void> {
  await stopWriting(task.upload)
  await using parent = await openParent(task.path, surroundings.dataFolder)
  await using part = await openPart(parent, task.upload, surroundings.dataFolder)
  const { handle } = part
  const { size } = await handle.stat()
  if (size !== task.size) throw new AgentError(`This upload has ${size} bytes instead of ${task.size}.`)
  // The server waits 15 seconds for the first word.
  channel.sendText({ type: 'finishing', size } satisfies UploadNews)
  if (task.hash !== null && (await hashParts(handle)) !== task.hash) {
    await parent.removeFile(partName(task.upload))
    releasePart(partPath(parent, task.upload), task.upload, surroundings)
    throw new AgentError('The file was damaged during the transfer. Upload it again.')
  }
  const found = await findReplaced(parent, task.replace)
  await parent.prepareNew()
  const draft = { name: partName(task.upload), handle }
  if (found !== undefined) await parent.copyRights(draft, found)
  // New files of Windows have the permissions of their folder.
  else if (!isWindows) await handle.chmod(0o644)
  await handle.sync()
  await parent.take(draft, found)
  releasePart(partPath(parent, task.upload), task.upload, surroundings)
  await parent.sync()
}

async function hashParts(handle: FileHandle): Promise<string> {
  const whole = createHash('sha256')
  const buffer = Buffer.allocUnsafeSlow(HASH_PART_BYTES)
  for (let at = 0; ;) {
    let filled = 0
    while (filled < buffer.length) {
      const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, at + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    if (filled === 0) return whole.digest('hex')
    whole.update(createHash('sha256').update(buffer.subarray(0, filled)).digest())
    at += filled
  }
}
