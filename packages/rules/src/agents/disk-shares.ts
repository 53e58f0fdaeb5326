interface DiskUse {
  used: number
  free: number
}

/**
 * The space that programs have or can get, as in the percentage of `df`: without the part reserved for the system. The
 * shares of used and free space refer to it, so they add up to 100.
 */
export const usableSpace = ({ used, free }: DiskUse): number => used + free

/** Free space in percent of the usable space; 0 for a disk of no size. */
export const freePercent = (disk: DiskUse): number => percentOf(disk.free, usableSpace(disk))

/** Used space in percent of the usable space; 100 for a disk of no size. */
export const usedPercent = (disk: DiskUse): number => 100 - freePercent(disk)

/** Multiplies first: 29 of 100 are 29 %, not 28.999999999999996 %. */
export const percentOf = (part: number, whole: number): number => (whole === 0 ? 0 : (part * 100) / whole)
