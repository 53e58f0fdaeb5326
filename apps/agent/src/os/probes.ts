import type { CheckDefinition } from '@muster/contract/agent/checks'
import type { FoundEntries } from './log-entries.ts'

/** How full a mounted disk is. */
export interface MountSpace {
  totalBytes: number
  /** What users can have, without what is reserved for root. */
  freeBytes: number
  inodes: { total: number; free: number } | null
}

/** Time since some start, in any unit. */
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

export interface PingAnswer {
  sent: number
  received: number
  /** Mean of those that came back. */
  ms: number | null
  output: string
}

export interface ServiceState {
  state: 'running' | 'start_pending' | 'stopped' | 'failed' | 'missing'
  detail: string
}

/**
 * What checks ask of the operating system. Where the system cannot tell, these throw Unmeasurable with a sentence.
 * It is loaded with the first check, see `Os.loadProbes`.
 */
export interface Probes {
  readCpuTimes(): Promise<CpuTimes>
  readMemory(signal: AbortSignal): Promise<MemoryUse>
  /** Undefined when nothing is mounted in this place, or there is no such drive. */
  measureMount(disk: string): Promise<MountSpace | undefined>
  /** Three packets. */
  ping(host: string, signal: AbortSignal): Promise<PingAnswer>
  findService(name: string, signal: AbortSignal): Promise<ServiceState>
  /** Starts a service; answers what went wrong, as the system says it. */
  startService(name: string, signal: AbortSignal): Promise<string | undefined>
  /** Processes whose program has this name, and the memory that they hold together. */
  findProcesses(name: string, signal: AbortSignal): Promise<{ count: number; memoryBytes: number }>
  /** Entries of the Windows event log. */
  findEvents(search: SearchOf<'eventlog'>, signal: AbortSignal): Promise<FoundEntries>
  /** Entries of systemd's journal. */
  findJournal(search: SearchOf<'journal'>, signal: AbortSignal): Promise<FoundEntries>
}

type SearchOf<Type extends 'eventlog' | 'journal'> = Extract<
  CheckDefinition,
  { check_type: Type }
>['settings']
