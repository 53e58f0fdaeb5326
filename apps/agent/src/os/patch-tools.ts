import type { Patch } from '@muster/contract/agent/patches'

export interface PatchScan {
  patches: Patch[]
  /** Why the list may be outdated, as a message. */
  problem: string | null
  /** Whether the machine has to reboot, if only the patch tool of the system knows. */
  needsReboot?: boolean
}

/**
 * Updates a system. Loaded in child processes, see `collectors/patches-apart.ts` and `cli/install-order.ts`: the
 * standard output of an installation is shown to the user.
 */
export interface PatchTools {
  /** `refresh`: always refresh the lists, or only if they are old. Throws Unmeasurable if no tool is available. */
  scan(options: { refresh: 'now' | 'when old'; signal: AbortSignal }): Promise<PatchScan>
  /** Installs all patches, or those with these names from `scan`. Throws MachineRefused. */
  install(guids: readonly string[] | null): Promise<void>
  /** Installs the first of these packages that the system knows. Throws MachineRefused. */
  installPackage(names: readonly string[]): Promise<void>
}

/** A patch with defaults for unknown fields. */
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
