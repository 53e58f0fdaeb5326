import { accessSync, constants, mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { Log } from '../log/log.ts'
import { runFolder } from './script-file.ts'

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
