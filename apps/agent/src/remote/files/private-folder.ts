import { realpath } from 'node:fs/promises'
import { MachineRefused } from '../../os/machine-refused.ts'

/** The agent's own folder holds its private key. It can be neither read nor written, by any path. */
export async function refusePrivate(path: Buffer, dataFolder: string): Promise<void> {
  if (isWithin(path, await realpath(dataFolder, { encoding: 'buffer' })))
    throw new MachineRefused("This is the agent's own folder, which is not accessible.")
}

/** Parent folders of the agent's own folder can be neither moved nor deleted. */
export async function refuseAround(path: Buffer, dataFolder: string): Promise<void> {
  if (isWithin(await realpath(dataFolder, { encoding: 'buffer' }), path))
    throw new MachineRefused("It contains the agent's own folder.")
}

function isWithin(path: Buffer, folder: Buffer): boolean {
  return path.subarray(0, folder.length).equals(folder) && [undefined, 0x2f].includes(path[folder.length])
}
