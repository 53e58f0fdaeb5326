import { expect, test } from 'vitest'
import { NOTIFICATION_POSITIONS, NOTIFICATION_PRESETS, placeNotification } from './layout.ts'

test('the base notification is at the bottom for 5000 ms, feedback at the top for 2000 ms', () => {
  expect(NOTIFICATION_PRESETS.base).toEqual({ position: 'bottom', timeoutMs: 5000 })
  expect(NOTIFICATION_PRESETS.feedback).toEqual({ position: 'top', timeoutMs: 2000 })
  expect(placeNotification('base')).toEqual({ ok: true, placement: { position: 'bottom', timeoutMs: 5000 } })
  expect(placeNotification('feedback')).toEqual({ ok: true, placement: { position: 'top', timeoutMs: 2000 } })
})

test.each([...NOTIFICATION_POSITIONS])('position %s is valid', (position) => {
  expect(placeNotification('base', { position })).toEqual({
    ok: true,
    placement: { position, timeoutMs: 5000 },
  })
})

test('there are nine positions', () => {
  expect(new Set(NOTIFICATION_POSITIONS).size).toBe(9)
})

test.each(['middle', '', 'TOP', null, 3, ['top'], { top: 1 }])(
  'position %j is an error, not an exception',
  (position) => {
    const result = placeNotification('base', { position })
    expect(result).toEqual({
      ok: false,
      error: expect.stringContaining('Notification position must be one of'),
    })
  },
)

test.each([0, 1, 2500, 10_000.5])('timeout %d is accepted', (timeoutMs) => {
  expect(placeNotification('feedback', { timeoutMs })).toEqual({
    ok: true,
    placement: { position: 'top', timeoutMs },
  })
})

test.each([
  [-1, 'Notification timeout cannot be negative'],
  [-0.001, 'Notification timeout cannot be negative'],
  [NaN, 'Notification timeout must be a finite number of milliseconds'],
  [Infinity, 'Notification timeout must be a finite number of milliseconds'],
  ['2000', 'Notification timeout must be a finite number of milliseconds'],
  [false, 'Notification timeout must be a finite number of milliseconds'],
])('timeout %j is an error, not an exception', (timeoutMs, error) => {
  expect(placeNotification('base', { timeoutMs })).toEqual({ ok: false, error })
})
