import { realpath } from 'node:fs/promises'
import { MachineRefused } from '../../os/machine-refused.ts'

/** The agent's own folder holds its key: it is neither shown nor written, by whatever way one gets there. */
export async function refusePrivate(path: Buffer, dataFolder: string): Promise<void> {
  if (isWithin(path, await realpath(dataFolder, { encoding: 'buffer' })))
    throw new MachineRefused("This is the agent's own folder, which stays closed.")
}

/** What the agent's own folder is in is neither moved nor deleted. */
export async function refuseAround(path: Buffer, dataFolder: string): Promise<void> {
  if (isWithin(await realpath(dataFolder, { encoding: 'buffer' }), path))
    throw new MachineRefused("The agent's own folder is in it.")
}

function isWithin(path: Buffer, folder: Buffer): boolean {
  return path.subarray(0, folder.length).equals(folder) && [undefined, 0x2f].includes(path[folder.length])
}
