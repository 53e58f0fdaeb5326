import { expect, test } from 'vitest'
import { settleAgentSettings } from './policy-settings.ts'

test('what no policy gives is as ever', () => {
  expect(settleAgentSettings({})).toEqual({ check_interval: 120, offline_time: 4, overdue_time: 30 })
  expect(settleAgentSettings({ check_interval: 60 })).toMatchObject({ check_interval: 60, overdue_time: 30 })
})

test('a machine is overdue later than offline, whichever policies say so', () => {
  expect(settleAgentSettings({ offline_time: 45 })).toMatchObject({ offline_time: 45, overdue_time: 46 })
})
