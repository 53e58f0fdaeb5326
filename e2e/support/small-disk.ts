import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export type SmallDisk = Awaited<ReturnType<typeof mountSmallDisk>>

/** 20 MB in memory, mounted as a separate disk. */
export async function mountSmallDisk() {
  const path = await mkdtemp(join(tmpdir(), 'muster-e2e-disk-'))
  await asRoot('mount', '-t', 'tmpfs', '-o', `size=20m,mode=700,uid=${process.getuid?.()}`, 'muster', path)
  const file = join(path, 'filler')
  return {
    path,
    fill: (megabytes: number) => writeFile(file, new Uint8Array(megabytes * 1024 * 1024)),
    empty: () => rm(file),
    async [Symbol.asyncDispose]() {
      await asRoot('umount', '--lazy', path)
      await rm(path, { recursive: true, force: true })
    },
  }
}

/** Mounting is for root only; elsewhere sudo has to allow it without a question. */
async function asRoot(...command: string[]): Promise<void> {
  const [file = '', ...args] = process.getuid?.() === 0 ? command : ['sudo', '-n', ...command]
  await promisify(execFile)(file, args)
}
