import { stat, type FileHandle } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { LogNews, LogSource } from '@muster/contract/agent/logs'
import { showBytes } from '@muster/rules/agents/raw-path'
import type { ChannelRoom } from '../files/channel-room.ts'
import { type Opened, openToRead } from '../files/open-to-read.ts'
import { joinPath, readPath, resolveLinks, showPath } from '../files/paths.ts'
import { AgentError } from '../../errors.ts'

const LOOK_EVERY_MS = 250
/** Bytes shown at the start, and after a gap. */
const TAIL_BYTES = 64 * 1024
/** A reader further behind continues near the end. */
const MAX_BEHIND_BYTES = 4 * 1024 * 1024
const PIECE_BYTES = 64 * 1024
const LOG_FOLDERS = ['/var/log/', '/private/var/log/', '/Library/Logs/']

type FileSource = Extract<LogSource, { kind: 'file' }>

/** Sends the end of a file and new content, also after truncation or rotation. */
export async function followFile(room: ChannelRoom, source: FileSource, dataFolder: string): Promise<never> {
  const sendNews = (news: LogNews) => room.sendMessage(news)
  const opened = await openLog(source, dataFolder)
  let { handle } = opened
  try {
    // First: what is written after the message is sent, and no longer part of the tail.
    let at = await findTail(handle)
    await sendNews({ type: 'following', name: showBytes(showPath(opened.names)).slice(0, 4096) })
    for (;;) {
      const { size } = await handle.stat()
      if (size < at) {
        at = 0
        await sendNews({ type: 'truncated' })
      }
      if (size - at > MAX_BEHIND_BYTES) {
        const bytes = size - TAIL_BYTES - at
        at += bytes
        await sendNews({ type: 'skipped', bytes })
      }
      const piece = await readPiece(handle, at)
      if (piece.length > 0) {
        at += piece.length
        await room.send(piece)
      } else if (await isReplaced(handle, source)) {
        // Content written between the last read and the rotation.
        const last = await readPiece(handle, at)
        at += last.length
        if (last.length > 0) {
          await room.send(last)
          continue
        }
        const next = await openLog(source, dataFolder)
        await handle.close()
        handle = next.handle
        at = 0
        await sendNews({ type: 'rotated' })
      } else {
        await wait(LOOK_EVERY_MS, undefined, { signal: room.gone })
      }
    }
  } finally {
    await handle.close()
  }
}

async function openLog({ path, anywhere }: FileSource, dataFolder: string): Promise<Opened> {
  const opened = await openToRead(path, dataFolder)
  const isLog = LOG_FOLDERS.some((folder) => showPath(opened.names).toString('latin1').startsWith(folder))
  if (anywhere || isLog) return opened
  await opened.handle.close()
  throw new AgentError('Your role allows following files in /var/log only.')
}

/** Start of the last lines that fit. */
async function findTail(handle: FileHandle): Promise<number> {
  const { size } = await handle.stat()
  if (size <= TAIL_BYTES) return 0
  const from = size - TAIL_BYTES
  const newline = (await readPiece(handle, from)).indexOf(10)
  return newline < 0 ? from : from + newline + 1
}

async function readPiece(handle: FileHandle, at: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(PIECE_BYTES), 0, PIECE_BYTES, at)
  return buffer.subarray(0, bytesRead)
}

/** Whether another file has this name now. While none has, the old file is followed. */
async function isReplaced(handle: FileHandle, { path }: FileSource): Promise<boolean> {
  const own = await handle.stat()
  try {
    const { ino, dev } = await stat(joinPath(await resolveLinks(readPath(path))))
    return ino !== own.ino || dev !== own.dev
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return false
    throw cause
  }
}
