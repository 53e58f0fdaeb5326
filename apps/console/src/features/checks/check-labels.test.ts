import type { Check } from '@muster/contract/api/checks'
import { expect, test } from 'vitest'
import { countChecks, describeStatus } from './check-labels.ts'

const NOW_MS = Date.parse('2026-11-22T10:00:00.000Z')

test('a check that was not measured has a text, a tone and a count of its own', () => {
  const state = { status: 'not_measured', alert_severity: null, fresh_until: null, last_run: null } as const
  expect(describeStatus(state, NOW_MS)).toEqual({ label: 'not measured', tone: 'unknown' })
  const checks = [state, { ...state, status: 'passing' }, { ...state, status: 'failing' }].map(
    // Only the state is counted.
    (check_result) => ({ check_result, overridden_by_policy: false }) as Check,
  )
  expect(countChecks(checks, NOW_MS)).toBe('1 failing, 1 not measured, 1 passing')
})
