import { expect, test } from 'vitest'
import { runFuzz } from './testing/run-fuzz.ts'

// The full run is `npm run fuzz`; see CONTRIBUTING.md.
test('hostile requests get success or a refusal in the format of the contract', async () => {
  const { failures, requests, endpoints, statuses } = await runFuzz({ requests: 2000, seed: 1 })
  expect(failures).toEqual([])
  expect(endpoints).toBeGreaterThan(200)
  expect(requests).toBeGreaterThanOrEqual(endpoints * 4)
  // Some of them are valid requests.
  expect(statuses[200]).toBeGreaterThan(requests / 10)
})
