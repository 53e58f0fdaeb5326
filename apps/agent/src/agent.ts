import { join } from 'node:path'
import type { Hardware } from '@muster/contract/agent/hardware'
import { isMachineZone, isUtcOffset } from '@muster/rules/schedules/zone-time'
import { CheckScripts } from './checks/check-scripts.ts'
import { Checks } from './checks/checks.ts'
import { type Facts, FactsReporter } from './collectors/facts-reporter.ts'
import { LiveSampler } from './collectors/live-sampler.ts'
import { MetricsSampler } from './collectors/metrics-sampler.ts'
import { ProcessWatch } from './collectors/live-processes.ts'
import { PatchReporter } from './collectors/patch-reporter.ts'
import type { ReadPatches, ReadSoftware } from './collectors/child-reports.ts'
import { SoftwareReporter } from './collectors/software-reporter.ts'
import type { ReplyParts } from './requests/command.ts'
import { takeCommand } from './requests/take-command.ts'
import { Files } from './remote/files/files.ts'
import { type NetworkMounts, readNetworkMounts } from './remote/files/network-mounts.ts'
import { OpenParts } from './remote/files/open-parts.ts'
import { dataFiles } from './identity/data-folder.ts'
import {
  changeIdentity,
  findMachineId,
  type Identity,
  makeMachineKey,
  readKey,
  readPublicKey,
  storeTrust,
} from './identity/identity.ts'
import { shownCommand } from './cli/shown-command.ts'
import { ClockOffset } from './link/clock-offset.ts'
import { Link } from './link/link.ts'
import { describeError, type Log } from './log/log.ts'
import type { Os } from './os/os.ts'
import { Problems, StatusFile } from './status-file.ts'
import type { ChangeRecorder } from './remote/session-changes/session-changes.ts'
import { Power } from './power/power.ts'
import { RemoteTools } from './remote/remote-tools.ts'
import { BackgroundRuns } from './run/background-runs.ts'
import { chooseRunFolder } from './run/script-file.ts'
import { Installing } from './run/installations.ts'
import { RunJournal, Runs } from './run/runs.ts'
import { KeyValueStore, State } from './state/state.ts'
import { Nonces } from './link/verify-command.ts'
import { Outbox } from './state/outbox.ts'
import { RunRecords } from './state/run-records.ts'
import { makeSeal } from './state/seal.ts'
import { readBootMark } from './os/node-os.ts'
import { Tasks } from './tasks/tasks.ts'
import { Updates } from './update/updates.ts'
import { AGENT_VERSION } from './version.ts'

const CLEANUP_INTERVAL_MS = 3_600_000
const FLUSH_TIMEOUT_MS = 1500

export interface AgentOptions {
  folder: string
  identity: Identity
  os: Os
  log: Log
  readSlowFacts: (signal: AbortSignal) => Promise<Facts>
  readSoftware: ReadSoftware
  readPatches: ReadPatches
  /** Command line that starts this agent. */
  program: readonly string[]
  /** Removes the agent from this machine. The process exits soon after. */
  uninstall: () => Promise<void>
  /** Its program folder, if an installer has laid it out, and how to start the version that is then current. */
  installed?: { programFolder: string; restart: () => void }
  now?: () => number
  quickEveryMs?: number
  slowAgainAfterMs?: number
  firstSoftwareScanMs?: number
  softwarePollMs?: number
  firstPatchScanMs?: number
  /** Changes each time the machine boots. */
  bootMark?: () => string
  /** How long a terminal without a viewer is kept. */
  keepTerminalMs?: number
  /** Without it, sessions record no changes. */
  changeRecorder?: ChangeRecorder
  /** For tests. */
  readNetworkMounts?: () => NetworkMounts
  mountIdleMs?: number
}

export interface Agent extends AsyncDisposable {
  link: Link
  outbox: Outbox
  problems: Problems
}

/** Creates the parts of the agent and starts its link. Disposal ends all runs and closes the link. */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  const { folder, identity, os, log } = options
  const now = options.now ?? Date.now
  const startedAt = now()
  const stop = new AbortController()
  const problems = new Problems()
  const state = new State({ folder, log, problems })
  const nonces = new Nonces({ state, now })
  const outbox = new Outbox({ state, log, problems, now })
  const records = new RunRecords({ state, now })
  const keyValues = new KeyValueStore(state)
  const pipeFolder = chooseRunFolder(folder, log)
  const journal = new RunJournal({ state, outbox, records, now })
  const runs = new Runs({ os, log, outbox, journal, pipeFolder })
  const clock = new ClockOffset(problems)
  const ofChecks = new BackgroundRuns({ name: 'check_markers', os, log, keyValues, pipeFolder })
  const ofTasks = new BackgroundRuns({ name: 'task_markers', os, log, keyValues, pipeFolder })
  const context = { os, dataFolder: folder }
  const scripts = new CheckScripts({ runs: ofChecks, context })
  const privateKey = readKey(folder)
  const seal = makeSeal(privateKey)
  const checks = new Checks({
    state,
    keyValues,
    seal,
    outbox,
    os,
    log,
    scripts,
    problems,
    now: () => clock.correct(now()),
  })
  const zone = () => {
    const named = os.readTimeZone()
    return isMachineZone(named) ? named : (os.readUtcOffset?.() ?? 'UTC')
  }
  const bootMark = options.bootMark ?? readBootMark
  const tasks = new Tasks({
    state,
    keyValues,
    seal,
    outbox,
    log,
    runs: ofTasks,
    context,
    now: () => clock.correct(now()),
    zone,
    bootMark,
  })
  const status = new StatusFile(folder, log)
  const patches = new PatchReporter({
    read: options.readPatches,
    outbox,
    keyValues,
    bootMark,
    log,
    firstScanMs: options.firstPatchScanMs,
  })
  const installing = new Installing({
    context,
    server: identity,
    program: options.program,
    onEnd: () => {
      patches.rescan()
      software.rescan()
    },
  })
  const facts = new FactsReporter({
    readQuick: async () => {
      const quick = await os.readQuickFacts()
      problems.set('time zone', findZoneProblem(quick.time_zone ?? ''))
      return patches.needsReboot ? { ...quick, needs_reboot: true } : quick
    },
    readSlow: options.readSlowFacts,
    agentVersion: AGENT_VERSION,
    outbox,
    keyValues,
    problems,
    log,
    ...(options.quickEveryMs === undefined ? {} : { quickEveryMs: options.quickEveryMs }),
    ...(options.slowAgainAfterMs === undefined ? {} : { slowAgainAfterMs: options.slowAgainAfterMs }),
  })
  const software = new SoftwareReporter({
    read: options.readSoftware,
    paths: os.softwarePaths(),
    outbox,
    log,
    now,
    firstScanMs: options.firstSoftwareScanMs,
    pollIntervalMs: options.softwarePollMs,
  })
  const metrics = new MetricsSampler({
    readCounters: () => os.readCounters('all'),
    outbox,
    log,
    now: () => clock.correct(now()),
  })
  const liveMetrics = new LiveSampler({
    readCounters: () => os.readCounters('quick'),
    send: (sample) => link.sendLive([{ type: 'live-metrics', sample }]),
    log,
    now: () => clock.correct(now()),
  })
  const liveProcesses = new ProcessWatch({
    loadTools: () => os.loadProcessTools(),
    send: (parts) => link.sendLive(parts.map((look) => ({ type: 'live-processes', look }))),
    log,
  })
  const remote = new RemoteTools({
    link: {
      sendBytes: (bytes, onTaken) => link.sendBytes(bytes, onTaken),
      bufferedBytes: () => link.bufferedBytes(),
    },
    keyValues,
    seal,
    outbox,
    os,
    log,
    now,
    zone,
    folder: pipeFolder,
    program: options.program,
    keepTerminalMs: options.keepTerminalMs,
    snapshotFolder: join(folder, dataFiles.snapshots),
    changeRecorder: options.changeRecorder,
  })
  const power = new Power({
    keyValues,
    outbox,
    os,
    program: options.program,
    log,
    now: () => clock.correct(now()),
    bootMark,
  })
  const updates = new Updates({
    folder: options.installed?.programFolder,
    agentVersion: AGENT_VERSION,
    server: identity,
    outbox,
    log,
    restart: () => options.installed?.restart(),
  })
  const openParts = new OpenParts({
    keyValues,
    log,
    removeAbandoned: (file) => files.run('remove-abandoned', file),
  })
  const files = new Files({
    program: options.program,
    dataFolder: folder,
    openParts,
    os,
    log,
    readNetworkMounts: options.readNetworkMounts ?? readNetworkMounts,
    mountIdleMs: options.mountIdleMs,
  })
  await reportMovedMachine(options, problems)
  const hardware = await readHardware(os, log)
  await Promise.all([runs, ofChecks, ofTasks, remote].map((interrupted) => interrupted.endInterrupted()))

  const takeOptions = {
    commandKey: readPublicKey(identity.command_key),
    agentId: identity.agent_id,
    agentVersion: AGENT_VERSION,
    state,
    nonces,
    outbox,
    runs,
    log,
    now,
    startedAt,
    clockTrouble: () => clock.describe(),
    sendError: (code: string, message: string) => link.sendError(code, message),
    context: {
      dataFolder: folder,
      os,
      checks,
      tasks,
      liveMetrics,
      liveProcesses,
      sendReply: (reply: ReplyParts) => link.sendReply(reply),
      power,
      remote,
      files,
      openParts,
      log,
      refreshFacts: () => facts.refreshAll(),
      software,
      patches,
      installing,
      updates,
      uninstall: async () => {
        await link.flush(FLUSH_TIMEOUT_MS)
        await options.uninstall()
      },
    },
  }
  const link = new Link({
    identity,
    privateKey,
    agentVersion: AGENT_VERSION,
    canUpdate: updates.canUpdate,
    hardware,
    howToEnrol: `Or stop the agent, run "${shownCommand(options, 'enrol', '--server', identity.server_url, '--token', 'TOKEN')}", and start it again.`,
    outbox,
    log,
    now,
    activeRuns: () => runs.listActive(),
    checksVersion: () => checks.version,
    tasksVersion: () => tasks.version,
    remoteRules: () => remote.gate.revision,
    sessions: () => remote.listSessions(),
    onBytes: (bytes) => remote.channels.take(bytes),
    onCommand: (command) => takeCommand(command, takeOptions),
    onServerTime: (serverTimeMs, machineTimeMs) => clock.learn(serverTimeMs, machineTimeMs),
    onUp: () => {
      rememberHardware(options, hardware)
      outbox.reportDroppedChecks()
      facts.onLinkUp()
      software.onLinkUp()
      patches.onLinkUp()
      checks.onLinkUp()
      tasks.onLinkUp()
    },
    regainTrust: async (untrusted) => {
      const { regainTrust } = await import('./link/regain-trust.ts')
      return regainTrust({ ...options, signal: stop.signal }, untrusted)
    },
    onProofObsolete: () => {
      identity.proven_certificate = null
      storeTrust(folder, identity, log)
    },
    onAcknowledged: () => updates.onAcknowledged(),
    onUnknownAgent: () => void remote.endAll('The server no longer knows this machine.'),
    onMetricsInterval: (seconds) => metrics.every(seconds),
    onState: (linkState) => {
      runs.isLinked = linkState.state === 'up'
      if (linkState.state === 'waiting') for (const watch of [liveMetrics, liveProcesses]) watch.stop()
      if (linkState.state === 'waiting') facts.onLinkDown()
      if (linkState.state === 'waiting') software.onLinkDown()
      if (linkState.state === 'waiting') remote.channels.linkLost()
      status.write(linkState)
    },
  })
  const cleanup = setInterval(() => {
    nonces.removeExpired()
    records.removeOld()
    outbox.dropOld()
    openParts.sweep()
  }, CLEANUP_INTERVAL_MS)
  updates.start()
  link.start()
  checks.start()
  tasks.start()
  void power.resume().catch((cause: unknown) => log.error({ cause }, 'failed to continue a planned restart'))
  openParts.sweep()

  return {
    link,
    outbox,
    problems,
    async [Symbol.asyncDispose]() {
      clearInterval(cleanup)
      stop.abort()
      updates[Symbol.dispose]()
      metrics[Symbol.dispose]()
      liveMetrics[Symbol.dispose]()
      liveProcesses[Symbol.dispose]()
      files[Symbol.dispose]()
      await Promise.all([runs, checks, tasks, remote, power].map((part) => part[Symbol.asyncDispose]()))
      for (const part of [ofChecks, ofTasks]) part[Symbol.dispose]()
      await link.flush(FLUSH_TIMEOUT_MS)
      link[Symbol.dispose]()
      facts[Symbol.dispose]()
      software[Symbol.dispose]()
      patches[Symbol.dispose]()
      status[Symbol.dispose]()
      state[Symbol.dispose]()
    },
  }
}

interface Machine {
  folder: string
  identity: Identity
  os: Os
  log: Log
}

/** A cloned disk gives two machines the same identity. Only an administrator can resolve that. */
async function reportMovedMachine({ folder, identity, os, log }: Machine, problems: Problems): Promise<void> {
  try {
    const machineId = await findMachineId(folder, os)
    if (machineId === undefined || makeMachineKey(machineId, folder) === identity.machine_key) return
  } catch (cause) {
    log.debug({ cause: describeError(cause) }, 'failed to compare the machine id')
    return
  }
  log.info({ folder }, 'data folder was enrolled on another machine or in another folder')
  problems.set(
    'moved',
    'The agent was enrolled on another machine or in another folder. If this machine is a clone of another one, enrol it again.',
  )
}

async function readHardware(os: Os, log: Log): Promise<Hardware | undefined> {
  try {
    return await os.readHardware?.()
  } catch (cause) {
    log.info({ cause: describeError(cause) }, 'failed to read the hardware of this machine')
    return undefined
  }
}

/** The server has accepted it: a machine that has moved to other hardware is not taken for a copy when it enrols again. */
function rememberHardware({ folder, identity, log }: Machine, hardware: Hardware | undefined): void {
  if (hardware === undefined) return
  try {
    changeIdentity(folder, identity, { hardware })
  } catch (cause) {
    log.info({ cause: describeError(cause) }, 'failed to write the hardware of this machine')
  }
}

function findZoneProblem(zone: string): string | null {
  if (!isUtcOffset(zone)) return null
  return `The time zone of this machine has no known name. Tasks run by its offset, UTC${zone}. Set the zone by its name, for example with timedatectl set-timezone.`
}
