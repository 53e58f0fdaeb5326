import type { CheckDefinition } from '@muster/contract/agent/checks'
import type { FoundEntries } from './log-entries.ts'

export interface MountSpace {
  totalBytes: number
  /** With `freeBytes`, all that programs can use. */
  usedBytes: number
  /** Available to users, without the space reserved for root. */
  freeBytes: number
  inodes: { total: number; free: number } | null
  /** The target, if the path is a link. */
  linkTo?: string
}

/** A folder on which nothing is mounted. */
export interface NoMount {
  /** The mount that it is on. */
  isOn: string
  linkTo?: string
}

/** Time since an arbitrary start, in any unit. */
export interface CpuTimes {
  busy: number
  total: number
}

export interface MemoryUse {
  totalBytes: number
  availableBytes: number
  /** Null without swap. */
  swap: { totalBytes: number; freeBytes: number } | null
}

export interface PingResult {
  sent: number
  received: number
  /** Average of the replies. */
  ms: number | null
  output: string
}

export interface ServiceState {
  state: 'running' | 'start_pending' | 'stopped' | 'failed' | 'missing'
  detail: string
}

/**
 * What checks read from the operating system. Functions throw MeasureError with a message on failure.
 * Loaded with the first check, see `Os.loadProbes`.
 */
export interface Probes {
  readCpuTimes(): Promise<CpuTimes>
  readMemory(signal: AbortSignal): Promise<MemoryUse>
  /** Undefined if the path or the drive does not exist. */
  measureMount(disk: string): Promise<MountSpace | NoMount | undefined>
  /** Mount points or drives of the fixed disks, without those that cannot be written. */
  listDisks(): Promise<string[]>
  /** Sends three packets. */
  ping(host: string, signal: AbortSignal): Promise<PingResult>
  findService(name: string, signal: AbortSignal): Promise<ServiceState>
  /** Starts a service. Returns the error message of the system, if any. */
  startService(name: string, signal: AbortSignal): Promise<string | undefined>
  /** Processes with this program name, and their total memory. */
  findProcesses(name: string, signal: AbortSignal): Promise<{ count: number; memoryBytes: number }>
  /** Entries of the Windows event log. */
  findEvents(search: SearchOf<'eventlog'>, signal: AbortSignal): Promise<FoundEntries>
  /** Entries of the systemd journal. */
  findJournal(search: SearchOf<'journal'>, signal: AbortSignal): Promise<FoundEntries>
}

type SearchOf<Type extends 'eventlog' | 'journal'> = Extract<
  CheckDefinition,
  { check_type: Type }
>['settings']
