import { expect, test } from 'vitest'
import { certificateWarning } from './certificate-warning.ts'

test.each([
  [undefined, undefined],
  [null, undefined],
  [16, undefined],
  [15, 'Certificate: 15 days left'],
  [1, 'Certificate: 1 day left'],
  [0, 'Certificate expires today'],
  [-1, 'Certificate expired'],
])('a certificate with %s days left shows %s', (days, words) => {
  expect(certificateWarning(days)).toBe(words)
})
