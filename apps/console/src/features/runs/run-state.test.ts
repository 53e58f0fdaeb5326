import { expect, test } from 'vitest'
import { describeDuration, describeState, runLabel, stepReached } from './run-state.ts'
import { testRun } from './test-run.ts'

const RUN = testRun()

test.each([
  [{ state: 'queued' as const }, 'waiting', 'dim'],
  [{ state: 'running' as const }, 'running', 'info'],
  [{ state: 'done' as const, retcode: 0 }, 'done', 'positive'],
  [{ state: 'done' as const, retcode: 3 }, 'exit code 3', 'warning'],
  [{ state: 'failed' as const }, 'failed', 'negative'],
  [{ state: 'expired' as const }, 'expired', 'warning'],
])('the state of %j reads %s and is %s', (more, label, tone) => {
  expect(describeState({ ...RUN, ...more })).toEqual({ label, tone })
})

test('nothing is green before the machine said so', () => {
  for (const state of ['queued', 'sent', 'accepted', 'running', 'failed', 'expired', 'cancelled'] as const) {
    expect(describeState({ state, retcode: 0 }).tone).not.toBe('positive')
    expect(stepReached({ state, started_at: null })).toBeLessThan(4)
  }
})

test('the duration is measured by the machine, or counted since the start', () => {
  const started_at = '2026-11-21T10:00:00.000Z'
  const nowMs = Date.parse('2026-11-21T10:00:12.400Z')
  expect(describeDuration({ ...RUN, execution_time: 0.25 }, nowMs)).toBe('250 ms')
  expect(describeDuration({ ...RUN, state: 'running', started_at }, nowMs)).toBe('12 s')
  expect(describeDuration(RUN, nowMs)).toBe('')
  expect(describeDuration({ ...RUN, state: 'cancelled', started_at }, nowMs)).toBe('')
})

test('a command of several lines reads as one, a script by its name and arguments', () => {
  expect(runLabel({ ...RUN, command: 'cd /tmp\n  ls' })).toBe('cd /tmp ⏎ ls')
  expect(runLabel({ ...RUN, type: 'script_run', script_name: 'Clean up', args: ['-f', 'x'] })).toBe(
    'Clean up -f x',
  )
})
