import type { FileNews, FileTask, UploadTask } from '@muster/contract/agent/files'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { showBytes } from '@muster/rules/agents/raw-path'
import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import type { Channel } from '../channels/channel.ts'
import { describeError, type Log } from '../../log/log.ts'
import { describeMissing } from '../../run/describe-missing.ts'
import { AgentError } from '../../errors.ts'
import { findProgram, searchPath } from '../../run/find-program.ts'
import { ChannelRoom } from './channel-room.ts'
import { describeFileError } from './file-errors.ts'
import { finishUpload, receiveBytes } from './receive-upload.ts'
import type { UploadSurroundings } from './upload-part.ts'
import { openToRead, versionOf } from './open-to-read.ts'
import { isWindows, joinPath, readPath, refusePrivate, resolveLinks } from './paths.ts'

/** Runs the task of a file channel, and ends the channel with its result. */
export async function serveFiles(
  channel: Channel,
  order: FileTask | UploadTask,
  { log, ...surroundings }: UploadSurroundings & { log: Log },
): Promise<void> {
  try {
    await serve(channel, order, surroundings)
    channel.end({ code: 'ended', message: 'Complete.' })
  } catch (cause) {
    // The reader has left.
    if (channel.isOver) return
    const reported = describeFileError(cause)
    if (!(reported instanceof AgentError)) log.error({ cause: describeError(cause) }, 'file operation failed')
    channel.end({ code: 'refused', message: reported.message.slice(0, 500) })
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
      return finishUpload(channel, order, surroundings)
  }
}

const PIECE_BYTES = 128 * 1024
/** Kernel files report a size of 0, but have content. */
const MAX_UNSIZED_BYTES = 16 * 1024 * 1024

type ReadTask = Extract<FileTask, { task: 'read' }>

/** Sends a file from an offset up to its size when it was opened. Bytes appended meanwhile are not sent. */
async function sendFile(room: ChannelRoom, task: ReadTask, dataFolder: string): Promise<void> {
  const { handle, names } = await openToRead(task.path, dataFolder)
  await using _ = handle
  const { size, version } = await versionOf(handle)
  const name = showBytes(names.at(-1) ?? Buffer.from('')).slice(0, 255)
  const sendNews = (news: Pick<FileNews, 'size' | 'offset'>) =>
    room.channel.sendText({ type: 'sending', name, version, ...news } satisfies FileNews)
  if (size === 0) {
    const whole = await readUnsized(handle)
    sendNews({ size: whole.length, offset: 0 })
    if (whole.length > 0) await room.send(whole)
    return
  }
  const isSame = task.version === null || task.version === version
  const offset = isSame ? Math.min(task.offset, size) : 0
  sendNews({ size, offset })
  await sendPieces(room, handle, { offset, size, version })
}

/** The last piece is sent only if the file has not changed meanwhile. */
async function sendPieces(
  room: ChannelRoom,
  handle: FileHandle,
  { offset, size, version }: { offset: number; size: number; version: string },
): Promise<void> {
  let at = offset
  let next = readPiece(handle, at, size)
  while (at < size) {
    const piece = await next
    at += piece.length
    if (at < size) {
      if (piece.length === 0) throw changed()
      next = readPiece(handle, at, size)
      // Awaited in the next iteration.
      next.catch(() => undefined)
    } else {
      const now = await versionOf(handle)
      // A file that only grew is complete up to here.
      if (now.version !== version && now.size <= size) throw changed()
    }
    await room.send(piece)
  }
}

async function readPiece(handle: FileHandle, at: number, size: number): Promise<Buffer> {
  const length = Math.min(PIECE_BYTES, size - at)
  const buffer = Buffer.allocUnsafeSlow(length)
  const { bytesRead } = await handle.read(buffer, 0, length, at)
  return buffer.subarray(0, bytesRead)
}

async function readUnsized(handle: FileHandle): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  for (;;) {
    const piece = await readPiece(handle, bytes, bytes + PIECE_BYTES)
    if (piece.length === 0) return Buffer.concat(pieces)
    pieces.push(piece)
    bytes += piece.length
    if (bytes > MAX_UNSIZED_BYTES) throw new AgentError('This file has no known size and does not end.')
  }
}

function changed(): AgentError {
  return new AgentError('The file changed while it was read. Try again.')
}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
const MAX_ERROR_CHARACTERS = 2000
/** GNU tar: some files changed while they were read. The archive contains everything else. */
const CHANGED = 1

type ArchiveTask = Extract<FileTask, { task: 'archive' }>

/** Sends a file or folder as a compressed archive, created by the system's tar while it is sent. Links stay links. */
async function sendArchive(room: ChannelRoom, task: ArchiveTask, dataFolder: string): Promise<void> {
  const program = isWindows ? undefined : findProgram('tar')
  if (program === undefined && !isWindows) throw new AgentError(describeMissing('tar'))
  const names = await resolveLinks(readPath(task.path))
  await refusePrivate(names, dataFolder)
  const name = names.at(-1)
  if (name === undefined || (isWindows && names.length === 1))
    throw new AgentError(`${isWindows ? 'A drive' : 'The root folder'} is too large for an archive.`)
  const shown = showBytes(name).slice(0, 240)
  const news = {
    type: 'sending',
    name: `${shown}.tar.gz`,
    size: null,
    offset: 0,
    version: '',
  } satisfies FileNews
  if (program === undefined) {
    const { archiveOf } = await import('./windows-archive.ts')
    room.channel.sendText(news)
    for await (const piece of archiveOf(names, dataFolder)) await room.send(piece)
    return
  }
  const parentPath = joinPath(names.slice(0, -1))
  const path = joinPath(names)
  await using parent = await open(parentPath, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  room.channel.sendText(news)
  // The folder by descriptor and the name by standard input: both may contain any bytes.
  const child = spawn(
    program,
    [...exclude(parentPath, path, await realpath(dataFolder)), '--null', '-czf', '-', '-T', '-'],
    {
      cwd: `/proc/self/fd/${parent.fd}`,
      env: { PATH: searchPath(), LC_ALL: 'C' },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  )
  const stop = () => child.kill('SIGKILL')
  room.gone.addEventListener('abort', stop)
  try {
    child.stdin.on('error', () => undefined).end(Buffer.concat([Buffer.from('./'), name, Buffer.from([0])]))
    let complaint = ''
    child.stderr.on('data', (bytes: Buffer) => {
      if (complaint.length < MAX_ERROR_CHARACTERS) complaint += bytes.toString()
    })
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('close', resolve)
    })
    ended.catch(() => undefined)
    // Without an encoding a stream yields buffers.
    for await (const piece of child.stdout) await room.send(piece as Buffer)
    const code = await ended
    if (code !== 0 && code !== CHANGED)
      throw new AgentError(`tar failed: ${showBytes(Buffer.from(lastLine(complaint))).slice(0, 300)}`)
  } finally {
    room.gone.removeEventListener('abort', stop)
    if (child.exitCode === null) stop()
  }
}

/** The agent's own folder is excluded. */
function exclude(parent: Buffer, path: Buffer, dataFolder: string): string[] {
  const within = Buffer.concat([path, Buffer.from('/')])
  const own = Buffer.from(dataFolder)
  if (!own.subarray(0, within.length).equals(within)) return []
  const relative = own.subarray(parent.length).toString().replace(/^\/+/, '')
  return ['--anchored', '--no-wildcards', `--exclude=./${relative}`]
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
