import { expect, test } from 'vitest'
import { platformName } from './available-actions.ts'

test.each([
  ['windows', 'Windows'],
  ['linux', 'Linux'],
  ['darwin', 'macOS'],
  ['freebsd', 'freebsd'],
  ['constructor', 'constructor'],
  ['', ''],
])('AGT-04, platform %j reads %j', (plat, name) => {
  expect(platformName(plat)).toBe(name)
})
