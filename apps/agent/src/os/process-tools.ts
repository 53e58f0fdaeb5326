import type { MachineProcess, ProcessTarget } from '@muster/contract/agent/processes'
import type { CpuTimes } from './probes.ts'

export interface SeenProcess {
  process: MachineProcess
  /** CPU time of all its threads since its start. */
  cpuSeconds: number
  memoryBytes: number
}

export interface ProcessesSeen {
  processes: SeenProcess[]
  cpu: CpuTimes
  memory: { totalBytes: number; usedBytes: number }
}

/** Keeps values that do not change between rounds. */
export interface ProcessReader {
  read(signal: AbortSignal): Promise<ProcessesSeen>
}

export interface EndOptions {
  /** Kills the process. Otherwise it is asked to exit, if the system supports that. */
  force: boolean
  /** Includes its child processes. */
  tree: boolean
}

/** The process tools of a system. Loaded on use, see `Os.loadProcessTools`. */
export interface ProcessTools {
  /** Interval of updates. Listing processes is expensive on some systems. */
  everyMs: number
  openReader(): ProcessReader
  /** Throws MachineRefused if the process does not exist or cannot be ended. */
  end(target: ProcessTarget, options: EndOptions): Promise<{ name: string; ended: number; left: number[] }>
  /** Returns the name of the process. */
  setPriority(target: ProcessTarget, nice: number): Promise<string>
}
