import { expect, test } from 'vitest'
import { isToolRecorded, mergeRecordingSettings, type RecordingRules } from './remote-rules.ts'

const BASE: RecordingRules = { record_terminals: 'servers', record_desktops: 'none' }

test('the nearest recording settings apply, each setting separately', () => {
  const merged = mergeRecordingSettings(BASE, [
    { record_terminals: null, record_desktops: 'all' },
    { record_terminals: 'none', record_desktops: null },
    { record_terminals: null, record_desktops: 'servers' },
  ])
  expect(merged).toEqual({ record_terminals: 'none', record_desktops: 'servers' })
  expect(mergeRecordingSettings(BASE, [])).toEqual(BASE)
})

test.each([
  ['terminal', 'server', true],
  ['terminal', 'workstation', false],
  ['desktop', 'server', false],
  ['vnc', 'workstation', false],
] as const)('by default, a %s of a %s is recorded: %s', (tool, monitoringType, is) => {
  expect(isToolRecorded(BASE, { tool, monitoringType })).toBe(is)
})

test('VNC to other machines is recorded like the desktop', () => {
  const rules: RecordingRules = { record_terminals: 'none', record_desktops: 'all' }
  expect(isToolRecorded(rules, { tool: 'vnc', monitoringType: 'workstation' })).toBe(true)
  expect(isToolRecorded(rules, { tool: 'terminal', monitoringType: 'server' })).toBe(false)
})
