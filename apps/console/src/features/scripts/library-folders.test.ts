import { expect, test } from 'vitest'
import { listFolders } from './library-folders.ts'
import { testScript } from './test-script.ts'

const SCRIPTS = [
  testScript({ id: 1, name: 'Tidy', favorite: true }),
  testScript({ id: 2, name: 'step 10', category: 'Fleet' }),
  testScript({ id: 3, name: 'step 2', category: 'Fleet' }),
  testScript({ id: 4, name: 'Ask', category: 'backup' }),
]

test('a folder for each category, those of none last, scripts by name', () => {
  const lines = listFolders(SCRIPTS, () => true)
  expect(lines.map(({ label, level }) => `${level} ${label}`)).toEqual([
    '1 backup',
    '2 Ask',
    '1 Fleet',
    '2 step 2',
    '2 step 10',
    '1 Unassigned',
    '2 Tidy',
  ])
})

test('a closed folder says how many it holds and shows none', () => {
  const lines = listFolders(SCRIPTS, (category) => category === '')
  expect(lines.map(({ label, expanded }) => [label, expanded])).toEqual([
    ['backup', false],
    ['Fleet', false],
    ['Unassigned', true],
    ['Tidy', undefined],
  ])
  expect(lines[1]).toMatchObject({ kind: 'folder', category: 'Fleet', count: 2, position: 2, siblings: 3 })
})

test('categories that name parts of an object are only names', () => {
  const script = testScript({ category: '__proto__' })
  expect(listFolders([script], () => true).map(({ label }) => label)).toEqual(['__proto__', 'Clean'])
})
