import { afterEach, expect, test, vi } from 'vitest'
import { countPassing } from './link-channels.ts'

const MB = 1024 * 1024

afterEach(() => vi.unstubAllGlobals())

test('a young collection runs once per 4 MB, a full one never', () => {
  const gc = vi.fn()
  vi.stubGlobal('gc', gc)
  for (let bytes = 0; bytes < 12 * MB; bytes += MB / 2) countPassing(MB / 2)
  expect(gc.mock.calls).toEqual(Array.from({ length: 3 }, () => [{ type: 'minor' }]))
})

test('does nothing in a Node without --expose-gc', () => {
  vi.stubGlobal('gc', undefined)
  expect(() => countPassing(5 * MB)).not.toThrow()
})
