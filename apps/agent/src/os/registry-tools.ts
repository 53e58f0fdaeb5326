import type {
  RegistryChange,
  RegistryChanged,
  RegistryPage,
  WholeValue,
} from '@muster/contract/agent/registry'

/** The Windows registry. Loaded on use, see `Os.loadRegistryTools`. */
export interface RegistryTools {
  readKey: (from: { path: string; keys_from: number; values_from: number }) => Promise<RegistryPage>
  readValue: (value: { path: string; name: string }) => Promise<WholeValue>
  change: (change: RegistryChange) => Promise<RegistryChanged>
}
