import { realpath } from 'node:fs/promises'
import { MachineRefused } from '../os/machine-refused.ts'

/** The agent's own folder holds its key: it is neither shown nor written, by whatever way one gets there. */
export async function refusePrivate(path: Buffer, dataFolder: string): Promise<void> {
  const own = await realpath(dataFolder, { encoding: 'buffer' })
  const isWithin = path.subarray(0, own.length).equals(own) && [undefined, 0x2f].includes(path[own.length])
  if (isWithin) throw new MachineRefused("This is the agent's own folder, which stays closed.")
}
