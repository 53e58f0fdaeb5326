import { expect, test } from 'vitest'
import { dashboardSearch, frameSearch, parseSearch, stringifySearch } from './search.ts'

test.each([
  ['?node=Client|3&tab=server', { node: 'Client|3', tab: 'server' }],
  ['?node=Site%7C2', { node: 'Site|2' }],
  ['?node=Client|0', {}],
  ['?node=Folder|3', {}],
  ['?tab=printer&pane=wallpaper', {}],
  ['?search=is:online+acme', { search: 'is:online acme' }],
  ['?search=123', { search: '123' }],
  ['?sort=-last_seen', { sort: '-last_seen' }],
  ['?sort=<script>', {}],
  ['?agent=abc', {}],
  ['?agent=abcdefgh12&pane=history&entry=7', { agent: 'abcdefgh12', pane: 'history', entry: '7' }],
])('the address %s is read as %o', (address, expected) => {
  expect(withoutAbsent(dashboardSearch(parseSearch(address)))).toEqual(expected)
})

test('a dialog and its subject are in the address of every screen', () => {
  expect(frameSearch(parseSearch('?dialog=edit-client&item=3'))).toEqual({
    dialog: 'edit-client',
    item: '3',
  })
})

test('an address is written as people read it, and read back the same', () => {
  const written = stringifySearch({ node: 'Client|3', search: 'a&b is:online', agent: undefined })
  expect(written).toBe('?node=Client|3&search=a%26b+is:online')
  expect(parseSearch(written)).toEqual({ node: 'Client|3', search: 'a&b is:online' })
})

test('no selection leaves the address bare', () => {
  expect(stringifySearch({ node: undefined })).toBe('')
})

const withoutAbsent = (search: object) => JSON.parse(JSON.stringify(search)) as unknown
