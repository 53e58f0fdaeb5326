import { expect, test } from 'vitest'
import { type Machine, findArrivals, findConnected } from './find-arrivals.ts'

const machine = (id: number): Machine => ({
  id,
  agent_id: `agent-${id}`,
  hostname: `pc-${id}`,
  client: 'Acme',
  site: 'Berlin',
})

test('new machines have arrived, the latest first', () => {
  const arrivals = findArrivals([machine(1), machine(2), machine(3)], new Set(['agent-1']), new Set())
  expect(arrivals.map(({ hostname, known }) => [hostname, known])).toEqual([
    ['pc-3', false],
    ['pc-2', false],
  ])
})

test('a reinstalled machine is listed after new ones', () => {
  const arrivals = findArrivals(
    [machine(1), machine(2)],
    new Set(['agent-1']),
    new Set(['agent-1', 'agent-9']),
  )
  expect(arrivals.map(({ hostname, known }) => [hostname, known])).toEqual([
    ['pc-2', false],
    ['pc-1', true],
  ])
})

test('a frame lists the machines that have connected', () => {
  const changed = [
    { agent_id: 'agent-1', connected: true },
    { agent_id: 'agent-2', connected: false },
    { agent_id: 'agent-3', description: 'x' },
  ]
  expect(findConnected({ changed })).toEqual(['agent-1'])
})
