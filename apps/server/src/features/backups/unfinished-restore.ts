import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@muster/contract/errors'

/** In the data folder from the first to the last moment of a restore. */
export const RESTORE_MARKER = 'muster.restoring'

/** Throws if a restore into this folder was interrupted. */
export function refuseUnfinishedRestore(dataFolder: string): void {
  if (!existsSync(join(dataFolder, RESTORE_MARKER))) return
  throw new AppError(
    'conflict',
    `The restore into ${dataFolder} has not finished. Run npm run restore again with the same file.`,
  )
}
