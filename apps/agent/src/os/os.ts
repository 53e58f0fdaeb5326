import type { AgentFacts } from '@muster/contract/agent/facts'
import type { PowerAction } from '@muster/contract/agent/power'
import type { Counters } from './counters.ts'
import type { LogTools } from './log-tools.ts'
import type { PatchTools } from './patch-tools.ts'
import type { Probes } from './probes.ts'
import type { ProcessTools } from './process-tools.ts'
import type { RegistryTools } from './registry-tools.ts'
import type { ServiceTools } from './service-tools.ts'
import type { SoftwareTools } from './software-tools.ts'

export interface MachineUser {
  name: string
  uid: number
  gid: number
  home: string
  shell: string
}

/** What differs between operating systems. One implementation per system; `os/index.ts` chooses. */
export interface Os {
  platform: AgentFacts['platform']
  defaultDataFolder(): string
  /** The installation's own id, or undefined where there is none. */
  findMachineId(): string | undefined
  /** Facts that are cheap enough for every minute: no process is started for them where that can be avoided. */
  readQuickFacts(): Promise<Partial<AgentFacts>>
  /** Read once a minute: cheap, and without a process where that can be avoided. `quick` may be each second. */
  readCounters(detail: 'all' | 'quick'): Promise<Counters>
  /** Facts that hardly change. Read in a process of their own, so that neither their memory nor their hangs stay. */
  readSlowFacts(): Promise<Partial<AgentFacts>>
  /** Processes below `root` (0 = none) and all that carry `MUSTER_RUN=marker`, whoever their parent is now. */
  findRunProcesses(root: number, marker: string): Promise<number[]>
  /** Ends a process and all below it, first politely, then by force; resolves when they are gone. */
  killTree(root: number, marker: string): Promise<void>
  /** IANA name of the zone of the machine's clocks, as it is now. */
  readTimeZone(): string
  findUser(name: string): Promise<MachineUser | undefined>
  /** Why this agent cannot run something as another user, as a sentence; undefined when it can. */
  whyNoOtherUser(name: string): string | undefined
  /** What the system's program `shutdown` is told. */
  shutdownArguments(action: PowerAction): string[]
  service: Service
  /** What checks need. Loaded with the first of them, because a machine may have none. */
  loadProbes(): Promise<Probes>
  /** For people who look at the processes of the machine. Loaded with the first of them. */
  loadProcessTools(): Promise<ProcessTools>
  /** For people who look into its log. */
  loadLogTools(): Promise<LogTools>
  /** For people who look into its registry. */
  loadRegistryTools(): Promise<RegistryTools>
  /** For people who look at its services. */
  loadServiceTools(): Promise<ServiceTools>
  /** For the process that lists what is installed. */
  loadSoftwareTools(): Promise<SoftwareTools>
  /** For the processes that look for patches and install them. */
  loadPatchTools(): Promise<PatchTools>
  /** Files and folders that change when something is installed or removed; those that are not there do no harm. */
  softwarePlaces(): string[]
}

/** The system's own service manager. */
export interface Service {
  /** Writes and starts a service that runs the agent on this data folder. */
  install(options: { folder: string; program: string[] }): Promise<string>
  /** Stops and removes it if it is there; answers what was done, as a sentence. */
  uninstall(folder: string): Promise<string>
  /** Starts a process that outlives the service and runs `program`. */
  startDetached(program: string[]): Promise<void>
}
