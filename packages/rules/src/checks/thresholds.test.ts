import { expect, test } from 'vitest'
import { THRESHOLD_MESSAGE_MS, validateLimits, validateThresholds } from './thresholds.ts'

const NEED = 'Warning Threshold or Error Threshold need to be set'
const LESS = 'Warning Threshold must be less than Error Threshold'
const MORE = 'Warning Threshold must be more than Error Threshold'

test.each([
  [0, 0, NEED],
  [NaN, NaN, NEED],
  [-5, 0, NEED],
  [70, 90, undefined],
  [70, 0, undefined],
  [0, 90, undefined],
  [90, 70, LESS],
  [90, 90, LESS],
  [0.5, 0.6, undefined],
])('thresholds: warning %d, error %d', (warning, error, message) => {
  expect(validateThresholds({ warning, error })).toBe(message)
  expect(validateThresholds({ warning, error, reverse: false })).toBe(message)
})

test.each([
  [0, 0, NEED],
  [20, 10, undefined],
  [20, 0, undefined],
  [0, 10, undefined],
  [10, 20, MORE],
  [10, 10, MORE],
])('thresholds in reverse mode: warning %d, error %d', (warning, error, message) => {
  expect(validateThresholds({ warning, error, reverse: true })).toBe(message)
})

test('the threshold message is shown for 2 seconds', () => {
  expect(THRESHOLD_MESSAGE_MS).toBe(2000)
})

test.each([
  [null, null, false, NEED],
  [null, 0, false, undefined],
  [0, null, true, undefined],
  [null, -15, false, undefined],
  [-15, 0, false, undefined],
  [-15, -15, false, 'Warning Threshold must be less than Error Threshold'],
  [0, -15, false, 'Warning Threshold must be less than Error Threshold'],
  [0, -15, true, undefined],
  [-15, 0, true, 'Warning Threshold must be more than Error Threshold'],
])('thresholds %s and %s of a metric, in reverse mode %s', (warning, error, reverse, message) => {
  expect(validateLimits({ warning_threshold: warning, error_threshold: error, reverse })).toBe(message)
})
