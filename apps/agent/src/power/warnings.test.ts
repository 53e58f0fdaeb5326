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
  const hostile = `\u001B[2Jold \u202Etext\u0007\n\n\n${'line\n'.repeat(60)}Planned by the director.`
  const shown = describeWarning({ ...plan, message: hostile }, 'planned').text
  expect(shown).toMatch(/^[^\p{Cc}\p{Cf}]*(\n[^\p{Cc}\p{Cf}]*)*$/u)
  expect(shown).toContain('\n\n\u241B[2Jold \uFFFDtext\u2407\nline\nline\nline\nline line ')
  expect(shown.split('\n')).toHaveLength(9)
  expect(shown).toMatch(/Planned by the director\.\n\nPlanned by ada\.$/)
  const bare = describeWarning({ ...plan, message: '', postponements: 0 }, 'planned')
  expect(bare.text).toMatch(/work\.\n\nPlanned by ada\.$/)
  expect(bare.question).toBeUndefined()
})
