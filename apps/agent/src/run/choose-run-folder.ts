import { accessSync, constants, mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { Log } from '../log/log.ts'
import { runFolder } from './script-file.ts'

/** Where files of a run live while it runs. */
export function chooseRunFolder(folder: string, log: Log): string {
  const own = runFolder(folder)
  try {
    // What a killed agent left there is of no use any more.
    rmSync(own, { recursive: true, force: true })
    mkdirSync(own, { recursive: true, mode: 0o700 })
    accessSync(own, constants.W_OK)
    return own
  } catch (cause) {
    log.debug({ cause }, 'no folder for runs in the data folder')
    return tmpdir()
  }
}
