import type { FileHandle } from 'node:fs/promises'
import type { FileNews, FileTask } from '@muster/contract/agent/files'
import { showBytes } from '@muster/rules/agents/raw-path'
import { MachineRefused } from '../../os/machine-refused.ts'
import type { ChannelRoom } from './channel-room.ts'
import { openToRead, versionOf } from './open-to-read.ts'

const PIECE_BYTES = 128 * 1024
/** Files of the kernel say that they are empty, and are not. */
const MOST_UNSIZED_BYTES = 16 * 1024 * 1024

type ReadTask = Extract<FileTask, { task: 'read' }>

/** Sends a file from an offset on, as long as it was when it was opened. What is written meanwhile at its end waits. */
export async function sendFile(room: ChannelRoom, task: ReadTask, dataFolder: string): Promise<void> {
  const { handle, path } = await openToRead(task.path, dataFolder)
  await using _ = handle
  const { size, version } = await versionOf(handle)
  const name = showBytes(path.subarray(path.lastIndexOf('/') + 1)).slice(0, 255)
  const tell = (news: Pick<FileNews, 'size' | 'offset'>) =>
    room.channel.sendText({ type: 'sending', name, version, ...news } satisfies FileNews)
  if (size === 0) {
    const whole = await readUnsized(handle)
    tell({ size: whole.length, offset: 0 })
    if (whole.length > 0) await room.send(whole)
    return
  }
  const isSame = task.version === null || task.version === version
  const offset = isSame ? Math.min(task.offset, size) : 0
  tell({ size, offset })
  await sendPieces(room, handle, { offset, size, version })
}

/** The last piece goes only when the file has not become another one while it was read. */
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
      // It is awaited in the next turn, if there is one.
      next.catch(() => undefined)
    } else {
      const now = await versionOf(handle)
      // What only grows is whole up to here.
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
    if (bytes > MOST_UNSIZED_BYTES)
      throw new MachineRefused('Nobody knows how long this file is, and it does not end.')
  }
}

function changed(): MachineRefused {
  return new MachineRefused('The file was changed while it was read. Try again.')
}
