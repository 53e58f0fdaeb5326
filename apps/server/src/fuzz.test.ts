import { expect, test } from 'vitest'
import { runFuzz } from './testing/run-fuzz.ts'

// The whole of it is `npm run fuzz`; see CONTRIBUTING.md.
test('requests that no honest client would make are answered or refused in the shape of the contract', async () => {
  const { failures, requests, endpoints, statuses } = await runFuzz({ requests: 1200, seed: 1 })
  expect(failures).toEqual([])
  expect(endpoints).toBeGreaterThan(200)
  expect(requests).toBeGreaterThanOrEqual(endpoints * 5)
  // Some of them get as far as an honest request.
  expect(statuses[200]).toBeGreaterThan(requests / 10)
}, 60_000)
