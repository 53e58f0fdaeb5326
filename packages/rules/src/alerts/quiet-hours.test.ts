import { expect, test } from 'vitest'
import { quietUntil } from './quiet-hours.ts'

const NIGHT = { from: '22:00', to: '07:00', timeZone: 'Europe/Zurich' }
const LUNCH = { from: '12:00', to: '13:30', timeZone: 'UTC' }
const endAt = (hours: Parameters<typeof quietUntil>[0], instant: string) => {
  const end = quietUntil(hours, Date.parse(instant))
  return end === undefined ? undefined : new Date(end).toISOString()
}

test.each([
  ['before they begin', LUNCH, '2026-11-21T11:59:59.999Z', undefined],
  ['at their first moment', LUNCH, '2026-11-21T12:00:00.000Z', '2026-11-21T13:30:00.000Z'],
  ['within', LUNCH, '2026-11-21T13:29:59.999Z', '2026-11-21T13:30:00.000Z'],
  ['at their end', LUNCH, '2026-11-21T13:30:00.000Z', undefined],
  ['in the evening of the zone', NIGHT, '2026-11-21T21:00:00.000Z', '2026-11-22T06:00:00.000Z'],
  ['after its midnight', NIGHT, '2026-11-21T23:30:00.000Z', '2026-11-22T06:00:00.000Z'],
  ['in the morning', NIGHT, '2026-11-22T06:00:00.000Z', undefined],
  ['a minute before they begin', NIGHT, '2026-11-21T20:59:00.000Z', undefined],
  ['over the end of a year', NIGHT, '2026-12-31T23:59:00.000Z', '2027-01-01T06:00:00.000Z'],
])('quiet hours %s', (_, hours, instant, end) => {
  expect(endAt(hours, instant)).toBe(end)
})

test('empty or equal times mean no quiet hours', () => {
  for (const times of [
    { from: '', to: '' },
    { from: '22:00', to: '' },
    { from: '08:00', to: '08:00' },
  ]) {
    expect(endAt({ ...times, timeZone: 'UTC' }, '2026-11-21T08:00:00Z')).toBeUndefined()
  }
})

// Nights with clock changes in five zones. Each row: hours, an instant within, and the end in UTC.
test.each([
  // Zurich goes from 02:00 to 03:00 on 2026-03-29 and 2027-03-28, and back from 03:00 to 02:00 on 2026-10-25 and 2027-10-31.
  ['22:00', '07:00', 'Europe/Zurich', '2026-03-28T23:00:00Z', '2026-03-29T05:00:00.000Z'],
  ['22:00', '07:00', 'Europe/Zurich', '2026-10-24T23:00:00Z', '2026-10-25T06:00:00.000Z'],
  ['22:00', '07:00', 'Europe/Zurich', '2027-03-27T23:00:00Z', '2027-03-28T05:00:00.000Z'],
  ['22:00', '07:00', 'Europe/Zurich', '2027-10-30T23:00:00Z', '2027-10-31T06:00:00.000Z'],
  // The end is a skipped time: it is over when the clocks have passed it.
  ['22:00', '02:30', 'Europe/Zurich', '2026-03-28T23:00:00Z', '2026-03-29T01:00:00.000Z'],
  // The end is a repeated time: it is over at the first.
  ['22:00', '02:30', 'Europe/Zurich', '2026-10-24T23:00:00Z', '2026-10-25T00:30:00.000Z'],
  // New York: 2026-03-08 and 2026-11-01, 2027-03-14 and 2027-11-07, at 02:00.
  ['23:00', '06:00', 'America/New_York', '2026-03-08T05:00:00Z', '2026-03-08T10:00:00.000Z'],
  ['23:00', '06:00', 'America/New_York', '2026-11-01T05:00:00Z', '2026-11-01T11:00:00.000Z'],
  ['23:00', '06:00', 'America/New_York', '2027-03-14T05:00:00Z', '2027-03-14T10:00:00.000Z'],
  ['23:00', '06:00', 'America/New_York', '2027-11-07T05:00:00Z', '2027-11-07T11:00:00.000Z'],
  // Lord Howe changes by half an hour: 2026-04-05 and 2026-10-04.
  ['20:00', '05:00', 'Australia/Lord_Howe', '2026-04-04T12:00:00Z', '2026-04-04T18:30:00.000Z'],
  ['20:00', '05:00', 'Australia/Lord_Howe', '2026-10-03T12:00:00Z', '2026-10-03T18:00:00.000Z'],
  // Santiago changes at midnight: 2026-09-06 has no 00:00 to 01:00.
  ['21:00', '00:30', 'America/Santiago', '2026-09-06T02:00:00Z', '2026-09-06T04:00:00.000Z'],
  // Kolkata has no clock changes and a half-hour offset.
  ['22:00', '07:00', 'Asia/Kolkata', '2026-10-24T20:00:00Z', '2026-10-25T01:30:00.000Z'],
])('from %s to %s in %s', (from, to, timeZone, instant, end) => {
  expect(endAt({ from, to, timeZone }, instant)).toBe(end)
  expect(endAt({ from, to, timeZone }, end)).toBeUndefined()
  expect(endAt({ from, to, timeZone }, new Date(Date.parse(end) - 1).toISOString())).toBe(end)
})

test('hours that lie completely in a skipped hour do not occur', () => {
  const gap = { from: '02:10', to: '02:50', timeZone: 'Europe/Zurich' }
  for (let minute = 0; minute < 180; minute++) {
    expect(quietUntil(gap, Date.parse('2026-03-29T00:00:00Z') + minute * 60_000)).toBeUndefined()
  }
  expect(endAt(gap, '2026-03-28T01:20:00Z')).toBe('2026-03-28T01:50:00.000Z')
})
