import type { RegistryTools } from '../../registry-tools.ts'
import { changeRegistry } from './change-registry.ts'
import { readKey, readValue } from './read-registry.ts'

export const windowsRegistry: RegistryTools = { readKey, readValue, change: changeRegistry }
