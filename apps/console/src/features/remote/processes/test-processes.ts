import type { LiveProcesses, Process } from '@muster/contract/api/processes'

/** A process for tests. */
export function testProcess(more: Partial<Process> = {}): Process {
  const name = more.name ?? `program-${more.pid ?? 4711}`
  return {
    pid: 4711,
    start: '1',
    parent_pid: 1,
    name,
    command: name,
    username: 'ada',
    started_at: '2026-11-21T10:00:00.000Z',
    state: 'running',
    nice: 0,
    ports: [],
    cpu_percent: 0,
    membytes: 1024,
    ...more,
  }
}

/** A response with processes. */
export function testLook(more: Partial<LiveProcesses> = {}): LiveProcesses {
  return {
    connected: true,
    whole: true,
    more: false,
    processes: [],
    gone: [],
    next: 'epoch.1',
    left_out: 0,
    cpu_percent: 12.5,
    memory_total: 16 * 1024 ** 3,
    memory_used: 4 * 1024 ** 3,
    ...more,
  }
}
