import { expect, test } from 'vitest'
import { compareAgentVersions, isAgentVersion } from './agent-version.ts'

test.each([
  ['1.4.0', '1.4.0', 0],
  ['1.4.0', '1.10.0', -1],
  ['2.0.0', '1.99.99', 1],
  ['1.5.0-rc.1', '1.5.0', -1],
  ['1.5.0', '1.5.0-rc.1', 1],
  ['1.5.0-rc.1', '1.5.0-rc.2', -1],
  ['', '0.0.1', -1],
  ['unknown', 'other', 0],
])('%s compared with %s', (a, b, order) => {
  expect(Math.sign(compareAgentVersions(a, b))).toBe(order)
})

test.each(['1.0', '1.0.0/../x', '../1.0.0', 'v1.0.0', ' 1.0.0', '1.0.0-'])('%s is no version', (text) => {
  expect(isAgentVersion(text)).toBe(false)
})
