import type { Script } from '@muster/contract/api/scripts'
import { expect, test } from 'vitest'
import { type LibraryView, readLibraryView, showScripts, writeLibraryView } from './library-view.ts'
import { testScript } from './test-script.ts'

const script = (name: string, change: Partial<Script> = {}) =>
  testScript({ id: name.length, name, ...change })
const SCRIPTS = [
  script('step 10', { category: 'Fleet', default_timeout: 30 }),
  script('step 2', { category: 'Fleet' }),
  script('Clean', {
    description: 'Removes old files',
    shell: 'powershell',
    supported_platforms: ['windows'],
  }),
  script('Tidy', { favorite: true }),
  script('Old', { hidden: true }),
  script('Bundled', { script_type: 'builtin' }),
]
const USUAL = readLibraryView(undefined)
const names = (view: Partial<LibraryView>, community = true) =>
  showScripts(SCRIPTS, { ...USUAL, ...view }, community).map(({ name }) => name)

test('favourites come first, numbers count by their size, hidden ones are not shown', () => {
  expect(names({})).toEqual(['Tidy', 'Bundled', 'Clean', 'step 2', 'step 10'])
})

test('hidden and built-in scripts are shown when asked for', () => {
  expect(names({ hidden: true })).toContain('Old')
  expect(names({}, false)).not.toContain('Bundled')
})

test.each([
  ['old files', ['Clean']],
  ['FLEET', ['step 2', 'step 10']],
  ['powershell windows', ['Clean']],
  ['step clean', []],
])('the search %j finds all its words in what is known of a script', (search, found) => {
  expect(names({ search })).toEqual(found)
})

test('each order, both ways; scripts of no category come after the others', () => {
  const by = (column: string, descending = false) => names({ sort: { column, descending } })
  expect(by('name')).toEqual(['Bundled', 'Clean', 'step 2', 'step 10', 'Tidy'])
  expect(by('name', true)).toEqual(['Tidy', 'step 10', 'step 2', 'Clean', 'Bundled'])
  expect(by('category').slice(0, 2)).toEqual(['step 2', 'step 10'])
  expect(by('default_timeout')[0]).toBe('step 10')
  expect(by('shell')[0]).toBe('Clean')
})

test.each<LibraryView>([
  USUAL,
  { search: 'clean up', hidden: false, sort: USUAL.sort },
  { search: 'sort', hidden: true, sort: { column: 'name', descending: true } },
  { search: '', hidden: true, sort: { column: 'category', descending: false } },
  { search: '<img src=x> hidden:no', hidden: false, sort: USUAL.sort },
])('%o comes back from the address', (view) => {
  expect(readLibraryView(writeLibraryView(view))).toEqual(view)
})

test('the usual view needs no words, and an unknown order is the usual one', () => {
  expect(writeLibraryView(USUAL)).toBeUndefined()
  expect(readLibraryView('sort:password x')).toEqual({ ...USUAL, search: 'x' })
})
