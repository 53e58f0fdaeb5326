import { expect, test } from 'vitest'
import { listFindings, findBannedTerms } from './language-rules.ts'

const file = (text: string, path = 'apps/server/src/a.ts') => ({ path, text })
const wordsIn = (text: string, path?: string) => listFindings([file(text, path)]).map(({ word }) => word)

test.each([
  ['const toldChecks = 1', 'told'],
  ["import { a } from './told-checks.ts'", 'told'],
  ['ALREADY_TOLD', 'told'],
  ['Whoever wants it', 'whoever'],
  ["text: 'Restarted ssh, in vain'", 'in vain'],
  ['the run was called off', 'called off'],
  ['callOff(run)', 'called off'],
  ['const MOST_ROWS = 3', 'MOST_'],
  ['const runWords = 1', 'words'],
  ['/** What a machine says. */', 'clause for a name'],
  ['readPatchesApart()', 'apart'],
])('%s: "%s" is found', (text, word) => {
  expect(wordsIn(text)).toEqual([word])
})

test.each([
  'row.looked_at',
  "z.literal('session-receipt')",
  'foretold, shearing, research',
  "where('purpose', '=', row.receipt)",
  'MOST of them',
  'it was done on purpose',
])('%s is allowed', (text) => {
  expect(wordsIn(text)).toEqual([])
})

test('names of files count, and migrations that have run do not', () => {
  expect(wordsIn('', 'apps/agent/src/told-checks.ts')).toEqual(['told'])
  expect(wordsIn('told', 'apps/server/src/platform/database/migrations/0003-alerts.ts')).toEqual([])
})

test('a word is refused when it stands more often than before', () => {
  const files = [file('told\ntold')]
  expect(findBannedTerms(files, { told: 2 })).toEqual([])
  expect(findBannedTerms(files, { told: 1 })).toEqual([
    '"told" stands 2 times, not 1: use notify, say, report (apps/server/src/a.ts:1, apps/server/src/a.ts:2)',
  ])
})
