import { expect, test } from 'vitest'
import { ListedProcessReader, DescribedPorts } from './listed-processes.ts'
import { parseLsof, parsePsProcesses } from './macos/process-tools.ts'

const PS = `    1     0 root             Ss     0  14320   1:02.03 Sun Nov 22 08:00:01 2026 /sbin/launchd
  512     1 ada              S      5 204800 1-02:03:04 Sun Nov  1 09:30:00 2026 /Applications/Google Chrome.app/Contents/MacOS/Google Chrome --flag
  513   512 ada              Z      0      0   0:00.00 Sun Nov 22 09:30:00 2026 (sh)
  514   512 ada              T+   -20    100   0:00.50 Sun Nov 22 09:30:00 2026 vim a
 nonsense of a hostile program
`
const COMM = `    1 /sbin/launchd
  512 /Applications/Google Chrome.app/Contents/MacOS/Google Chrome
`
const LSOF =
  'p512\nf21\nPTCP\nn127.0.0.1:9222\nf22\nPTCP\nn[::1]:9222\nf23\nPUDP\nn*:5353\nf24\nPUDP\nn10.0.0.5:50000->1.1.1.1:443\np1\nf1\nPTCP\nnnonsense\n'

test('processes of macOS', () => {
  const found = parsePsProcesses(PS, COMM, parseLsof(LSOF))
  expect(found.map(({ process }) => process.pid)).toEqual([1, 512, 513, 514])
  expect(found[1]).toEqual({
    process: {
      pid: 512,
      start: String(new Date(2026, 10, 1, 9, 30).getTime() / 1000),
      parent_pid: 1,
      name: 'Google Chrome',
      command: '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome --flag',
      username: 'ada',
      started_at: new Date(2026, 10, 1, 9, 30).toISOString(),
      state: 'running',
      nice: 5,
      ports: [
        { protocol: 'udp', address: '*', port: 5353 },
        { protocol: 'tcp', address: '127.0.0.1', port: 9222 },
        { protocol: 'tcp', address: '::1', port: 9222 },
      ],
    },
    cpuSeconds: 86_400 + 2 * 3600 + 3 * 60 + 4,
    memoryBytes: 204_800 * 1024,
  })
  expect(found[0]?.cpuSeconds).toBeCloseTo(62.03)
  expect(found.slice(2).map(({ process }) => process)).toMatchObject([
    { state: 'ended', name: '(sh)' },
    { state: 'stopped', name: 'vim', nice: -20 },
  ])
})

test('an unchanged process is the same object', async () => {
  let output = PS
  const reader = new ListedProcessReader(async () => ({
    processes: parsePsProcesses(output, COMM, new DescribedPorts()),
    cpu: { busy: 1, total: 2 },
    memory: { totalBytes: 2, usedBytes: 1 },
  }))
  const signal = new AbortController().signal
  const first = await reader.read(signal)
  output = PS.replace('T+   -20', 'T+     0').replace('14320', '14321')
  const second = await reader.read(signal)
  expect(second.processes[0]?.process).toBe(first.processes[0]?.process)
  expect(second.processes[0]?.memoryBytes).toBe(14_321 * 1024)
  expect(second.processes[3]?.process).toMatchObject({ nice: 0 })
})
