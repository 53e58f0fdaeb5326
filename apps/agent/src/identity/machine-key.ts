import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'

/**
 * Identifies this machine and data folder to the server. A reinstallation keeps it; a second agent with its own data
 * folder gets another one.
 */
export function makeMachineKey(machineId: string, folder: string): string {
  return createHash('sha256')
    .update(`${machineId}\n${realpathSync(folder)}`)
    .digest('hex')
}
