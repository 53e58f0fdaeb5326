import { expect, test } from 'vitest'
import { describeWarning, nextWarningAt } from './warnings.ts'

const MINUTE = 60_000

test.each([
  [60, 55],
  [6, 1],
  [5, 4],
  [2, 1],
  [1, undefined],
  [0, undefined],
])('%d minutes before, the next warning comes %s minutes later', (minutes, later) => {
  const next = nextWarningAt(minutes * MINUTE, 0)
  expect(next).toBe(later === undefined ? undefined : later * MINUTE)
})

test('the warning names the time, the message and the author, and asks only if it can be postponed', () => {
  const plan = {
    action: 'shutdown' as const,
    author: 'ada',
    dueMs: new Date(2099, 0, 2, 18, 5).getTime(),
    message: ' Building work. ',
    postpone_seconds: 900,
    postponements: 1,
  }
  expect(describeWarning(plan, 'planned')).toEqual({
    title: 'Shutdown planned',
    text: 'This computer shuts down at 18:05 on 2099-01-02. Save your work.\n\nBuilding work.\n\nPlanned by ada.',
    question: { ask: 'Postpone by 15 minutes?', yes: 'Postpone 15 minutes', no: 'Keep the time' },
  })
  const bare = describeWarning({ ...plan, message: '', postponements: 0 }, 'planned')
  expect(bare.text).toMatch(/work\.\n\nPlanned by ada\.$/)
  expect(bare.question).toBeUndefined()
})
