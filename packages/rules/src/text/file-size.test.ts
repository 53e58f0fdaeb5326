import { expect, test } from 'vitest'
import { formatFileSize } from './units.ts'

const KB = 1024
const MB = 1024 * KB
const GB = 1024 * MB
const TB = 1024 * GB
const PB = 1024 * TB

test.each([
  [0, '0 B'],
  [1, '1 B'],
  [1023, '1023 B'],
  [KB, '1 KB'],
  [1.5 * KB, '1.5 KB'],
  [1.25 * KB, '1.25 KB'],
  [1.234 * MB, '1.23 MB'],
  [1.999 * MB, '2 MB'],
  [10.1 * GB, '10.1 GB'],
  [62.68 * GB, '62.7 GB'],
  [244.78 * GB, '245 GB'],
  [1023.7 * GB, '1 TB'],
  [MB - 1, '1 MB'],
  [TB, '1 TB'],
  [PB, '1 PB'],
  [2048 * PB, '2048 PB'],
  [-1.5 * KB, '-1.5 KB'],
  [-0.001, '0 B'],
  [NaN, ''],
  [Infinity, ''],
])('%d bytes are shown as %s', (bytes, text) => {
  expect(formatFileSize(bytes)).toBe(text)
})
