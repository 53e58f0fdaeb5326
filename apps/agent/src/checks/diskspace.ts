import { EVERY_DISK } from '@muster/rules/checks/every-disk'
import { MeasureError } from '../errors.ts'
import type { MountSpace, Probes } from '../os/probes.ts'
import type { CheckKind } from './table.ts'

const NO_DISK = { exists: false, total_bytes: 0, free_bytes: 0, inodes_total: null, inodes_free: null }

export const diskspace: CheckKind<'diskspace'> = {
  limitMs: () => 20_000,
  async measure({ settings: { disk } }, { probes }) {
    if (disk === EVERY_DISK) return measureFullest(probes)
    const space = await probes.measureMount(disk)
    return space === undefined ? { check_type: 'diskspace', ...NO_DISK } : viewSpace(space)
  },
}

/** Measures every fixed disk; the result is the one with the smallest share of free space. */
async function measureFullest(probes: Probes) {
  const measured = await Promise.allSettled(
    (await probes.listDisks()).map(async (disk) => ({ disk, space: await probes.measureMount(disk) })),
  )
  const disks = measured.flatMap((one) =>
    one.status === 'fulfilled' && one.value.space !== undefined && one.value.space.totalBytes > 0
      ? [{ disk: one.value.disk, ...viewSpace(one.value.space) }]
      : [],
  )
  const [fullest] = disks.toSorted((a, b) => a.free_bytes / a.total_bytes - b.free_bytes / b.total_bytes)
  if (fullest !== undefined) return fullest
  const failed = measured.find((one) => one.status === 'rejected')
  throw failed?.reason ?? new MeasureError('No disk was found.')
}

function viewSpace({ totalBytes, freeBytes, inodes }: MountSpace) {
  return {
    check_type: 'diskspace' as const,
    exists: true,
    total_bytes: totalBytes,
    free_bytes: Math.min(freeBytes, totalBytes),
    inodes_total: inodes?.total ?? null,
    inodes_free: inodes?.free ?? null,
  }
}
