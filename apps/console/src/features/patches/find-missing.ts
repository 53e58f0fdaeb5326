import type { MachinePatch } from '@muster/contract/api/patches'

/** Patches that the machine can install and that are not left out. */
export const findMissing = (patches: readonly MachinePatch[]): MachinePatch[] =>
  patches.filter(({ installed, action }) => !installed && action !== 'ignore')
