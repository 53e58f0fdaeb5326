import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { getPriority } from 'node:os'
import { expect, onTestFinished, test, vi } from 'vitest'
import { isAlive } from '../../testing/is-alive.ts'
import { parseSockets } from './listening-ports.ts'
import { linuxProcessTools } from './process-tools.ts'
import { parseProcStat, readKernelUnits, readProcStat } from './proc-stat.ts'

const signal = AbortSignal.timeout(60_000)

async function givenProcess(program: string, ...args: string[]): Promise<ChildProcess & { pid: number }> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'spawn')
  if (child.pid === undefined) throw new Error('it has no number')
  return Object.assign(child, { pid: child.pid })
}

function targetOf(pid: number) {
  const stat = readProcStat(pid)
  if (stat === undefined) throw new Error(`no process ${pid}`)
  return { pid, start: stat.start }
}

test('a process is listed with its details, its user and its ports', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const child = await givenProcess('sleep', '1000')
  const reader = linuxProcessTools.openReader()
  const { processes, memory, cpu } = await reader.read(signal)
  const find = (pid: number) => processes.find(({ process }) => process.pid === pid)
  expect(find(child.pid)?.process).toMatchObject({
    start: targetOf(child.pid).start,
    parent_pid: process.pid,
    name: 'sleep',
    command: 'sleep 1000',
    username: find(process.pid)?.process.username,
    nice: getPriority(child.pid),
    ports: [],
  })
  const startedMs = Date.parse(find(child.pid)?.process.started_at ?? '')
  expect(Math.abs(startedMs - Date.now())).toBeLessThan(60_000)
  // A socket of the server with a known address.
  const { port } = server.address() as { port: number }
  expect(find(process.pid)?.process.ports).toContainEqual({ protocol: 'tcp', address: '127.0.0.1', port })
  const own = process.memoryUsage().rss
  expect(find(process.pid)?.memoryBytes).toBeGreaterThan(own * 0.5)
  expect(find(process.pid)?.memoryBytes).toBeLessThan(own * 2)
  expect(find(process.pid)?.cpuSeconds).toBeGreaterThan(0)
  expect(memory.usedBytes).toBeLessThan(memory.totalBytes)
  expect(cpu.total).toBeGreaterThan(cpu.busy)
  // Unchanged processes are the same objects, which later stages rely on.
  const again = await reader.read(signal)
  expect(again.processes.find(({ process }) => process.pid === child.pid)?.process).toBe(
    find(child.pid)?.process,
  )
})

test('a process exits on request, and one that ignores the request is killed only with force', async () => {
  const polite = await givenProcess('sleep', '1000')
  expect(await linuxProcessTools.end(targetOf(polite.pid), { force: false, tree: false })).toEqual({
    name: 'sleep',
    ended: 1,
    left: [],
  })
  const deaf = await givenProcess('sh', '-c', 'trap "" TERM; echo ready; while :; do sleep 0.1; done')
  await once(deaf.stdout ?? deaf, 'data')
  const target = targetOf(deaf.pid)
  expect(await linuxProcessTools.end(target, { force: false, tree: false })).toEqual({
    name: 'sh',
    ended: 0,
    left: [deaf.pid],
  })
  expect(await linuxProcessTools.end(target, { force: true, tree: false })).toMatchObject({ ended: 1 })
  await expect(linuxProcessTools.end(target, { force: true, tree: false })).rejects.toThrow(
    'has already exited',
  )
})

test('a stopped process is ended', async () => {
  const stopped = await givenProcess('sleep', '1000')
  stopped.kill('SIGSTOP')
  await vi.waitFor(() => expect(readProcStat(stopped.pid)?.state).toBe('T'))
  expect(await linuxProcessTools.end(targetOf(stopped.pid), { force: false, tree: false })).toMatchObject({
    ended: 1,
  })
})

test('a tree is ended with all child processes, and nothing else', async () => {
  const other = await givenProcess('sleep', '1000')
  const root = await givenProcess('sh', '-c', 'sleep 1000 & sh -c "sleep 1000 & echo ready; wait" & wait')
  await once(root.stdout ?? root, 'data')
  const answer = await linuxProcessTools.end(targetOf(root.pid), { force: true, tree: true })
  expect(answer).toEqual({ name: 'sh', ended: 4, left: [] })
  expect(isAlive(other.pid)).toBe(true)
})

test('a process that reuses a number is never hit', async () => {
  const child = await givenProcess('sleep', '1000')
  const other = { pid: child.pid, start: '1' }
  await expect(linuxProcessTools.end(other, { force: true, tree: true })).rejects.toThrow(
    `The process has already exited. Number ${child.pid} now belongs to sleep.`,
  )
  await expect(linuxProcessTools.setPriority(other, 5)).rejects.toThrow('now belongs to')
  expect(isAlive(child.pid)).toBe(true)
})

test('processes that the machine or the agent needs are refused', async () => {
  const end = (pid: number, tree = false) => linuxProcessTools.end(targetOf(pid), { force: true, tree })
  await expect(end(1)).rejects.toThrow('Process 1 keeps the machine running.')
  await expect(end(process.pid)).rejects.toThrow('This is the agent itself.')
  if (process.ppid > 1) await expect(end(process.ppid, true)).rejects.toThrow('has started the agent itself')
})

test('a priority applies to every thread', async () => {
  const child = await givenProcess(process.execPath, '-e', 'console.log(1); setInterval(() => {}, 1000)')
  await once(child.stdout ?? child, 'data')
  expect(await linuxProcessTools.setPriority(targetOf(child.pid), 7)).not.toBe('')
  expect(readProcStat(child.pid)?.nice).toBe(7)
  const reader = linuxProcessTools.openReader()
  const { processes } = await reader.read(signal)
  expect(processes.find(({ process }) => process.pid === child.pid)?.process.nice).toBe(7)
})

test('names that look like numbers are read as names', () => {
  const stat =
    '42 (evil) S 1 (x\n) R 7 42 42 0 -1 4194304 1 0 0 0 150 50 0 0 20 5 3 0 8911 1000 25 18446744073709551615'
  expect(parseProcStat(stat)).toEqual({
    pid: 42,
    name: 'evil) S 1 (x\n',
    state: 'R',
    parent: 7,
    cpuTicks: 200,
    nice: 5,
    start: '8911',
    residentPages: 25,
  })
  for (const bad of ['', '42', '42 (sh', '42 (sh) R', '42 (sh) R 1 2 3 4 5 6 x'])
    expect(parseProcStat(bad)).toBeUndefined()
})

test('the units of the kernel are its own', () => {
  const { pageBytes, ticksPerSecond } = readKernelUnits()
  expect(pageBytes % 4096).toBe(0)
  expect(ticksPerSecond).toBeGreaterThanOrEqual(100)
})

test('listening sockets are read in both families, and no others', () => {
  const tcp = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:20E4 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 11 1 0000 100 0 0 10 0
   1: 0100007F:20E4 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1000        0 12 1 0000 20 4 30 10 -1
   2: evil:ZZ 00000000:0000 0A 0 0 0 0 0 13
`
  expect([...parseSockets(tcp, '0A')]).toEqual([['11', { address: '127.0.0.1', port: 8420 }]])
  const tcp6 = `head
   0: 00000000000000000000000001000000:0016 00000000000000000000000000000000:0000 0A 0:0 0:0 0 0 0 21
   1: 00000000000000000000000000000000:0050 00000000000000000000000000000000:0000 0A 0:0 0:0 0 0 0 22
   2: 0000000000000000FFFF00000100007F:0051 00000000000000000000000000000000:0000 0A 0:0 0:0 0 0 0 23
   3: B80D012000000000000000000100A8C0:0052 00000000000000000000000000000000:0000 0A 0:0 0:0 0 0 0 24
`
  expect([...parseSockets(tcp6, '0A').values()]).toEqual([
    { address: '::1', port: 22 },
    { address: '::', port: 80 },
    { address: '127.0.0.1', port: 81 },
    { address: '2001:db8::c0a8:1', port: 82 },
  ])
})
