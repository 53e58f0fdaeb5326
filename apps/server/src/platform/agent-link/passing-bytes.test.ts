import { afterEach, expect, test, vi } from 'vitest'
import { countPassing } from './passing-bytes.ts'

const MB = 1024 * 1024

afterEach(() => vi.unstubAllGlobals())

test('young objects are looked at once for every 4 MB, and never everything', () => {
  const gc = vi.fn()
  vi.stubGlobal('gc', gc)
  for (let bytes = 0; bytes < 12 * MB; bytes += MB / 2) countPassing(MB / 2)
  expect(gc.mock.calls).toEqual(Array.from({ length: 3 }, () => [{ type: 'minor' }]))
})

test('nothing happens in a Node without the flag', () => {
  vi.stubGlobal('gc', undefined)
  expect(() => countPassing(5 * MB)).not.toThrow()
})
