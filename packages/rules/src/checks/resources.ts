import {
  type CheckRule,
  compare,
  compareNothing,
  fail,
  formatGb,
  GB,
  limitsOf,
  pass,
  percent,
  round,
  roundTo,
  type ThresholdPair,
  worstOf,
} from './judgement.ts'

export const cpuload: CheckRule<ThresholdPair, { percent: number }> = {
  judge: (check, { percent }) =>
    compare({ ...check, reverse: false }, percent, `${round(percent)} % in use on average`),
  series: ({ percent }) => [{ name: 'percent', value: roundTo(percent, 2), unit: '%' }],
}

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
      const info = `${round(percent)} % of ${formatGb(total_bytes)} in use`
      return compare({ ...check, reverse: false }, percent, info)
    }
    if (swap_percent === null) return pass('No swap.')
    return compare({ ...check, reverse: false }, swap_percent, `${round(swap_percent)} % of swap in use`)
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
  free_bytes: number
  inodes_total: number | null
  inodes_free: number | null
}

/** `disk`: the fullest one, and those that failed, of a check of every disk. */
type MeasuredDisk = DiskRoom & {
  exists: boolean
  disk?: string | undefined
  unmeasured?: readonly { disk: string; reason: string }[] | undefined
}

export const diskspace: CheckRule<DiskCheck, MeasuredDisk> = {
  judge(check, measured) {
    if (!measured.exists) return fail('error', `Disk ${check.disk} does not exist.`)
    const left = diskLeft(check.threshold_unit, measured)
    if (left === undefined) return fail('error', `${check.disk} has no inodes.`)
    const free = formatGb(measured.free_bytes)
    const total = formatGb(measured.total_bytes)
    const where = measured.disk === undefined ? '' : `${measured.disk}: `
    const info =
      check.threshold_unit === 'inodes'
        ? `${round(left)} % of the inodes are free`
        : `${where}${free} of ${total} free (${round(percentOf(measured.free_bytes, measured.total_bytes))} %)`
    const [failed] = measured.unmeasured ?? []
    const found = compare({ ...check, reverse: true }, left, info)
    if (failed === undefined) return found
    return worstOf(
      found,
      compareNothing(limitsOf(check), `${failed.disk} was not measured: ${failed.reason}`),
    )
  },
  series({ exists, total_bytes, free_bytes, inodes_total, inodes_free }) {
    if (!exists || total_bytes === 0) return []
    const free = [percent('free_percent', free_bytes / total_bytes)]
    if (inodes_total !== null && inodes_free !== null && inodes_total > 0)
      free.push(percent('inodes_free_percent', inodes_free / inodes_total))
    return free
  },
}

/** Free space in the unit of the thresholds; undefined if inodes are not counted. */
export function diskLeft(unit: DiskUnit, room: DiskRoom): number | undefined {
  if (unit === 'gigabytes') return room.free_bytes / GB
  if (unit === 'percent') return percentOf(room.free_bytes, room.total_bytes)
  const { inodes_total, inodes_free } = room
  return inodes_total === null || inodes_free === null ? undefined : percentOf(inodes_free, inodes_total)
}

/** Multiplies first: 29 of 100 are 29 %, not 28.999999999999996 %. */
const percentOf = (part: number, whole: number) => (whole === 0 ? 0 : (part * 100) / whole)
