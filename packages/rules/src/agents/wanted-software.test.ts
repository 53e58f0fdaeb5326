import { expect, test } from 'vitest'
import { changeFor, describeWanted } from './wanted-software.ts'

const NEWEST = { available: null, states: [] } as const
const OUTDATED = { available: '2.0', states: ['held'] } as const
const BROKEN = { available: null, states: ['half-configured'] } as const

test.each([
  ['present', [], 'install'],
  ['present', [OUTDATED], undefined],
  ['latest', [], 'install'],
  ['latest', [NEWEST], undefined],
  ['latest', [NEWEST, OUTDATED], 'upgrade'],
  ['present', [BROKEN], 'install'],
  ['absent', [BROKEN], 'remove'],
  ['absent', [], undefined],
  ['absent', [NEWEST], 'remove'],
] as const)('%s with %o needs %s', (state, installed, change) => {
  expect(changeFor(state, installed)).toBe(change)
})

test('what is wanted is described by all names', () => {
  const names = ['7zip', '7zip.7zip']
  expect(describeWanted({ names, state: 'latest', in_windows: false })).toBe(
    '7zip or 7zip.7zip: newest version',
  )
  expect(describeWanted({ names, state: 'absent', in_windows: true })).toBe(
    '7zip or 7zip.7zip: not installed, in maintenance windows',
  )
})
