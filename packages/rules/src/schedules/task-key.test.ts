import { expect, test } from 'vitest'
import { taskFitsPlatform, taskKey } from './task-problems.ts'

test('a task is the same by its name, however it is written', () => {
  expect(taskKey({ name: ' Tidy UP ' })).toBe(taskKey({ name: 'tidy up' }))
})

test.each([
  { platforms: ['linux'], plat: 'linux', scripts: [], fits: true },
  { platforms: ['windows'], plat: 'linux', scripts: [], fits: false },
  { platforms: ['linux'], plat: 'linux', scripts: [['windows']], fits: false },
  { platforms: ['linux'], plat: 'linux', scripts: [[], undefined], fits: true },
])('$platforms with scripts $scripts reaches $plat: $fits', ({ platforms, plat, scripts, fits }) => {
  expect(taskFitsPlatform(platforms, plat, scripts)).toBe(fits)
})
