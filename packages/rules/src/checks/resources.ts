import { freePercent, percentOf } from '../agents/disk-shares.ts'
import { formatFileSize } from '../text/units.ts'
import {
  type CheckRule,
  compare,
  compareNothing,
  fail,
  formatSizeBeside,
  GB,
  limitsOf,
  type Limits,
  pass,
  percent,
  roundBeside,
  roundTo,
  type ThresholdPair,
  worstOf,
} from './judgement.ts'

export const cpuload: CheckRule<ThresholdPair, { percent: number }> = {
  judge: (check, { percent }) =>
    compare({ ...check, reverse: false }, percent, `${inUse(check, percent)} % in use on average`),
  series: ({ percent }) => [{ name: 'percent', value: roundTo(percent, 2), unit: '%' }],
}

const inUse = (check: ThresholdPair, percent: number) =>
  roundBeside({ ...limitsOf(check), reverse: false }, percent)

interface MemoryCheck extends ThresholdPair {
  memory_kind: 'memory' | 'swap'
}
interface MemoryInUse {
  percent: number
  total_bytes: number
  swap_percent: number | null
}

export const memory: CheckRule<MemoryCheck, MemoryInUse> = {
  judge(check, { percent, total_bytes, swap_percent }) {
    if (check.memory_kind === 'memory') {
      const info = `${inUse(check, percent)} % of ${formatFileSize(total_bytes)} in use`
      return compare({ ...check, reverse: false }, percent, info)
    }
    if (swap_percent === null) return pass('No swap.')
    return compare(
      { ...check, reverse: false },
      swap_percent,
      `${inUse(check, swap_percent)} % of swap in use`,
    )
  },
  series({ percent, swap_percent }) {
    const used = [{ name: 'percent', value: roundTo(percent, 2), unit: '%' }]
    if (swap_percent !== null) used.push({ name: 'swap_percent', value: roundTo(swap_percent, 2), unit: '%' })
    return used
  },
}

type DiskUnit = 'percent' | 'gigabytes' | 'inodes'
/** Thresholds are free space. */
interface DiskCheck extends ThresholdPair {
  disk: string
  threshold_unit: DiskUnit
}
interface DiskRoom {
  total_bytes: number
  /** Absent in results of older agents: all that is not free, with the part reserved for the system. */
  used_bytes?: number | undefined
  free_bytes: number
  inodes_total: number | null
  inodes_free: number | null
}

/** `disk`: the fullest one, and those that failed, of a check of every disk. */
type MeasuredDisk = DiskRoom & {
  exists: boolean
  /** The target, if the path of the check is a link. */
  link_to?: string | undefined
  /** The target of the link has a check of its own, which judges the disk. Set by the server. */
  has_other_check?: true | undefined
  /** The mount of a folder that is none. */
  is_on?: string | undefined
  disk?: string | undefined
  unmeasured?: readonly { disk: string; reason: string }[] | undefined
}

export const diskspace: CheckRule<DiskCheck, MeasuredDisk> = {
  judge(check, measured) {
    if (!measured.exists) return fail('error', whyNoDisk(check.disk, measured))
    if (measured.has_other_check === true)
      return pass(`${check.disk} is a link to ${measured.link_to}; checked by another check`)
    // As /proc: a file system that only shows what the kernel knows.
    if (measured.total_bytes === 0)
      return fail('error', `${check.disk} is no disk: it has no space of its own.`)
    const left = diskLeft(check.threshold_unit, measured)
    if (left === undefined) return fail('error', `${check.disk} has no inodes.`)
    const limits = { ...limitsOf(check), reverse: true }
    const where = measured.disk === undefined ? linkPrefix(measured) : `${measured.disk}: `
    const info =
      check.threshold_unit === 'inodes'
        ? `${where}${roundBeside(limits, left)} % of the inodes are free`
        : where + describeFree(check.threshold_unit, limits, measured)
    const [failed] = measured.unmeasured ?? []
    const found = compare({ ...check, reverse: true }, left, info)
    if (failed === undefined) return found
    return worstOf(
      found,
      compareNothing(limitsOf(check), `${failed.disk} was not measured: ${failed.reason}`),
    )
  },
  series(measured) {
    const { exists, total_bytes, inodes_total, inodes_free } = measured
    if (!exists || total_bytes === 0) return []
    const free = [{ name: 'free_percent', value: roundTo(freePercent(useOf(measured)), 2), unit: '%' }]
    if (inodes_total !== null && inodes_free !== null && inodes_total > 0)
      free.push(percent('inodes_free_percent', inodes_free / inodes_total))
    return free
  },
}

/** Free space in the unit of the thresholds; undefined if inodes are not counted. */
export function diskLeft(unit: DiskUnit, room: DiskRoom): number | undefined {
  if (unit === 'gigabytes') return room.free_bytes / GB
  if (unit === 'percent') return freePercent(useOf(room))
  const { inodes_total, inodes_free } = room
  return inodes_total === null || inodes_free === null ? undefined : percentOf(inodes_free, inodes_total)
}

const linkPrefix = ({ link_to }: MeasuredDisk) => (link_to === undefined ? '' : `link to ${link_to}: `)

function whyNoDisk(disk: string, { link_to, is_on }: MeasuredDisk): string {
  if (is_on === undefined) return `Disk ${disk} does not exist.`
  const what = link_to === undefined ? disk : `${disk} is a link to ${link_to}, which`
  return `${what} is not a mount point; it is on ${is_on}`
}

const useOf = ({ total_bytes, free_bytes, used_bytes = total_bytes - free_bytes }: DiskRoom) => ({
  used: used_bytes,
  free: free_bytes,
})

const NO_LIMITS: Limits = { warning_threshold: null, error_threshold: null }

function describeFree(unit: DiskUnit, limits: Limits, room: DiskRoom): string {
  const bytesOf = (gigabytes: number | null) => (gigabytes === null ? null : gigabytes * GB)
  const sizeLimits: Limits =
    unit === 'gigabytes'
      ? {
          warning_threshold: bytesOf(limits.warning_threshold),
          error_threshold: bytesOf(limits.error_threshold),
        }
      : NO_LIMITS
  const { used, free: left } = useOf(room)
  const free = formatSizeBeside({ ...sizeLimits, reverse: true }, room.free_bytes)
  const share = roundBeside(
    { ...(unit === 'percent' ? limits : NO_LIMITS), reverse: true },
    freePercent({ used, free: left }),
  )
  // Without the part that is reserved for the system, as the share.
  return `${free} of ${formatFileSize(used + left)} free (${share} %)`
}
