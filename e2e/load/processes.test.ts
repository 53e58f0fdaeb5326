import { expect, test } from 'vitest'
import { measureProcesses } from './measure-processes.ts'

test(
  'a list of processes is looked at, and the bench counts what that costs',
  { timeout: 60_000 },
  async () => {
    const [figure] = await measureProcesses({ count: 20, watchMs: 4000, program: 'sources' })
    expect(figure?.budget).toBe('processList')
    expect(figure?.value).toBeGreaterThan(0)
  },
)
