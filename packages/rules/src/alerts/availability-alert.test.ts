import { expect, test } from 'vitest'
import { isUnalerted, type WatchedMachine } from './alert-template.ts'

const silent: WatchedMachine = {
  status: 'overdue',
  maintenance_mode: false,
  overdue_dashboard_alert: false,
  overdue_email_alert: false,
  overdue_text_alert: false,
  alert_template: null,
}
const template = { always_alert: null, always_email: null, always_text: null }

test.each<[string, Partial<WatchedMachine>, boolean]>([
  ['an overdue machine without any alert', {}, true],
  ['one that is only offline', { status: 'offline' }, false],
  ['one in maintenance', { maintenance_mode: true }, false],
  ['one with the alert in the console', { overdue_dashboard_alert: true }, false],
  ['one with an e-mail alert', { overdue_email_alert: true }, false],
  ['one with a text message', { overdue_text_alert: true }, false],
  ['one whose template always alerts', { alert_template: { ...template, always_alert: true } }, false],
  ['one whose template leaves it to the machine', { alert_template: template }, true],
])('%s: is unalerted = %s', (_name, fields, expected) => {
  expect(isUnalerted({ ...silent, ...fields })).toBe(expected)
})
