import { expect, test } from 'vitest'
import { measureProcesses } from './measure-processes.ts'

test('the bench measures the cost of an open process list', async () => {
  const [figure] = await measureProcesses({ count: 20, watchMs: 4000, program: 'sources' })
  expect(figure?.budget).toBe('processList')
  expect(figure?.value).toBeGreaterThan(0)
})
