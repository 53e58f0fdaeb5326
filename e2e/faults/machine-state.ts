import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/**
 * Names of what an agent has running, found by a mark in its environment: beside the agent itself, and what it has apart
 * from itself for a moment to look at its machine.
 */
export function listStarted(mark: string): string[] {
  return listPids(mark)
    .map((pid) => read(pid, 'cmdline').split('\0'))
    .filter((command) => !command.some((word) => word.endsWith(AGENT)))
    .map(([program = '']) => program.split('/').at(-1)?.replace(/^-/, '') ?? '')
    .toSorted()
}

const AGENT = 'apps/agent/src/main.ts'

/** Listening ports of the agent and its child processes, as `address:port` in the hexadecimal form of the kernel. */
export function listPorts(mark: string): string[] {
  const sockets = new Set(listPids(mark).flatMap(listSockets))
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === LISTENING && sockets.has(inode ?? ''))
      .map(([, local]) => local ?? ''),
  )
}

const LISTENING = '0A'

function listPids(mark: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => `\0${read(pid, 'environ')}`.includes(`\0${mark}\0`))
    .filter((pid) => !/^\d+ \(.*\) [ZX]/s.test(read(pid, 'stat')))
}

function listSockets(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1]
      return inode === undefined ? [] : [inode]
    })
  } catch {
    // It has ended meanwhile.
    return []
  }
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    // It has ended meanwhile.
    return ''
  }
}
