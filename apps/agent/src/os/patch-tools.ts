import type { Patch } from '@muster/contract/agent/patches'

export interface PatchScan {
  patches: Patch[]
  /** Why the list may be old, as a sentence. */
  problem: string | null
  /** Whether the machine has to restart, where the system says it to nobody but its patch tool. */
  needsReboot?: boolean
}

/**
 * How a system is kept up to date. Loaded in processes of their own, see `collectors/patches-apart.ts` and
 * `cli/install-order.ts`: what an installation writes to the standard output is what people see of it.
 */
export interface PatchTools {
  /** `refresh`: whether the lists are fetched anew, or only when they are old. Throws Unmeasurable where nothing looks. */
  scan(options: { refresh: 'now' | 'when old'; signal: AbortSignal }): Promise<PatchScan>
  /** All, or those that `scan` has named so. Throws MachineRefused with what went wrong. */
  install(guids: readonly string[] | null): Promise<void>
  /** The first of these packages that the system knows. Throws MachineRefused. */
  installPackage(names: readonly string[]): Promise<void>
}

/** A patch of which only what is given is known. */
export function makePatch(known: Pick<Patch, 'guid' | 'source' | 'title'> & Partial<Patch>): Patch {
  return {
    kb: '',
    version: '',
    current_version: '',
    severity: '',
    security: false,
    categories: [],
    description: '',
    more_info_urls: [],
    size: null,
    downloaded: false,
    needs_reboot: false,
    ...known,
  }
}
