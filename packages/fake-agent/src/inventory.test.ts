import { SoftwareReport } from '@muster/contract/agent/software'
import { expect, test, vi } from 'vitest'
import { type Fleet, type FleetOptions, startFleet } from './fleet.ts'
import { startTestServer } from './test-server.ts'

test('software is reported only if configured, always the same', async () => {
  await using server = await startTestServer()
  const startOne = async (more: Partial<FleetOptions> = {}) => {
    const fleet = await startFleet({ server: server.url, token: 'token'.repeat(5), count: 1, ...more })
    await fleet.waitForConnected()
    return fleet
  }
  const idOf = (fleet: Fleet) => fleet.machines[0]?.agentId ?? ''
  using bare = await startOne()
  server.sendCommand(idOf(bare), { history_id: null, name: 'report-software', input: {} })
  using full = await startOne({ software: 40, seed: 7 })
  const softwareReports = () =>
    server.reports.flatMap(({ agentId, report }) =>
      report.kind === 'software' ? [{ agentId, report: SoftwareReport.parse(report) }] : [],
    )
  await vi.waitFor(() => expect(softwareReports()).toHaveLength(1))
  server.sendCommand(idOf(full), { history_id: null, name: 'report-software', input: {} })
  await vi.waitFor(() => expect(softwareReports()).toHaveLength(2))
  const [scanned, whole] = softwareReports()
  expect([scanned?.agentId, whole?.agentId]).toEqual([idOf(full), idOf(full)])
  expect(whole?.report.hash).toBe(scanned?.report.hash)
  expect(whole?.report.inventory?.packages.length).toBeGreaterThan(30)
})

test('a simulated machine reports that it installs nothing, so that the server does not wait', async () => {
  await using server = await startTestServer()
  using fleet = await startFleet({ server: server.url, token: 'token'.repeat(5), count: 1 })
  await fleet.waitForConnected()
  const input = { names: ['x11vnc'], timeout_seconds: 60, output_cap_bytes: 1000 }
  const agentId = fleet.machines[0]?.agentId ?? ''
  server.sendCommand(agentId, { history_id: 7, name: 'install-package', input })
  const results = () => server.reports.map(({ report }) => report).filter(({ kind }) => kind === 'result')
  await vi.waitFor(() => expect(results()).toHaveLength(1))
  expect(results()[0]).toMatchObject({ history_id: 7, outcome: 'refused' })
})
