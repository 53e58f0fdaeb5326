import type { CheckKind } from './table.ts'

const NO_DISK = { exists: false, total_bytes: 0, free_bytes: 0, inodes_total: null, inodes_free: null }

export const diskspace: CheckKind<'diskspace'> = {
  limitMs: () => 20_000,
  async measure({ settings }, { probes }) {
    const space = await probes.measureMount(settings.disk)
    if (space === undefined) return { check_type: 'diskspace', ...NO_DISK }
    return {
      check_type: 'diskspace',
      exists: true,
      total_bytes: space.totalBytes,
      free_bytes: Math.min(space.freeBytes, space.totalBytes),
      inodes_total: space.inodes?.total ?? null,
      inodes_free: space.inodes?.free ?? null,
    }
  },
}
