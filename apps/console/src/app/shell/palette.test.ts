import { expect, test } from 'vitest'
import { type PaletteEntry, rankEntries } from './palette.ts'

const entry = (label: string, more: Partial<PaletteEntry> = {}): PaletteEntry => ({
  id: label,
  group: 'Machines',
  label,
  run: () => undefined,
  ...more,
})
const found = (entries: PaletteEntry[], text: string) => rankEntries(entries, text).map(({ label }) => label)

test('all words must occur, in the name or beside it', () => {
  const entries = [
    entry('ACME-DC01', { hint: 'Acme Dental · Berlin' }),
    entry('ACME-DC02', { hint: 'Acme Dental · Munich' }),
  ]
  expect(found(entries, 'acme munich')).toEqual(['ACME-DC02'])
})

test('a name that starts with the text comes first, then one that contains it', () => {
  expect(found([entry('x', { hint: 'add' }), entry('re-add'), entry('Add client')], 'add')).toEqual([
    'Add client',
    're-add',
    'x',
  ])
})

test('the name that is the text comes before longer ones', () => {
  expect(found([entry('Sign out user'), entry('Sign out')], 'sign out')).toEqual([
    'Sign out',
    'Sign out user',
  ])
})

test('without a text entries keep their order', () => {
  expect(found([entry('b'), entry('a')], '  ')).toEqual(['b', 'a'])
})
