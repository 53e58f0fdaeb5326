import { lstat, readlink } from 'node:fs/promises'
import { win32 } from 'node:path'
import { AgentError } from '../../errors.ts'
import { loadFileCalls } from '../../os/windows/file-calls.ts'
import { readWindowsPath, showWindowsPath, systemWindowsPath } from './windows-paths.ts'

const MAX_LINKS = 40

/**
 * Follows symbolic links and junctions one by one, so that none opens a network path. Returns the names as the disk has
 * them: Windows ignores upper case, and knows files by short names (`PROGRA~1`) too.
 */
export async function resolveWindowsLinks(names: readonly Buffer[]): Promise<Buffer[]> {
  let links = 0
  let [waiting, done] = [[...names], [] as Buffer[]]
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const path = systemWindowsPath([...done, name])
    if (done.length > 0 && (await lstat(path)).isSymbolicLink()) {
      links += 1
      if (links > MAX_LINKS) throw new AgentError('This path has too many links.')
      waiting = [...readTarget(await readlink(path), done), ...waiting]
      done = []
    } else {
      done.push(name)
    }
  }
  if (done.length === 0) return done
  const { finalPath } = await loadFileCalls()
  return readWindowsPath(Buffer.from(finalPath(systemWindowsPath(done).toString())))
}

function readTarget(target: string, folder: readonly Buffer[]): Buffer[] {
  const plain = target.replace(/^\\\\\?\\(?=[A-Za-z]:)/, '')
  return readWindowsPath(Buffer.from(win32.resolve(showWindowsPath(folder).toString(), plain)))
}
