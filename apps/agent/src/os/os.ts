import type { AgentFacts } from '@muster/contract/agent/facts'
import type { Hardware } from '@muster/contract/agent/hardware'
import type { Readable } from 'node:stream'
import { freemem, loadavg, totalmem, uptime } from 'node:os'
import type { MachineProcess, ProcessTarget } from '@muster/contract/agent/processes'
import type { MachineService, ServiceAction, WantedStartType } from '@muster/contract/agent/services'
import type {
  FoundValue,
  RegistryChange,
  RegistryChanged,
  RegistryPage,
  WholeValue,
} from '@muster/contract/agent/registry'
import type { FoundLog, LogSearch, LogSource } from '@muster/contract/agent/logs'
import type { SystemTask, SystemTaskAction } from '@muster/contract/agent/scheduler'
import type { ChannelRoom } from '../remote/files/channel-room.ts'
import type { SystemProxy } from '../link/proxy.ts'
import type { PackageTools } from './package-managers.ts'
import type { PatchTools, SoftwareTools } from './package-tools.ts'
import type { CpuTimes, Probes } from './probes.ts'
import { readCpuTimes } from './node-os.ts'

export interface MachineUser {
  name: string
  uid: number
  gid: number
  home: string
  shell: string
}

/** How a process is started for the user who is signed in at the machine. */
export interface SignedInUser {
  /** Linux: the account to switch to. Absent if the agent already runs as that user. */
  user?: MachineUser
  /** Windows: the session to start it in. Absent if the agent already runs there as that user. */
  session?: UserSession
  /** Variables of the user's session, such as DISPLAY. */
  env: Record<string, string>
}

/** A session of Windows with a signed-in user. */
export interface UserSession {
  id: number
  home: string
  /** The user's SID, such as `S-1-5-21-...`. */
  sid: string
}

export interface SessionPlan {
  session: UserSession
  program: string
  args: readonly string[]
  verbatimArguments: boolean
  env: Readonly<Record<string, string>>
  cwd: string
}

/** A process of a run that was started without Node. */
export interface SessionProcess {
  pid: number
  stdout: Readable
  stderr: Readable
  exited: Promise<{ code: number | null; signal: null }>
}

/** The differences between operating systems. One implementation per system; `os/index.ts` chooses. */
export interface RunGroup {
  /** Adds a process that was just started. Its children follow. Throws if the system refuses. */
  add(pid: number): void
  /** Call when the run has ended. */
  close(): void
}

export interface Os {
  platform: AgentFacts['platform']
  defaultDataFolder(): string
  /** Closes a folder to other users, where file modes do not. */
  protectFolder?(folder: string): Promise<void>
  /** The proxy that the operating system is set to use. Absent where there is no such setting for services. */
  findSystemProxy?(): Promise<SystemProxy | undefined>
  /** The id of the installation; undefined if the system has none that is its own. */
  findMachineId(): Promise<string | undefined>
  /** Distinguishes the machine from its clones. Absent where the machine id belongs to the hardware. */
  readHardware?(): Promise<Hardware>
  /** Facts that are cheap enough for every minute, without a child process if possible. */
  readQuickFacts(): Promise<Partial<AgentFacts>>
  /** Read once a minute: cheap, without a child process if possible. `quick` may run each second. */
  readCounters(detail: 'all' | 'quick'): Promise<Counters>
  /** Facts that rarely change. Read in a child process, so that its memory and hangs do not stay. */
  readSlowFacts(): Promise<Partial<AgentFacts>>
  /** Processes below `root` (0 = none) and all that carry `MUSTER_RUN=marker`, whatever their parent is now. */
  findRunProcesses(root: number, marker: string): Promise<number[]>
  /** Prepares to hold the processes of a run together, on systems without process groups. */
  openRunGroup?(marker: string): Promise<RunGroup>
  /** Ends a process and its children, first with SIGTERM, then with SIGKILL. Resolves when they are gone. */
  killTree(root: number, marker: string): Promise<void>
  /** IANA name of the machine's time zone, or its current offset such as `+05:45` if it has no name. */
  readTimeZone(): string
  /** The current offset of the machine's clock, such as `+05:45`. Absent where a zone always has a name. */
  readUtcOffset?(): string
  findUser(name: string): Promise<MachineUser | undefined>
  /** The user who is signed in. Throws RunError if there is none, or if the agent cannot run as that user. */
  findSignedIn(): Promise<SignedInUser>
  /** Windows: starts a process in a session, after `hold` has received its id. */
  startInSession?(plan: SessionPlan, hold: (pid: number) => void): Promise<SessionProcess>
  /** Windows: an empty folder whose files only the agent can change, and only the user of the session can read. */
  makeFolderFor?(session: UserSession): Promise<string>
  /** Why this agent cannot run commands as another user, as a message; undefined if it can. */
  whyNoOtherUser(name: string): string | undefined
  /** Arguments of `shutdown`, for at once. */
  shutdownArguments(action: 'reboot' | 'shutdown'): string[]
  /** Used by planned restarts, and to end or lock the user's session. */
  loadSessionTools(): Promise<SessionTools>
  /** Used to install and remove the agent. */
  loadService(): Promise<Service>
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
  /** Used when a user opens the system's own scheduler. */
  loadScheduler(): Promise<SchedulerTools>
  /** Used by the child process that lists the installed software. */
  loadSoftwareTools(): Promise<SoftwareTools>
  /** Used by the child processes that scan for patches and install them. */
  loadPatchTools(): Promise<PatchTools>
  /** Used by the child processes that change packages and look for newer versions. */
  loadPackageTools(): Promise<PackageTools>
  /** Files and folders that change when software is installed or removed. They need not exist. */
  softwarePaths(): string[]
}

/** The service manager of the system. */
export interface Service {
  /** Creates and starts a service that runs the agent with this data folder. */
  install(options: { folder: string; program: string[] }): Promise<string>
  /**
   * Linux: enables the service for the next start of systemd where that does not run, as in a container or an image.
   * Returns a message, or undefined where it runs.
   */
  placeForBoot?(options: { folder: string; program: string[] }): string | undefined
  /** Stops and removes the service if it exists. Returns a message. */
  uninstall(folder: string): Promise<string>
  /** Starts a process that outlives the service and runs `program`. */
  startDetached(program: string[]): Promise<void>
  /**
   * Runs `work` in a process that the service manager has started, where that needs calls of the system. Starts the
   * service of this data folder again if `work` ends with `restart`.
   */
  host?(folder: string, work: ServiceWork): Promise<void>
}

export type ServiceWork = (stopped: Promise<string>) => Promise<'stopped' | 'restart'>

/** Counters of the machine at one moment. Those that grow count from an arbitrary start. */
export interface Counters {
  cpu: CpuTimes
  /** Percent, 0 to 100. */
  memoryPercent: number
  swapPercent?: number
  /** Average of one minute; absent on Windows. */
  load?: number
  uptimeSeconds: number
  disks: readonly { mount: string; percent: number }[]
  /** Bytes of all disks, and of all network interfaces except loopback. */
  diskBytes?: { read: number; written: number }
  /** `interfaces` names the counted ones: sums of others cannot be compared. */
  netBytes?: { received: number; sent: number; interfaces?: string }
}

type Disks = Counters['disks']

/** For systems that report no more without a child process. */
export function readPlainCounters(disks: Disks, hasLoad: boolean): Counters {
  return {
    cpu: readCpuTimes(),
    memoryPercent: (1 - freemem() / totalmem()) * 100,
    ...(hasLoad ? { load: loadavg()[0] ?? 0 } : {}),
    uptimeSeconds: uptime(),
    disks,
  }
}

export interface SeenProcess {
  process: MachineProcess
  /** CPU time of all its threads since its start. */
  cpuSeconds: number
  memoryBytes: number
}

export interface ProcessSnapshot {
  processes: SeenProcess[]
  cpu: CpuTimes
  memory: { totalBytes: number; usedBytes: number }
}

/** Keeps values that do not change between rounds. */
export interface ProcessReader {
  read(signal: AbortSignal): Promise<ProcessSnapshot>
}

export interface EndOptions {
  /** Kills the process. Otherwise it is asked to exit, if the system supports that. */
  force: boolean
  /** Includes its child processes. */
  tree: boolean
}

/** A process with its parent. */
export interface RunningProgram {
  pid: number
  /** Distinguishes it from a later one with the same number. */
  start: string
  parent: number
  /** The command line of a process of Node that uses the files of this machine; otherwise empty. */
  nodeCommand: string
}

/** The process tools of a system. Loaded on use, see `Os.loadProcessTools`. */
export interface ProcessTools {
  /** Interval of updates. Listing processes is expensive on some systems. */
  everyMs: number
  openReader(): ProcessReader
  /** Throws AgentError if the process does not exist or cannot be ended. */
  end(target: ProcessTarget, options: EndOptions): Promise<{ name: string; ended: number; left: number[] }>
  /** Returns the name of the process. */
  setPriority(target: ProcessTarget, nice: number): Promise<string>
  /** Used to find the processes of an agent that is removed or replaced. */
  listPrograms(): Promise<RunningProgram[]>
}

/** The service tools of a system. Loaded on use, see `Os.loadServiceTools`. */
export interface ServiceTools {
  /** The service that runs this agent. */
  ownName(dataFolder: string): string
  /** All services, or the one with this name or alias, by its own name. */
  list(name: string | null): Promise<MachineService[]>
  /** By its own name. Throws AgentError with the message of the system. */
  control(name: string, action: ServiceAction): Promise<void>
  setStartType(name: string, startType: WantedStartType): Promise<void>
  readLog(name: string, lines: number): Promise<string[]>
}

/** The system's own scheduler. Loaded on use, see `Os.loadScheduler`. */
export interface SchedulerTools {
  /** All tasks, or the one with this name or alias, by its own name. Throws AgentError or MeasureError with the message of the system. */
  list(name: string | null): Promise<SystemTask[]>
  /** By its own name. */
  change(name: string, action: SystemTaskAction): Promise<void>
}

/** Sessions of signed-in users. Loaded on use, see `Os.loadSessionTools`. */
export interface SessionTools {
  /** Whether a user is signed in, at the screen or from elsewhere. */
  hasUsers(): Promise<boolean>
  /** Ends the session of the user at the machine. Throws AgentError. */
  signOut(): Promise<void>
  /** Locks the session of the user at the machine. Throws AgentError. */
  lock(): Promise<void>
  /** Shows a text to users whom no dialog reaches: at terminals, and in other sessions. */
  announce(title: string, text: string): Promise<void>
}

/** The Windows registry. Loaded on use, see `Os.loadRegistryTools`. */
export interface RegistryTools {
  readKey: (from: { path: string; keys_from: number; values_from: number }) => Promise<RegistryPage>
  readValue: (value: { path: string; name: string }) => Promise<WholeValue>
  findValue: (value: { path: string; name: string }) => Promise<FoundValue>
  change: (change: RegistryChange) => Promise<RegistryChanged>
}

/** Reads the log of a system. Loaded on use, see `Os.loadLogTools`. */
export interface LogTools {
  read(search: LogSearch): Promise<FoundLog>
  /** Sends new lines, after some existing ones, until the reader leaves. */
  follow(room: ChannelRoom, source: Exclude<LogSource, { kind: 'file' }>): Promise<never>
}
