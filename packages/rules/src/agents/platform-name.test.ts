import { expect, test } from 'vitest'
import { platformName } from './available-actions.ts'

test.each([
  ['windows', 'Windows'],
  ['linux', 'Linux'],
  ['darwin', 'macOS'],
  ['freebsd', 'freebsd'],
  ['constructor', 'constructor'],
  ['', ''],
])('platform %j is shown as %j', (plat, name) => {
  expect(platformName(plat)).toBe(name)
})
