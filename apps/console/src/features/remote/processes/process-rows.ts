import type { Process } from '@muster/contract/api/processes'
import type { TableSort } from '../../../ui/table/data-column.ts'

export interface ProcessLine {
  process: Process
  /** Number of ancestors. */
  depth: number
}

export const START_SORT: TableSort = { column: 'cpu', descending: true }

/** A PID alone does not identify a process: the system reuses it. */
export const keyOf = ({ process: { pid, start } }: ProcessLine) => `${pid} ${start}`

/** Processes that contain all words; `port:80` and `user:root` search one field only. */
export function searchProcesses(processes: readonly Process[], search: string): Process[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return [...processes]
  return processes.filter((process) => words.every((word) => hasWord(process, word)))
}

function hasWord(process: Process, word: string): boolean {
  const [, place, value = ''] = /^(port|user|pid):(.*)$/.exec(word) ?? []
  if (place === 'port') return process.ports.some(({ port }) => `${port}` === value)
  if (place === 'user') return process.username.toLowerCase() === value
  if (place === 'pid') return `${process.pid}` === value
  return textOf(process).includes(word)
}

function textOf({ pid, name, command, username, ports }: Process): string {
  return `${pid} ${name} ${command} ${username} ${ports.map(({ port }) => port).join(' ')}`.toLowerCase()
}

const VALUES: Record<string, (process: Process) => number | string> = {
  name: ({ name }) => name.toLowerCase(),
  pid: ({ pid }) => pid,
  user: ({ username }) => username.toLowerCase(),
  cpu: ({ cpu_percent }) => cpu_percent,
  memory: ({ membytes }) => membytes,
  started: ({ started_at }) => started_at ?? '',
  nice: ({ nice }) => nice ?? 0,
  ports: ({ ports }) => ports[0]?.port ?? 65_536,
}

/** Sorted by a column; equal ones by PID, for a stable order. */
export function sortProcesses(processes: readonly Process[], { column, descending }: TableSort): Process[] {
  const valueOf = VALUES[column] ?? (({ pid }) => pid)
  const sign = descending ? -1 : 1
  return processes
    .map((process) => ({ process, value: valueOf(process) }))
    .toSorted((a, b) => {
      if (a.value !== b.value) return (a.value < b.value ? -1 : 1) * sign
      return a.process.pid - b.process.pid
    })
    .map(({ process }) => process)
}

/** As a list or a tree. Sorting keeps this order among siblings. */
export function layOut(sorted: readonly Process[], asTree: boolean): ProcessLine[] {
  if (!asTree) return sorted.map((process) => ({ process, depth: 0 }))
  const known = new Set(sorted.map(({ pid }) => pid))
  const below = new Map<number, Process[]>()
  for (const process of sorted) {
    const parent =
      known.has(process.parent_pid) && process.parent_pid !== process.pid ? process.parent_pid : 0
    below.set(parent, [...(below.get(parent) ?? []), process])
  }
  const lines: ProcessLine[] = []
  const seen = new Set<number>()
  const walk = (parent: number, depth: number) => {
    for (const process of below.get(parent) ?? []) {
      // Reported parents may form a cycle.
      if (seen.has(process.pid)) continue
      seen.add(process.pid)
      lines.push({ process, depth })
      if (process.pid !== 0) walk(process.pid, depth + 1)
    }
  }
  walk(0, 0)
  for (const process of sorted) if (!seen.has(process.pid)) lines.push({ process, depth: 0 })
  return lines
}

/** The same lines in their old order: new ones come last, and nothing moves under the pointer. */
export function holdOrder(lines: readonly ProcessLine[], before: readonly string[]): ProcessLine[] {
  const places = new Map(before.map((key, place) => [key, place]))
  const last = before.length
  return lines
    .map((line) => ({ line, place: places.get(keyOf(line)) ?? last + line.process.pid }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ line }) => line)
}
