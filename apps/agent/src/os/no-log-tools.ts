import type { LogTools } from './log-tools.ts'
import { MachineRefused } from './machine-refused.ts'

/** For systems whose log the agent does not read yet; files can be followed all the same. */
export function noLogTools(system: string): LogTools {
  const refuse = () => {
    throw new MachineRefused(
      `The log of ${system} cannot be read from here yet, only those of systemd and Windows.`,
    )
  }
  return { read: async () => refuse(), follow: async () => refuse() }
}
