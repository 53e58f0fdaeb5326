import { MaintenanceSchedule } from '@muster/contract/api/maintenance'
import { nextOccurrence, type Occurrence, occurrenceAt } from '@muster/rules/schedules/maintenance-schedule'
import type { WindowRow } from './queries.ts'

export function readSchedule({ schedule }: Pick<WindowRow, 'schedule'>): MaintenanceSchedule {
  return MaintenanceSchedule.parse(JSON.parse(schedule))
}

/** The current occurrence of a window, unless a user ended it. */
export function activeOccurrence(window: WindowRow, atMs: number): Occurrence | undefined {
  const occurrence = occurrenceAt(readSchedule(window), atMs)
  if (occurrence === undefined) return undefined
  const isEnded = window.ended_at !== null && Date.parse(window.ended_at) >= occurrence.startMs
  return isEnded ? undefined : occurrence
}

/** When this window next starts or ends. Infinity = never again. */
export function nextMoment(window: WindowRow, atMs: number): number {
  const endMs = activeOccurrence(window, atMs)?.endMs ?? Number.POSITIVE_INFINITY
  const startMs = nextOccurrence(readSchedule(window), atMs)?.startMs ?? Number.POSITIVE_INFINITY
  return Math.min(startMs, endMs)
}
