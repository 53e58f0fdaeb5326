import { expect, test } from 'vitest'
import { GivenStructure } from '../../testing/given-structure.ts'
import { DescribedPorts } from '../listed-processes.ts'
import { addPorts, TABLES } from './listening-ports.ts'
import { describeSid } from './accounts.ts'
import { decodeTokenUser } from './process-details.ts'
import { decodeProcesses } from './process-list.ts'
import { classOf, describeProcess } from './process-tools.ts'

/** Three entries of SYSTEM_PROCESS_INFORMATION: the idle time, the system, and a program. */
function givenProcesses() {
  const given = new GivenStructure(3 * 512)
  const entries = [
    { pid: 0n, parent: 0n, name: '', start: 0n, priority: 0 },
    { pid: 4n, parent: 0n, name: 'System', start: 0n, priority: 8 },
    { pid: 4711n, parent: 800n, name: 'Müll 雪.exe', start: 134_083_296_005_000_001n, priority: 13 },
  ]
  for (const [index, { pid, parent, name, start, priority }] of entries.entries()) {
    const at = index * 512
    given.number(at, index === 2 ? 0 : 512)
    given
      .large(at + 0x20, start)
      .large(at + 0x28, 1_000_000n)
      .large(at + 0x30, 250_000n)
    given.pointer(at + 0x40, `${name}rest of another text`)
    given.buffer.writeUInt16LE(name.length * 2, at + 0x38)
    given
      .number(at + 0x48, priority)
      .large(at + 0x50, pid)
      .large(at + 0x58, parent)
    given.large(at + 0x90, 14_680_064n)
  }
  return given
}

test('processes of Windows, without the idle time', () => {
  const [system, program, ...more] = decodeProcesses(givenProcesses())
  expect(more).toEqual([])
  expect(system).toMatchObject({ pid: 4, parent: 0, name: 'System' })
  if (program === undefined) throw new Error('there are two')
  const ports = [{ protocol: 'tcp' as const, address: '::', port: 135 }]
  const details = { command: '"C:\\Müll\\雪.exe" --flag', username: 'ACME\\ada' }
  expect(describeProcess(program, details, ports)).toEqual({
    process: {
      pid: 4711,
      start: '134083296005000001',
      parent_pid: 800,
      name: 'Müll 雪.exe',
      command: '"C:\\Müll\\雪.exe" --flag',
      username: 'ACME\\ada',
      started_at: '2025-11-23T00:00:00.500Z',
      state: 'running',
      nice: -14,
      ports,
    },
    cpuSeconds: 0.125,
    memoryBytes: 14_680_064,
  })
  for (const start of ['0', '9223372036854775807', '18446744073709551615'])
    expect(describeProcess({ ...program, start }, details, ports).process.started_at).toBeNull()
})

test('listening ports of both protocols and both families', () => {
  const ports = new DescribedPorts()
  const [tcp, tcp6, udp, udp6] = TABLES.map((table) => {
    const given = new GivenStructure(4 + 2 * table.row).number(0, 2)
    for (const [index, port] of [135, 49_664].entries()) {
      const at = 4 + index * table.row
      given.buffer.writeUInt16BE(port, at + table.port)
      given.number(at + table.pid, 4711 + index)
      if (index === 0)
        given.buffer.set(table.family === 2 ? [127, 0, 0, 1] : [0xfe, 0x80], at + table.address)
    }
    addPorts(ports, table, given.buffer)
    return table
  })
  expect([tcp?.family, tcp6?.family, udp?.family, udp6?.family]).toEqual([2, 23, 2, 23])
  expect(ports.of(4711)).toEqual([
    { protocol: 'tcp', address: '127.0.0.1', port: 135 },
    { protocol: 'tcp', address: 'fe80::', port: 135 },
    { protocol: 'udp', address: '127.0.0.1', port: 135 },
    { protocol: 'udp', address: 'fe80::', port: 135 },
  ])
  expect(ports.of(4712).map(({ address, port }) => `${address} ${port}`)).toEqual([
    '0.0.0.0 49664',
    ':: 49664',
    '0.0.0.0 49664',
    ':: 49664',
  ])
})

test('a user is found by the SID behind the token, and shown by it if the account is gone', () => {
  const sid = Buffer.from('010500000000000515000000010000000200000003000000f4010000', 'hex')
  const given = new GivenStructure(16)
  given.large(0, given.address + 16n)
  given.buffer.set(sid, 16)
  expect(decodeTokenUser(given.buffer, given.address)).toEqual(sid)
  expect(describeSid(sid)).toBe('S-1-5-21-1-2-3-500')
  given.large(0, given.address + 1_000_000n)
  expect(decodeTokenUser(given.buffer, given.address)).toBeUndefined()
})

test('priority classes of Windows by numbers of Unix', () => {
  expect([-20, -14, -10, -7, -1, 0, 5, 10, 18, 19].map(classOf)).toEqual([
    0x100, 0x80, 0x80, 0x8000, 0x8000, 0x20, 0x20, 0x4000, 0x4000, 0x40,
  ])
})
