import { expect, test } from 'vitest'
import { diskLevel } from './DiskList.tsx'

test.each([
  [0, 'ok'],
  [79.9, 'ok'],
  [80, 'warning'],
  [94.9, 'warning'],
  [95, 'negative'],
  [100, 'negative'],
])('a disk with %d %% in use is %s', (percent, level) => {
  expect(diskLevel(percent)).toBe(level)
})
