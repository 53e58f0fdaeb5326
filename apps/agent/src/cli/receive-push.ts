import type { FileHandle } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Download, InterruptedDownload, receiveFile } from '../link/download-file.ts'
import type { Server } from '../link/server-trust.ts'
import { pushFile } from '../remote/files/push-file.ts'
import type { InstallRequest } from './install-order.ts'

const TRIES = 6
/** Doubled after each try: all of them take half a minute, in which a server restarts. */
const FIRST_WAIT_MS = 1000
const NEVER = new AbortController().signal

/** Downloads a file of the server to its path, in a process that the time limit of the run ends. */
export async function receivePush(
  { push, path, dataFolder, draft }: Extract<InstallRequest, { kind: 'push' }>,
  server: Server,
): Promise<void> {
  const { bytes, sha256, token } = push
  const order = { path, token, bytes, sha256, what: 'the file', server, signal: NEVER }
  const download = (handle: FileHandle) => downloadAgain(handle, order)
  process.stdout.write(`${await pushFile(push, { dataFolder, draft, download })}\n`)
}

/** A download that is interrupted starts again from its first byte. */
async function downloadAgain(handle: FileHandle, order: Download): Promise<void> {
  for (let left = TRIES - 1, waitMs = FIRST_WAIT_MS; ; left -= 1, waitMs *= 2) {
    await handle.truncate(0)
    let position = 0
    try {
      return await receiveFile(async (chunk) => {
        await handle.write(chunk, 0, chunk.byteLength, position)
        position += chunk.byteLength
      }, order)
    } catch (cause) {
      if (!(cause instanceof InterruptedDownload) || left === 0) throw cause
      process.stdout.write(`${cause.message} Trying again in ${waitMs / 1000} s.\n`)
    }
    await sleep(waitMs)
  }
}
