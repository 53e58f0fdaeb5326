import type { Dir } from 'node:fs'
import { lstat, opendir, rmdir, unlink } from 'node:fs/promises'
import { MachineRefused } from '../../os/machine-refused.ts'
import type { Place } from './place.ts'

/** Names read from the system at a time. */
const READ_AT_ONCE = 256

/**
 * Removes a file, or a folder with everything in it; answers how many there were. No link is followed, whenever it
 * appears, and no other disk is entered.
 */
export async function removeTree(place: Place, name = place.name, device?: number): Promise<number> {
  const found = await lstat(place.at(name))
  if (!found.isDirectory()) {
    await unlink(place.at(name))
    return 1
  }
  if (device !== undefined && found.dev !== device)
    throw new MachineRefused('Another disk is mounted in this folder. What was before it is deleted.')
  const count = await removeContent(place, name, found.dev)
  await rmdir(place.at(name))
  return count + 1
}

async function removeContent(place: Place, name: Buffer, device: number): Promise<number> {
  let count = 0
  await using inside = await place.enter(name)
  // Bytes instead of text, which the types do not know of.
  const options = { encoding: 'buffer', bufferSize: READ_AT_ONCE } as unknown as { bufferSize: number }
  const folder = (await opendir(inside.at(Buffer.from('.')), options)) as unknown as Dir
  // As asked for above.
  for await (const entry of folder) count += await removeTree(inside, entry.name as unknown as Buffer, device)
  return count
}
