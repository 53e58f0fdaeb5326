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

export interface RunFiles {
  name: string
  body: string
  /** A file beside it, which the script loads. */
  module?: { name: string; body: string } | undefined
}

/**
 * Writes a script so that only its user can read it: in the data folder, or in the temporary folder if that fails.
 * For another user the temporary folder comes first, because the data folder is private to the agent.
 */
export function writeScriptFile(
  options: RunFiles & {
    dataFolder: string
    user: MachineUser | undefined
    /** A folder that was made for this file. */
    ownFolder?: string | undefined
  },
): ScriptFile {
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

function writeIn(place: string, options: RunFiles & { user: MachineUser | undefined }): ScriptFile {
  return fillFolder(mkdtempSync(join(place, 'muster-')), options)
}

function fillFolder(folder: string, options: RunFiles & { user: MachineUser | undefined }): ScriptFile {
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    const files = [options, ...(options.module === undefined ? [] : [options.module])]
    const paths = files.map(({ name, body }) => {
      const file = join(folder, name)
      writeFileSync(file, body, { mode: 0o700 })
      return file
    })
    chmodSync(folder, 0o700)
    if (options.user !== undefined) {
      for (const item of [...paths, folder]) chownSync(item, options.user.uid, options.user.gid)
    }
    return { path: join(folder, options.name), [Symbol.dispose]: remove }
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
