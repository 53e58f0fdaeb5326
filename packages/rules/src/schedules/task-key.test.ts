import { expect, test } from 'vitest'
import { taskFitsPlatform, taskKey } from './task-problems.ts'

test('tasks are identified by name, case-insensitive', () => {
  expect(taskKey({ name: ' Tidy UP ' })).toBe(taskKey({ name: 'tidy up' }))
})

test.each([
  { platforms: ['linux'], plat: 'linux', scripts: [], fits: true },
  { platforms: ['windows'], plat: 'linux', scripts: [], fits: false },
  { platforms: ['linux'], plat: 'linux', scripts: [['windows']], fits: false },
  { platforms: ['linux'], plat: 'linux', scripts: [[], undefined], fits: true },
])('$platforms with scripts $scripts supports $plat: $fits', ({ platforms, plat, scripts, fits }) => {
  expect(taskFitsPlatform(platforms, plat, scripts)).toBe(fits)
})
