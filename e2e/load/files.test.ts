import { expect, test } from 'vitest'
import { measureFiles } from './measure-files.ts'

test('a file is moved both ways, with keys pressed beside it, and the bench counts', async () => {
  const figures = await measureFiles({ bytes: 20_000_000, rounds: 1, program: 'sources' })
  expect(figures.map(({ budget }) => budget)).toEqual([
    'fileDownload',
    'fileUpload',
    'fileMemory',
    'fileEcho',
  ])
  expect(figures.every(({ value }) => Number.isFinite(value))).toBe(true)
})
