import { validateThresholds } from '@muster/rules/checks/thresholds'
import { expect, test } from 'vitest'
import { PolicyDocument } from '../api/policies.ts'
import { RECOMMENDED_POLICIES } from './recommended-policies.ts'

test.each(Object.entries(RECOMMENDED_POLICIES))('the recommended policy for %ss is valid', (type, policy) => {
  expect(PolicyDocument.strict().parse(policy)).toEqual(policy)
  expect(policy.targets).toEqual([{ level: 'default', monitoring_type: type }])
  const { checks, agent_settings } = policy.content
  expect(checks.map(({ settings }) => settings.check_type)).toEqual(['cpuload', 'memory', 'diskspace'])
  expect(checks.map((check) => check.fails_b4_alert)).toEqual([5, 5, 1])
  for (const { settings } of checks) {
    if (!('warning_threshold' in settings)) throw new Error('each check has thresholds')
    const { warning_threshold: warning, error_threshold: error, check_type } = settings
    expect(validateThresholds({ warning, error, reverse: check_type === 'diskspace' })).toBeUndefined()
  }
  expect(agent_settings.overdue_dashboard_alert).toBe(true)
  expect(agent_settings.overdue_time).toBeGreaterThan(agent_settings.offline_time ?? 0)
})
