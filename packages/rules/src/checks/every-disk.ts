/** The disk of a check that measures every fixed disk; the fullest one decides. */
export const EVERY_DISK = '*'

/** @returns A disk in a sentence: `/srv`, or "every fixed disk". */
export function nameDisk(disk: string): string {
  return disk === EVERY_DISK ? 'every fixed disk' : disk
}
