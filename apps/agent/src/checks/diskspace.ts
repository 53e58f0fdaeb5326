import { MAX_UNMEASURED_DISKS } from '@muster/contract/agent/checks'
import { freePercent } from '@muster/rules/agents/disk-shares'
import { EVERY_DISK } from '@muster/rules/checks/every-disk'
import { MeasureError } from '../errors.ts'
import { describeError } from '../log/log.ts'
import type { MountSpace, Probes } from '../os/probes.ts'
import type { CheckKind } from './table.ts'

const NO_DISK = { exists: false, total_bytes: 0, free_bytes: 0, inodes_total: null, inodes_free: null }

export const diskspace: CheckKind<'diskspace'> = {
  limitMs: () => 20_000,
  async measure({ settings: { disk } }, { probes }) {
    if (disk === EVERY_DISK) return measureFullest(probes)
    const space = await probes.measureMount(disk)
    if (space === undefined) return { check_type: 'diskspace', ...NO_DISK }
    const link = space.linkTo === undefined ? {} : { link_to: space.linkTo }
    if ('isOn' in space) return { check_type: 'diskspace', ...NO_DISK, is_on: space.isOn, ...link }
    return { ...viewSpace(space), ...link }
  },
}

/** Measures every fixed disk; the result is the one with the smallest share of free space, and those that failed. */
async function measureFullest(probes: Probes) {
  const names = await probes.listDisks()
  const measured = await Promise.allSettled(names.map((disk) => probes.measureMount(disk)))
  const disks = measured.flatMap((one, index) =>
    one.status === 'fulfilled' &&
    one.value !== undefined &&
    'totalBytes' in one.value &&
    one.value.totalBytes > 0
      ? [{ disk: names[index], ...viewSpace(one.value) }]
      : [],
  )
  const failed = measured.flatMap((one, index) =>
    one.status === 'rejected' ? [{ disk: names[index] ?? '', reason: one.reason as unknown }] : [],
  )
  const [fullest] = disks.toSorted((a, b) => shareOf(a) - shareOf(b))
  if (fullest === undefined) throw failed[0]?.reason ?? new MeasureError('No disk was found.')
  const unmeasured = failed
    .slice(0, MAX_UNMEASURED_DISKS)
    .map(({ disk, reason }) => ({ disk, reason: describeError(reason).slice(0, 500) }))
  return unmeasured.length === 0 ? fullest : { ...fullest, unmeasured }
}

const shareOf = ({ used_bytes, free_bytes }: ReturnType<typeof viewSpace>) =>
  freePercent({ used: used_bytes, free: free_bytes })

function viewSpace({ totalBytes, usedBytes, freeBytes, inodes }: MountSpace) {
  return {
    check_type: 'diskspace' as const,
    exists: true,
    total_bytes: totalBytes,
    used_bytes: usedBytes,
    free_bytes: freeBytes,
    inodes_total: inodes?.total ?? null,
    inodes_free: inodes?.free ?? null,
  }
}
