import { expect, test } from 'vitest'
import { settleAgentSettings } from './policy-merge.ts'

test('settings that no policy sets have their defaults', () => {
  expect(settleAgentSettings({}, 1)).toEqual({
    check_interval: 120,
    offline_time: 4,
    overdue_time: 30,
    overdue_dashboard_alert: 1,
  })
  expect(settleAgentSettings({ check_interval: 60 }, 0)).toMatchObject({
    check_interval: 60,
    overdue_time: 30,
    overdue_dashboard_alert: 0,
  })
})

test('a machine is overdue later than offline, for any policies', () => {
  expect(settleAgentSettings({ offline_time: 45 }, 0)).toMatchObject({ offline_time: 45, overdue_time: 46 })
})

test('a policy turns availability alerts on and off, whatever the default is', () => {
  expect(settleAgentSettings({ overdue_dashboard_alert: 1 }, 0)).toMatchObject({ overdue_dashboard_alert: 1 })
  expect(settleAgentSettings({ overdue_dashboard_alert: 0 }, 1)).toMatchObject({ overdue_dashboard_alert: 0 })
})
