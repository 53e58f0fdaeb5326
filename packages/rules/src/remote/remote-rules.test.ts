import { expect, test } from 'vitest'
import {
  DEFAULT_REMOTE_RULES,
  findEnforced,
  isWithinHours,
  mergeRemoteSettings,
  type RemoteSettings,
  formatHours,
  whyNoRemoteTools,
} from './remote-rules.ts'

const NOTHING: RemoteSettings = {
  forbidden: null,
  hours: null,
  consent: null,
  consent_seconds: null,
  banner: null,
}
const OFFICE = { weekdays: [1, 2, 3, 4, 5], from: '08:00', to: '17:00' }
const NIGHT = { weekdays: [5], from: '22:00', to: '06:00' }
/** 20 November 2026 was a Friday. */
const at = (text: string) => Date.parse(`2026-11-${text}:00Z`)

test('the nearest settings apply, each setting separately', () => {
  expect(mergeRemoteSettings([])).toEqual(DEFAULT_REMOTE_RULES)
  const all = { ...NOTHING, hours: OFFICE, consent: 'ask' as const, forbidden: true }
  const client = { ...NOTHING, forbidden: false, banner: true }
  const site = { ...NOTHING, hours: 'always' as const }
  expect(mergeRemoteSettings([all, client, site, NOTHING])).toEqual({
    forbidden: false,
    hours: null,
    consent: 'ask',
    consent_seconds: 30,
    banner: true,
  })
})

test('what a level enforces is not changed by nearer ones', () => {
  const all = { ...NOTHING, consent: 'require' as const, enforced: true }
  const client = { ...NOTHING, consent: 'off' as const, banner: true, enforced: true }
  const site = { ...NOTHING, consent: 'ask' as const, banner: false, hours: OFFICE }
  expect(mergeRemoteSettings([all, client, site])).toEqual({
    ...DEFAULT_REMOTE_RULES,
    consent: 'require',
    banner: true,
    hours: OFFICE,
  })
  expect(findEnforced([all, client, site])).toEqual(['consent', 'banner'])
})

test.each([
  ['20T08:00', OFFICE, true],
  ['20T16:59', OFFICE, true],
  ['20T17:00', OFFICE, false],
  ['20T07:59', OFFICE, false],
  ['21T09:00', OFFICE, false],
  ['20T22:00', NIGHT, true],
  ['20T21:59', NIGHT, false],
  ['21T05:59', NIGHT, true],
  ['21T06:00', NIGHT, false],
  ['20T05:00', NIGHT, false],
  ['21T22:00', NIGHT, false],
])('%s within %j: %s', (moment, hours, expected) => {
  expect(isWithinHours(hours, at(moment))).toBe(expected)
})

test('a refusal contains the hours and the local time', () => {
  const clock = () => ({ wallMs: at('21T09:05'), zone: 'Europe/Berlin' })
  expect(whyNoRemoteTools({ forbidden: false, hours: null }, clock)).toBeUndefined()
  expect(whyNoRemoteTools({ forbidden: true, hours: null }, clock)).toBe(
    'Remote tools are disabled on this machine.',
  )
  expect(whyNoRemoteTools({ forbidden: false, hours: OFFICE }, clock)).toBe(
    'Remote tools may be used on this machine Mon, Tue, Wed, Thu, Fri from 08:00 to 17:00 (Europe/Berlin). Its local time is 09:05.',
  )
  expect(formatHours({ ...NIGHT, weekdays: [0, 1, 2, 3, 4, 5, 6] })).toBe(
    'every day from 22:00 to 06:00 of the next day',
  )
})
