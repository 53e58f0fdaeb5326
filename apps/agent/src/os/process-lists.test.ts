import { expect, test } from 'vitest'
import { ListedProcessReader, DescribedPorts } from './listed-processes.ts'
import { parseLsof, parsePsProcesses } from './macos/process-tools.ts'
import { parseNetstatPorts, parseWindowsProcesses } from './windows/process-tools.ts'

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

const JSON_ROWS = String.raw`[{"pid":0,"parent":0,"name":"System Idle Process","command":null,"start":"0","ticks":123,"memory":8192,"priority":0,"user":null},{"pid":4,"parent":0,"name":"System","command":null,"start":"134083296000000000","ticks":98500000000,"memory":151552,"priority":8,"user":null},{"pid":4711,"parent":800,"name":"notepad.exe","command":"\"C:\\Windows\\notepad.exe\" C:\\Müll\\a b.txt","start":"134083296005000001","ticks":1250000,"memory":14680064,"priority":13,"user":"ACME\\ada"},{"pid":"x"},7]`
const NETSTAT = `
Aktive Verbindungen

  Proto  Lokale Adresse         Remoteadresse          Status           PID
  TCP    0.0.0.0:135            0.0.0.0:0              ABHÖREN          4711
  TCP    192.168.0.5:49712      20.54.36.229:443       HERGESTELLT      4711
  TCP    [::]:135               [::]:0                 ABHÖREN          4711
  UDP    0.0.0.0:5353           *:*                                     4711
`

test('processes of Windows in any language', () => {
  const found = parseWindowsProcesses(`\uFEFF${JSON_ROWS}\r\n`, parseNetstatPorts(NETSTAT))
  expect(found?.map(({ process }) => process.pid)).toEqual([4, 4711])
  expect(found?.[1]).toEqual({
    process: {
      pid: 4711,
      start: '134083296005000001',
      parent_pid: 800,
      name: 'notepad.exe',
      command: '"C:\\Windows\\notepad.exe" C:\\Müll\\a b.txt',
      username: 'ACME\\ada',
      started_at: '2025-11-23T00:00:00.500Z',
      state: 'running',
      nice: -14,
      ports: [
        { protocol: 'tcp', address: '0.0.0.0', port: 135 },
        { protocol: 'tcp', address: '::', port: 135 },
        { protocol: 'udp', address: '0.0.0.0', port: 5353 },
      ],
    },
    cpuSeconds: 0.125,
    memoryBytes: 14_680_064,
  })
  for (const bad of ['', 'Get-CimInstance : Zugriff verweigert', '{"pid":4}'])
    expect(parseWindowsProcesses(bad, new DescribedPorts())).toBeUndefined()
})

test('an unchanged process is the same object', async () => {
  const ports = new DescribedPorts()
  let rows = JSON_ROWS
  const reader = new ListedProcessReader(async () => ({
    processes: parseWindowsProcesses(rows, ports) ?? [],
    cpu: { busy: 1, total: 2 },
    memory: { totalBytes: 2, usedBytes: 1 },
  }))
  const signal = new AbortController().signal
  const first = await reader.read(signal)
  rows = JSON_ROWS.replace('"priority":13', '"priority":8').replace('151552', '151553')
  const second = await reader.read(signal)
  expect(second.processes[0]?.process).toBe(first.processes[0]?.process)
  expect(second.processes[0]?.memoryBytes).toBe(151_553)
  expect(second.processes[1]?.process).toMatchObject({ nice: 0 })
})
