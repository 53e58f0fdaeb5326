// A fleet in its own process, so that its work does not slow down the measurement. remote-fleet.ts sends JSON orders, one
// at a time, and waits for the response.
import { type Fleet, startFleet } from '@muster/fake-agent/fleet'
import type { FleetOrder, FleetState } from './remote-fleet.ts'

const PROGRESS_EVERY = 5000
const DAY_MS = 86_400_000
const LOOK_EVERY_MS = 20

let fleet: Fleet | undefined

process.on('message', (order: FleetOrder) => {
  obey(order).then(
    (state) => process.send?.({ state }),
    (error: Error) => process.send?.({ error: `${error.message} ${fleet?.describeTrouble() ?? ''}` }),
  )
})
process.on('disconnect', () => process.exit(0))

async function obey(order: FleetOrder): Promise<FleetState> {
  switch (order.kind) {
    case 'start': {
      const { tokens, count, mode } = order
      fleet = await startFleet({
        server: order.server,
        token: (index) => tokens[index % tokens.length] ?? '',
        count,
        mode,
        onProgress: (enrolled) => {
          if (enrolled % PROGRESS_EVERY === 0) console.log(`${enrolled} of ${count} enrolled`)
        },
      })
      if (mode === 'stay') await fleet.waitForConnected(count, 120_000)
      break
    }
    case 'await':
      await fleet?.waitForConnected(order.count, order.timeoutMs)
      break
    case 'clear-failures':
      fleet?.resetFailures()
      break
    case 'metrics':
      for (const [index, machine] of fleet?.machines.entries() ?? []) {
        const values = { cpu: index % 100, memory: (index * 7) % 100 }
        machine.report({ kind: 'metrics', sample: { at: new Date().toISOString(), values } })
      }
      break
    case 'rate':
      if (fleet !== undefined) fleet.reportsPerSecond = order.reportsPerSecond
      break
    case 'check-rate':
      if (fleet === undefined) break
      fleet.checkResultsPerReport = order.resultsPerReport
      fleet.checkResultsPerSecond = order.resultsPerSecond
      break
    case 'await-checks': {
      const known = () => sumOf(({ checks }) => (checks.listMissing().length === 0 ? checks.size : 0))
      await waitUntil(() => known() >= order.count, order.timeoutMs)
      break
    }
    case 'await-acknowledged':
      await waitUntil(() => sumOf(({ waitingReports }) => waitingReports) === 0, order.timeoutMs)
      break
    case 'past': {
      const machine = fleet?.machines.find(({ agentId }) => agentId === order.agentId)
      const fromMs = Date.now() - order.days * DAY_MS
      machine?.reportPast({ fromMs, everyMs: order.everySeconds * 1000 })
      break
    }
    case 'cpu':
      for (const machine of fleet?.machines ?? []) {
        if (order.agentId === undefined || machine.agentId === order.agentId) machine.reportCpu(order.percent)
      }
      break
    case 'look':
      break
  }
  if (fleet === undefined) throw new Error('there is no fleet yet')
  return {
    counts: fleet.counts,
    agentIds: order.kind === 'start' ? fleet.machines.map(({ agentId }) => agentId) : [],
    hostnames: order.kind === 'start' ? fleet.machines.map(({ hostname }) => hostname) : [],
    memoryMb: Math.round(process.memoryUsage().rss / 1024 / 1024),
  }
}

function sumOf(countOf: (machine: Fleet['machines'][number]) => number): number {
  return (fleet?.machines ?? []).reduce((sum, machine) => sum + countOf(machine), 0)
}

async function waitUntil(isSo: () => boolean, timeoutMs: number): Promise<void> {
  const deadlineMs = Date.now() + timeoutMs
  while (!isSo()) {
    if (Date.now() > deadlineMs) throw new Error(`not within ${timeoutMs / 1000} s`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}
