import type { Measured } from '@muster/contract/agent/checks'
import { getCheckSamples } from '@muster/contract/api/checks'
import { createTestServer, type TestServer } from '../testing/test-server.ts'
import { storeResults } from '../features/checks/store-results.ts'
import { mergeSamples } from './merge-samples.ts'
import { pruneSamples } from './partitions.ts'

export const NOW = Date.parse('2026-03-20T12:00:00.000Z') / 1000
export const HOUR = 3600
export const DAY = 86_400

/** A machine with one check, its samples and its graph. */
export async function givenMeasuring() {
  const server = await createTestServer()
  server.clock.freeze(new Date(NOW * 1000).toISOString())
  const check = await server.given.check({
    check_type: 'cpuload',
    settings: JSON.stringify({ warning_threshold: 70, error_threshold: 90 }),
    revision: 'cpu.1',
  })
  const root = server.as(await server.given.user({ superuser: true }))
  const measure = (runs: [at: number, measured: Measured][]) =>
    server.ctx.transaction((tx, emit) =>
      storeResults(tx, emit, server.ctx, [
        {
          agentId: check.agent_id,
          results: runs.map(([at, measured]) => ({
            check_id: check.id,
            revision: 'cpu.1',
            at: new Date(at * 1000).toISOString(),
            measured,
          })),
        },
      ]),
    )
  return {
    server,
    check,
    measure,
    cpu: (...runs: [at: number, percent: number][]) =>
      measure(runs.map(([at, percent]) => [at, { check_type: 'cpuload', percent }])),
    graph: async (from: number, to: number, resolution?: 0 | 300 | 3600) => {
      const query = resolution === undefined ? { from, to } : { from, to, resolution }
      return (await root.call(getCheckSamples, { params: { id: check.id }, query })).body
    },
    root,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

export const merge = ({ ctx }: TestServer) =>
  mergeSamples(ctx, { olderThanSeconds: 0, signal: new AbortController().signal })
export const prune = ({ ctx }: TestServer, signal = new AbortController().signal) => pruneSamples(ctx, signal)

/** A sawtooth from 0 to 59, every two minutes until now. */
export function sawTooth(seconds: number): [number, number][] {
  return Array.from({ length: seconds / 120 }, (_, index) => [NOW - seconds + index * 120, index % 60])
}

/** Number of chunks per resolution. */
export async function countChunks({ ctx }: TestServer): Promise<number[]> {
  const rows = await ctx.db.selectFrom('sample_chunks').select('resolution').execute()
  return [0, 300, 3600].map((one) => rows.filter(({ resolution }) => resolution === one).length)
}
