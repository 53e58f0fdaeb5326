import { expect, test } from 'vitest'
import { findExpiredBackups } from './backup-retention.ts'

const at = (...instants: string[]) => instants.map((instant) => ({ at: new Date(`${instant}:00Z`) }))
const keptOf = (backups: { at: Date }[], retention: { daily: number; weekly: number }) => {
  const expired = new Set(findExpiredBackups(backups, retention))
  return backups
    .filter((backup) => !expired.has(backup))
    .map(({ at: time }) => time.toISOString().slice(0, 16))
}

test.each([
  // Several of one day: the newest stays.
  [['2026-11-27T02:30', '2026-11-27T14:00'], { daily: 7, weekly: 4 }, ['2026-11-27T14:00']],
  // The newest stays whatever the retention is.
  [['2026-11-26T02:30', '2026-11-27T02:30'], { daily: 0, weekly: 0 }, ['2026-11-27T02:30']],
  [
    ['2026-11-24T02:30', '2026-11-25T02:30', '2026-11-26T02:30'],
    { daily: 2, weekly: 0 },
    ['2026-11-25T02:30', '2026-11-26T02:30'],
  ],
  // 22 and 15 November 2026 are Sundays, 23 a Monday.
  [
    ['2026-11-14T02:30', '2026-11-15T02:30', '2026-11-22T02:30', '2026-11-23T02:30'],
    { daily: 1, weekly: 3 },
    ['2026-11-15T02:30', '2026-11-22T02:30', '2026-11-23T02:30'],
  ],
  // Days without a backup do not count: a server that was off for a month keeps what it has.
  [
    ['2026-10-01T02:30', '2026-11-27T02:30'],
    { daily: 2, weekly: 0 },
    ['2026-10-01T02:30', '2026-11-27T02:30'],
  ],
  [[], { daily: 7, weekly: 4 }, []],
])('of %j with %j are kept %j', (backups, retention, kept) => {
  expect(keptOf(at(...backups), retention)).toEqual(kept)
})
