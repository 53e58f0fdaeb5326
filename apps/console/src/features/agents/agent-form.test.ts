import type { AgentDetail } from '@muster/contract/api/agents'
import { describe, expect, test } from 'vitest'
import { checkAgentForm, describeChanges, readAgentForm, toAgentChanges } from './agent-form.ts'
import { testMachine } from './test-machines.ts'

const AGENT: AgentDetail = {
  ...testMachine(),
  id: 1,
  site: 1,
  time_zone: null,
  timezone: 'Europe/Berlin',
  check_interval: 120,
  availability_alerts: 'default',
  own_tags: [],
  tags: [],
  default_shell: 'use_global',
  default_shell_custom: '',
  total_ram: 8,
  created: '2026-11-21T10:00:00.000Z',
  modified: 'm1',
  facts: null,
  clock_skew_seconds: null,
  alert_template: null,
  effective_alert_template: null,
  applied_policies: [],
  winupdatepolicy: [],
  effective_patch_policy: null,
  link_lost_at: null,
  custom_fields: [],
  maintenance_by: null,
  can_update: true,
  update: null,
}
const FORM = readAgentForm(AGENT)
const errorsOf = (more: object) =>
  Object.entries(checkAgentForm({ ...FORM, ...more })).flatMap(([name, error]) =>
    error === null ? [] : [name],
  )

describe('the settings of a machine', () => {
  test('as they are, are valid and change nothing', () => {
    expect(errorsOf({})).toEqual([])
    expect(toAgentChanges(FORM, FORM)).toEqual({})
  })

  test.each([
    [{ offline_time: '' }, ['offline_time']],
    [{ offline_time: 1 }, ['offline_time']],
    [{ offline_time: 30, overdue_time: 30 }, ['overdue_time']],
    [{ check_interval: 14 }, ['check_interval']],
    [{ default_shell: 'custom' }, ['default_shell_custom']],
    [{ default_shell: 'custom', default_shell_custom: '/bin/zsh' }, []],
  ])('%j has errors at %j', (more, names) => {
    expect(errorsOf(more)).toEqual(names)
  })

  test('are sent as far as they were changed', () => {
    const form = { ...FORM, site: '7', description: 'new', time_zone: 'Asia/Tokyo' }
    expect(toAgentChanges(form, FORM)).toEqual({ site: 7, description: 'new', time_zone: 'Asia/Tokyo' })
  })
})

test('changes by another user are listed by field', () => {
  const changes = { description: 'other', overdue_email_alert: true, maintenance_mode: true }
  const now = { ...AGENT, ...changes, site: 2, site_name: 'Munich' }
  expect(describeChanges(AGENT, now)).toEqual([
    { label: 'Site', from: 'Acme / Berlin', to: 'Acme / Munich' },
    { label: 'Description', from: 'empty', to: 'other' },
    { label: 'When overdue: E-mail', from: 'off', to: 'on' },
    { label: 'Maintenance mode', from: 'off', to: 'on' },
  ])
})
