import fc from 'fast-check'
import { expect, test } from 'vitest'
import { actOnAlert, type AlertAction, type AlertOutcome } from './alert-actions.ts'
import * as rules from './alert-state.ts'

const at = (minutes: number) => new Date(Date.UTC(2026, 2, 1, 12) + minutes * 60_000).toISOString()
const open = (more: Partial<Parameters<typeof rules.openAlert>[0]> = {}) =>
  rules.openAlert({
    at: at(0),
    now: at(0),
    severity: 'warning',
    message: 'Disk is full',
    hold: null,
    notifyAfter: null,
    ...more,
  })
const act = (alert: rules.AlertSnapshot, type: AlertAction['type'], more: Partial<AlertAction> = {}) =>
  actOnAlert(alert, { type, at: at(5), by: 'ada', note: '', ...more })
function stepOf(outcome: AlertOutcome | undefined): rules.AlertStep {
  if (outcome === undefined || 'refused' in outcome) throw new Error('nothing follows')
  return outcome
}
const after = (alert: rules.AlertSnapshot, type: AlertAction['type']) =>
  stepOf(act(alert, type, { until: at(60) })).next

test('a new alert is notified, unless it is held or its machine has further results', () => {
  expect(open()).toMatchObject({ notice: 'opened', next: { state: 'open', notified: 'warning' } })
  expect(open({ hold: 'maintenance' })).toMatchObject({ notice: null, next: { notified: null } })
  expect(open({ notifyAfter: at(1) })).toMatchObject({
    notice: null,
    next: { notified: null, look_after: at(1) },
  })
  expect(open({ hold: 'flapping' }).next.look_after).toBe(at(30))
})

test('a higher severity is notified once, a lower one is not, and the same changes nothing', () => {
  const find = (alert: rules.AlertSnapshot, severity: rules.AlertSeverity, message = 'Disk is full') =>
    rules.repeatCause(alert, { at: at(1), severity, message })
  const { next } = open()
  expect(find(next, 'warning')).toBeUndefined()
  const error = stepOf(find(next, 'error'))
  expect(error).toMatchObject({ notice: 'severity_changed', log: [{ kind: 'severity_changed' }] })
  const back = stepOf(find(error.next, 'warning'))
  expect(back).toMatchObject({ notice: null, next: { severity: 'warning', notified: 'error' } })
  expect(find(back.next, 'error')).toMatchObject({ notice: null })
  expect(find(next, 'warning', 'Fuller')).toMatchObject({ notice: null, log: [{ kind: 'noted' }] })
  expect(find(after(next, 'snooze'), 'error')).toMatchObject({ notice: null })
  expect(find(after(next, 'acknowledge'), 'error')).toMatchObject({ notice: 'severity_changed' })
  expect(find(open({ hold: 'maintenance' }).next, 'error')).toMatchObject({ notice: null })
})

test('a held alert is notified once when it is released, and ends silently if it was never notified', () => {
  const { next } = open({ hold: 'maintenance' })
  const released = stepOf(rules.releaseAlert(next, { at: at(9) }))
  expect(released).toMatchObject({ notice: 'opened', next: { hold: null, notified: 'warning' } })
  expect(rules.releaseAlert(released.next, { at: at(10) })).toBeUndefined()
  expect(rules.endCause(next, { at: at(9), text: '' }).notice).toBeNull()
  const notified = stepOf(rules.holdAlert(open().next, { at: at(2), hold: 'machine_down' }))
  expect(rules.releaseAlert(notified.next, { at: at(9) })).toMatchObject({ notice: null })
  expect(rules.endCause(notified.next, { at: at(9), text: '' }).notice).toBe('resolved')
})

test('the end of a snooze reminds recipients', () => {
  const snoozed = after(open().next, 'snooze')
  expect(snoozed).toMatchObject({ state: 'snoozed', snooze_until: at(60) })
  expect(rules.endSnooze(snoozed, { at: at(60) })).toMatchObject({
    notice: 'repeated',
    next: { state: 'open', snooze_until: null },
  })
  expect(stepOf(act(snoozed, 'unsnooze')).notice).toBeNull()
})

test('a repeated problem inherits the snooze after an automatic resolve, not after a manual one', () => {
  const snoozed = after(open().next, 'snooze')
  expect(rules.endCause(snoozed, { at: at(9), text: '' }).next.snooze_until).toBe(at(60))
  expect(after(snoozed, 'resolve').snooze_until).toBeNull()
  const again = open({ at: at(20), now: at(20), snoozedUntil: at(60) })
  expect(again).toMatchObject({
    notice: null,
    next: { state: 'snoozed', snooze_until: at(60), notified: null },
  })
  expect(again.log.map(({ kind }) => kind)).toEqual(['opened', 'snoozed'])
  expect(rules.endSnooze(again.next, { at: at(60) })).toMatchObject({ notice: 'opened' })
})

test('an alert that ends before its notification has a log entry', () => {
  const step = rules.endCause(open({ notifyAfter: at(1) }).next, { at: at(0.5), text: 'It passes again.' })
  expect(step.notice).toBeNull()
  expect(step.log.map(({ kind }) => kind)).toEqual(['resolved', 'notice_held'])
})

test('an alert is never resolved before it started', () => {
  expect(rules.endCause(open({ at: at(7) }).next, { at: at(3), text: '' }).next.resolved_on).toBe(at(7))
})

const acknowledged = after(open().next, 'acknowledge')
const resolved = after(open().next, 'resolve')
test.each([
  [acknowledged, 'acknowledge', {}, 'ada has already acknowledged this alert.'],
  [open().next, 'unacknowledge', {}, 'This alert is not acknowledged.'],
  [acknowledged, 'unsnooze', {}, 'This alert is not snoozed.'],
  [open().next, 'snooze', {}, 'Set the end of the snooze.'],
  [open().next, 'snooze', { until: at(5) }, 'The end of a snooze must be in the future.'],
  [open().next, 'snooze', { until: '2100-01-01T00:00:00.000Z' }, 'A snooze must not exceed 9998 days.'],
  [resolved, 'acknowledge', {}, 'This alert was already resolved by ada.'],
  [resolved, 'resolve', {}, 'This alert was already resolved by ada.'],
  [
    rules.endCause(open().next, { at: at(1), text: '' }).next,
    'snooze',
    { until: at(60) },
    'This alert was already resolved automatically.',
  ],
] as const)('case %#: an impossible action is refused with a message', (alert, type, more, sentence) => {
  expect(act(alert, type, more)).toEqual({ refused: sentence })
})

test('in any sequence, an alert is notified at most once per state and never in two states', () => {
  const severity = fc.constantFrom('info' as const, 'warning' as const, 'error' as const)
  const hold = fc.constantFrom('maintenance' as const, 'machine_down' as const, 'flapping' as const)
  const action = fc.constantFrom(
    'acknowledge' as const,
    'unacknowledge' as const,
    'snooze' as const,
    'unsnooze' as const,
    'resolve' as const,
  )
  type Event = (alert: rules.AlertSnapshot, at: string) => AlertOutcome | undefined
  const event: fc.Arbitrary<Event> = fc.oneof(
    severity.map(
      (value): Event =>
        (s, now) =>
          rules.repeatCause(s, { at: now, severity: value, message: 'm' }),
    ),
    hold.map(
      (value): Event =>
        (s, now) =>
          rules.holdAlert(s, { at: now, hold: value }),
    ),
    action.map(
      (type): Event =>
        (s, now) =>
          actOnAlert(s, { type, at: now, by: 'ada', note: '', until: at(5000) }),
    ),
    fc.constantFrom<Event>(
      (s, now) => rules.releaseHold(s, { after: now }),
      (s, now) => rules.releaseAlert(s, { at: now }),
      (s) => rules.notifyLate(s),
      (s, now) => rules.endSnooze(s, { at: now }),
      (s, now) => (s.state === 'resolved' ? undefined : rules.endCause(s, { at: now, text: '' })),
    ),
  )
  const opening = fc.record({
    severity,
    hold: fc.option(hold),
    notifyAfter: fc.option(fc.constant(at(1))),
  })
  fc.assert(
    fc.property(
      opening,
      fc.array(event, { maxLength: 30 }),
      fc.array(fc.integer({ min: -50, max: 50 })),
      (first, events, jumps) => {
        const { next, notice } = open(first)
        let current = next
        const notices: string[] = notice === null ? [] : [notice]
        for (const [index, happens] of events.entries()) {
          const step = happens(current, at(100 + index + (jumps[index] ?? 0)))
          if (step === undefined || 'refused' in step) continue
          if (step.notice !== null) notices.push(step.notice)
          if (step.notice !== null && step.notice !== 'resolved') expect(step.next.hold).toBeNull()
          current = step.next
          check(current)
        }
        expect(notices.filter((kind) => kind === 'opened').length).toBeLessThanOrEqual(1)
        expect(notices.filter((kind) => kind === 'severity_changed').length).toBeLessThanOrEqual(2)
        expect(notices.filter((kind) => kind === 'resolved')).toHaveLength(
          current.state === 'resolved' && notices.includes('opened') ? 1 : 0,
        )
        if (notices.length > 0) expect(notices[0]).toBe('opened')
      },
    ),
    { numRuns: 2000 },
  )
})

function check(alert: rules.AlertSnapshot): void {
  expect(alert.resolved_on !== null).toBe(alert.state === 'resolved')
  if (alert.state !== 'resolved') expect(alert.snooze_until !== null).toBe(alert.state === 'snoozed')
  if (alert.state === 'acknowledged') expect(alert.acknowledged_by).toBe('ada')
  if (alert.state === 'resolved') {
    expect(alert.hold).toBeNull()
    expect(alert.resolved_on && alert.resolved_on >= alert.alert_time).toBe(true)
  }
}
