import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'

/**
 * What the server knows this machine and data folder by: the same again after a reinstall, another one for a
 * second agent with a data folder of its own.
 */
export function makeMachineKey(machineId: string, folder: string): string {
  return createHash('sha256')
    .update(`${machineId}\n${realpathSync(folder)}`)
    .digest('hex')
}
