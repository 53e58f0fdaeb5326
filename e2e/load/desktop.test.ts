import { beforeAll, expect, test } from 'vitest'
import { buildPrograms } from '../support/build.ts'
import { measureDesktop } from './measure-desktop.ts'

beforeAll(buildPrograms, 180_000)

test('a desktop moves in a browser and answers keys, and the bench counts both', async () => {
  const figures = await measureDesktop({ picturesForMs: 4000, presses: 3, program: 'sources' })
  expect(figures.map(({ budget }) => budget)).toEqual(['desktopPictures', 'desktopKey'])
  expect(figures.every(({ value }) => value > 0)).toBe(true)
})
