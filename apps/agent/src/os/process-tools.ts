import type { MachineProcess, ProcessTarget } from '@muster/contract/agent/processes'
import type { CpuTimes } from './probes.ts'

export interface SeenProcess {
  process: MachineProcess
  /** Of all its threads, since it started. */
  cpuSeconds: number
  memoryBytes: number
}

export interface ProcessesSeen {
  processes: SeenProcess[]
  cpu: CpuTimes
  memory: { totalBytes: number; usedBytes: number }
}

/** Remembers from one look to the next what does not change. */
export interface ProcessReader {
  read(signal: AbortSignal): Promise<ProcessesSeen>
}

export interface EndOptions {
  /** It is killed; else it is asked to end, where the system knows such a thing. */
  force: boolean
  /** With all that it has started. */
  tree: boolean
}

/** What a system can do with its processes. Loaded when somebody looks, see `Os.loadProcessTools`. */
export interface ProcessTools {
  /** So often somebody who looks is told; asking some systems is much work. */
  everyMs: number
  openReader(): ProcessReader
  /** Throws MachineRefused when there is no such process, or it may not be ended. */
  end(target: ProcessTarget, options: EndOptions): Promise<{ name: string; ended: number; left: number[] }>
  /** Answers the name of the process. */
  setPriority(target: ProcessTarget, nice: number): Promise<string>
}
