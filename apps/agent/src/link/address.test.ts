import { expect, test } from 'vitest'
import { needsMasks } from './address.ts'

test('bytes are masked only on unencrypted links to other machines', () => {
  expect(
    ['http://muster.example', 'http://10.0.0.1:8000', 'http://localhost.evil.example'].map(needsMasks),
  ).toEqual([true, true, true])
  expect(['https://muster.example', 'http://127.0.0.1:8000', 'http://[::1]:8000'].map(needsMasks)).toEqual([
    false,
    false,
    false,
  ])
})
