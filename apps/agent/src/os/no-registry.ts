import { MachineRefused } from './machine-refused.ts'
import type { RegistryTools } from './registry-tools.ts'

const refuse = async () => {
  throw new MachineRefused('Only Windows has a registry.')
}

export const noRegistry: RegistryTools = { readKey: refuse, readValue: refuse, change: refuse }
