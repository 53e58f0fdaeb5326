import { instantOf, isTimeZone, wallClockAt } from './zone-time.ts'

const DAY_MS = 86_400_000
/** Enough for overrides of half a year, and an end for a schedule with one member. */
const MAX_BOUNDARIES = 400

/** The contract's OnCallRotation. */
export interface OnCallRotation {
  /** IANA name. */
  time_zone: string
  rotates: 'daily' | 'weekly'
  /** Local time of the first shift, `2026-11-23T09:00`: its time of day, and with a weekly rotation its weekday, are those of every handover. */
  starts: string
  /** Ids of users, in the order of their shifts. */
  members: readonly number[]
  /** Replacements of the member on call. They do not overlap. */
  overrides: readonly OnCallOverride[]
}

export interface OnCallOverride {
  user: number
  /** Instants. */
  from: string
  to: string
}

export interface OnCall {
  /** Null = nobody: before the first shift, or without an available member. */
  user: number | null
  /** The user is on call until then; null = without end. */
  untilMs: number | null
  isOverride: boolean
}

/**
 * Who is on call at an instant, and until when. A shift of a user who is not available (deleted, disabled) goes to the
 * next available member, and an override by one does not count. Handovers follow the clock of the zone: a skipped time is
 * the first moment after the gap, a repeated one the first of both.
 */
export function onCallAt(
  rotation: OnCallRotation,
  atMs: number,
  isAvailable: (user: number) => boolean = () => true,
): OnCall {
  const now = personAt(rotation, atMs, isAvailable)
  let boundary = nextBoundary(rotation, atMs)
  for (let steps = 0; boundary !== undefined && steps < MAX_BOUNDARIES; steps++) {
    const then = personAt(rotation, boundary, isAvailable)
    if (then.user !== now.user || then.isOverride !== now.isOverride) return { ...now, untilMs: boundary }
    boundary = nextBoundary(rotation, boundary)
  }
  return { ...now, untilMs: null }
}

/** The shifts from an instant on, in order, at most `count`. */
export function nextShifts(
  rotation: OnCallRotation,
  atMs: number,
  count: number,
  isAvailable?: (user: number) => boolean,
): (OnCall & { fromMs: number })[] {
  const shifts: (OnCall & { fromMs: number })[] = []
  let fromMs: number | null = atMs
  while (fromMs !== null && shifts.length < count) {
    const shift = onCallAt(rotation, fromMs, isAvailable)
    shifts.push({ ...shift, fromMs })
    fromMs = shift.untilMs
  }
  return shifts
}

/** Returns the problem of a rotation as a sentence for its author. The functions above require a valid one. */
export function findRotationProblem(
  rotation: OnCallRotation,
): { field: keyof OnCallRotation; sentence: string } | undefined {
  if (!isTimeZone(rotation.time_zone))
    return { field: 'time_zone', sentence: 'Unknown time zone. Choose one, for example Europe/Zurich.' }
  const startsMs = Date.parse(`${rotation.starts}Z`)
  // February 31 is read as a day of March.
  if (Number.isNaN(startsMs) || new Date(startsMs).toISOString().slice(0, 16) !== rotation.starts)
    return { field: 'starts', sentence: 'There is no such date.' }
  if (!rotation.starts.startsWith('20'))
    return { field: 'starts', sentence: 'Choose a date from 2000 to 2099.' }
  if (rotation.members.length === 0) return { field: 'members', sentence: 'Choose at least one user.' }
  if (new Set(rotation.members).size < rotation.members.length)
    return { field: 'members', sentence: 'Each user can be in the rotation once.' }
  const sorted = rotation.overrides.toSorted((a, b) => Date.parse(a.from) - Date.parse(b.from))
  for (const [index, { from, to }] of sorted.entries()) {
    if (Date.parse(to) <= Date.parse(from))
      return { field: 'overrides', sentence: 'An override must end after it starts.' }
    const before = sorted[index - 1]
    if (before !== undefined && Date.parse(before.to) > Date.parse(from))
      return { field: 'overrides', sentence: 'Overrides must not overlap.' }
  }
  return undefined
}

function personAt(
  { overrides, ...rotation }: OnCallRotation,
  atMs: number,
  isAvailable: (user: number) => boolean,
): Omit<OnCall, 'untilMs'> {
  const override = overrides.find(
    ({ user, from, to }) => isAvailable(user) && Date.parse(from) <= atMs && atMs < Date.parse(to),
  )
  if (override !== undefined) return { user: override.user, isOverride: true }
  const { members } = rotation
  const shift = shiftAt(rotation, atMs)
  if (shift < 0) return { user: null, isOverride: false }
  const turns = members.map((_, index) => members[(shift + index) % members.length])
  return { user: turns.find((user) => user !== undefined && isAvailable(user)) ?? null, isOverride: false }
}

type Shifts = Pick<OnCallRotation, 'time_zone' | 'rotates' | 'starts'>

/** The number of the shift at an instant, from 0; negative before the first one. */
function shiftAt(shifts: Shifts, atMs: number): number {
  const wall = wallClockAt(shifts.time_zone, atMs)
  let shift = Math.floor((wall - Date.parse(`${shifts.starts}Z`)) / lengthOf(shifts))
  // Around a clock change, the wall clock and the instants may disagree by one shift.
  while (startOf(shifts, shift) > atMs) shift--
  while (startOf(shifts, shift + 1) <= atMs) shift++
  return shift
}

function startOf(shifts: Shifts, shift: number): number {
  return instantOf(shifts.time_zone, Date.parse(`${shifts.starts}Z`) + shift * lengthOf(shifts))
}

function lengthOf({ rotates }: Shifts): number {
  return rotates === 'daily' ? DAY_MS : 7 * DAY_MS
}

/** The next instant at which the user on call may change. */
function nextBoundary(rotation: OnCallRotation, afterMs: number): number | undefined {
  const { overrides } = rotation
  const handover = startOf(rotation, Math.max(0, shiftAt(rotation, afterMs) + 1))
  const edges = overrides.flatMap(({ from, to }) => [Date.parse(from), Date.parse(to)])
  return Math.min(handover, ...edges.filter((edge) => edge > afterMs))
}
