import type { LogTools } from './log-tools.ts'
import { MachineRefused } from './machine-refused.ts'

/** For systems whose log the agent cannot read yet. Following files works. */
export function noLogTools(system: string): LogTools {
  const refuse = () => {
    throw new MachineRefused(`The log of ${system} is not supported yet, only those of systemd and Windows.`)
  }
  return { read: async () => refuse(), follow: async () => refuse() }
}
