import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dataFiles } from '../identity/data-folder.ts'
import { describeError, type Log } from '../log/log.ts'
import type { MachineUser } from '../os/os.ts'

export interface ScriptFile extends Disposable {
  path: string
}

/**
 * Writes a script so that only its user can read it: in the data folder, or in the temporary folder if that fails.
 * For another user the temporary folder comes first, because the data folder is private to the agent.
 */
export function writeScriptFile(options: {
  dataFolder: string
  name: string
  body: string
  user: MachineUser | undefined
  /** A folder that was made for this file. */
  ownFolder?: string | undefined
}): ScriptFile {
  const { user, ownFolder } = options
  if (ownFolder !== undefined) return fillFolder(ownFolder, options)
  const places = [runFolder(options.dataFolder), tmpdir()]
  if (user !== undefined) places.reverse()
  const failures: string[] = []
  for (const place of places) {
    try {
      if (place !== tmpdir()) mkdirSync(place, { recursive: true, mode: 0o700 })
      return writeIn(place, options)
    } catch (cause) {
      failures.push(describeError(cause))
    }
  }
  throw new Error(
    `failed to write the script to the data folder and to the temporary folder (${failures.join('; ')})`,
  )
}

/** The folder for files of active runs. */
function runFolder(dataFolder: string): string {
  return join(dataFolder, dataFiles.runs)
}

function writeIn(
  place: string,
  options: { name: string; body: string; user: MachineUser | undefined },
): ScriptFile {
  return fillFolder(mkdtempSync(join(place, 'muster-')), options)
}

function fillFolder(
  folder: string,
  options: { name: string; body: string; user: MachineUser | undefined },
): ScriptFile {
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    const path = join(folder, options.name)
    writeFileSync(path, options.body, { mode: 0o700 })
    chmodSync(folder, 0o700)
    if (options.user !== undefined) {
      for (const item of [path, folder]) chownSync(item, options.user.uid, options.user.gid)
    }
    return { path, [Symbol.dispose]: remove }
  } catch (cause) {
    remove()
    throw cause
  }
}

/** The folder for files of active runs. */
export function chooseRunFolder(folder: string, log: Log): string {
  const own = runFolder(folder)
  try {
    // Leftovers of a killed agent.
    rmSync(own, { recursive: true, force: true })
    mkdirSync(own, { recursive: true, mode: 0o700 })
    accessSync(own, constants.W_OK)
    return own
  } catch (cause) {
    log.debug({ cause }, 'failed to create a folder for runs in the data folder')
    return tmpdir()
  }
}
