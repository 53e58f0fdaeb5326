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

/** The differences between operating systems. One implementation per system; `os/index.ts` chooses. */
export interface Os {
  platform: AgentFacts['platform']
  defaultDataFolder(): string
  /** The id of the installation; undefined if the system has none. */
  findMachineId(): string | undefined
  /** Facts that are cheap enough for every minute, without a child process if possible. */
  readQuickFacts(): Promise<Partial<AgentFacts>>
  /** Read once a minute: cheap, without a child process if possible. `quick` may run each second. */
  readCounters(detail: 'all' | 'quick'): Promise<Counters>
  /** Facts that rarely change. Read in a child process, so that its memory and hangs do not stay. */
  readSlowFacts(): Promise<Partial<AgentFacts>>
  /** Processes below `root` (0 = none) and all that carry `MUSTER_RUN=marker`, whatever their parent is now. */
  findRunProcesses(root: number, marker: string): Promise<number[]>
  /** Ends a process and its children, first with SIGTERM, then with SIGKILL. Resolves when they are gone. */
  killTree(root: number, marker: string): Promise<void>
  /** IANA name of the current time zone. */
  readTimeZone(): string
  findUser(name: string): Promise<MachineUser | undefined>
  /** Why this agent cannot run commands as another user, as a message; undefined if it can. */
  whyNoOtherUser(name: string): string | undefined
  /** Arguments of `shutdown`. */
  shutdownArguments(action: PowerAction): string[]
  service: Service
  /** Used by checks. Loaded with the first check, because a machine may have none. */
  loadProbes(): Promise<Probes>
  /** Used when a user opens the processes. */
  loadProcessTools(): Promise<ProcessTools>
  /** Used when a user opens the logs. */
  loadLogTools(): Promise<LogTools>
  /** Used when a user opens the registry. */
  loadRegistryTools(): Promise<RegistryTools>
  /** Used when a user opens the services. */
  loadServiceTools(): Promise<ServiceTools>
  /** Used by the child process that lists the installed software. */
  loadSoftwareTools(): Promise<SoftwareTools>
  /** Used by the child processes that scan for patches and install them. */
  loadPatchTools(): Promise<PatchTools>
  /** Files and folders that change when software is installed or removed. They need not exist. */
  softwarePlaces(): string[]
}

/** The service manager of the system. */
export interface Service {
  /** Creates and starts a service that runs the agent with this data folder. */
  install(options: { folder: string; program: string[] }): Promise<string>
  /** Stops and removes the service if it exists. Returns a message. */
  uninstall(folder: string): Promise<string>
  /** Starts a process that outlives the service and runs `program`. */
  startDetached(program: string[]): Promise<void>
}
