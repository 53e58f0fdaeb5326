import { startAgent } from '../agent.ts'
import {
  readPatchesInChildProcess,
  readSlowFactsInChildProcess,
  readSoftwareInChildProcess,
} from '../collectors/child-reports.ts'
import { closeDataFolder } from '../identity/data-folder.ts'
import { requireIdentity } from '../identity/identity.ts'
import { createProcessLog } from '../log/log.ts'
import { os } from '../os/index.ts'
import { recordChangesInChildProcess } from '../remote/session-changes/session-changes.ts'
import { lockDataFolder } from '../state/lock.ts'
import { AGENT_VERSION } from '../version.ts'

/** Runs until a signal stops it. `program` is the command line that starts this agent. */
export async function run(folder: string, program: string[]): Promise<void> {
  const identity = requireIdentity(folder)
  const log = createProcessLog()
  const corrected = closeDataFolder(folder)
  if (corrected !== undefined) log.warn({ folder }, corrected)
  using lock = lockDataFolder(folder, log)
  void lock
  const stop = Promise.withResolvers<string>()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => stop.resolve(signal))
  if (process.env.MUSTER_WITH_PARENT === '1') stopWithParent(stop.resolve)
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
    changeRecorder: recordChangesInChildProcess(program),
    uninstall: async () => {
      await os.service.startDetached([...program, 'uninstall', '--data', folder])
      stop.resolve('uninstall')
    },
  })
  void agent
  log.info({ why: await stop.promise }, 'agent stops')
}

/** The process that started the agent holds the other end of its standard input. It has exited when that closes. */
function stopWithParent(stop: (why: string) => void): void {
  process.stdin.once('close', () => stop('its parent process has exited'))
  process.stdin.resume()
}
