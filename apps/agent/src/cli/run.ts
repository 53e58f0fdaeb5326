import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { startAgent } from '../agent.ts'
import {
  readPatchesInChildProcess,
  readSlowFactsInChildProcess,
  readSoftwareInChildProcess,
} from '../collectors/child-reports.ts'
import { CliError } from '../errors.ts'
import { closeDataFolder, dataFiles } from '../identity/data-folder.ts'
import { requireIdentity } from '../identity/identity.ts'
import { createFileLog, createProcessLog, describeError, type Log } from '../log/log.ts'
import { os } from '../os/index.ts'
import { recordChangesInChildProcess } from '../remote/session-changes/session-changes.ts'
import { lockDataFolder } from '../state/lock.ts'
import { findProgramFolder } from '../update/program-folder.ts'
import { RESTART_SIGNAL } from '../update/restart-process.ts'
import { AGENT_VERSION } from '../version.ts'

/** Runs as a service of Windows. Its standard error goes nowhere, so its log is a file in the data folder. */
export async function runAsService(folder: string, program: string[]): Promise<void> {
  const service = await os.loadService()
  if (service.host === undefined) throw new CliError('"service" is for Windows only. Use "run"')
  const log = createFileLog(join(folder, dataFiles.log))
  await service.host(folder, async (stopped) => {
    try {
      const end = await run({ folder, program, log, stopped })
      // No user sends signals to a service: the launcher has given up this version.
      return end === 'stopped' ? 'stopped' : 'restart'
    } catch (cause) {
      log.error({ cause: describeError(cause) }, 'agent failed')
      throw cause
    }
  })
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const UPDATED = 'another version was installed'
/** The installed software has been read by then. */
const SETTLED_MS = 25_000
const SHRINK_EVERY_MS = 3_600_000

/**
 * Runs until a signal terminates it, until `stopped` or a request of the server stops it, or until another version is
 * installed. `program` is the command line that starts this agent.
 */
export async function run(options: {
  folder: string
  program: string[]
  log?: Log
  stopped?: Promise<string>
}): Promise<'stopped' | 'terminated' | 'updated'> {
  const { folder, program, log = createProcessLog(), stopped } = options
  const hasPending = existsSync(join(folder, dataFiles.enrolment))
  if (!hasPending) requireIdentity(folder)
  const corrected = closeDataFolder(folder)
  if (corrected !== undefined) log.warn({ folder }, corrected)
  using lock = lockDataFolder(folder, log)
  void lock
  const stop = Promise.withResolvers<string>()
  const programFolder = findProgramFolder(process.argv[1])
  for (const signal of SIGNALS) process.on(signal, () => stop.resolve(signal))
  if (process.env.MUSTER_WITH_PARENT === '1') stopWithParent(stop.resolve)
  if (stopped !== undefined) void stopped.then(stop.resolve)
  if (programFolder !== undefined && os.platform === 'linux')
    process.on(RESTART_SIGNAL.name, () => stop.resolve(UPDATED))
  if (hasPending) {
    const { enrolPending } = await import('./pending-enrolment.ts')
    if (!(await enrolPending(folder, log, stop.promise)))
      return (await stop.promise) === UPDATED ? 'updated' : 'stopped'
  }
  const identity = requireIdentity(folder)
  log.info(
    { version: AGENT_VERSION, agent_id: identity.agent_id, server: identity.server_url, folder },
    'agent starts',
  )
  await using agent = await startAgent({
    folder,
    identity,
    os,
    log,
    readSlowFacts: (signal) => readSlowFactsInChildProcess(program, signal),
    readSoftware: readSoftwareInChildProcess(program),
    readPatches: readPatchesInChildProcess(program),
    program,
    ...(programFolder === undefined
      ? {}
      : { installed: { programFolder, restart: () => stop.resolve(UPDATED) } }),
    changeRecorder: recordChangesInChildProcess(program),
    uninstall: async () => {
      const service = await os.loadService()
      await service.startDetached([...program, 'uninstall', '--data', folder])
      stop.resolve('uninstall')
    },
  })
  void agent
  const timers = [setTimeout(shrinkHeap, SETTLED_MS), setInterval(shrinkHeap, SHRINK_EVERY_MS)]
  const why = await stop.promise
  for (const timer of timers) clearTimeout(timer)
  log.info({ why }, 'agent stops')
  if (why === UPDATED) return 'updated'
  return SIGNALS.some((signal) => signal === why) ? 'terminated' : 'stopped'
}

/**
 * V8 gives memory back when it needs more, which an idle agent does not for days: 2 MB less, for 0.05 s. Does nothing if
 * Node was started without --expose-gc.
 */
function shrinkHeap(): void {
  globalThis.gc?.({ type: 'major', flavor: 'last-resort' })
}

/** The process that started the agent holds the other end of its standard input. It has exited when that closes. */
function stopWithParent(stop: (why: string) => void): void {
  process.stdin.once('close', () => stop('its parent process has exited'))
  process.stdin.resume()
}
