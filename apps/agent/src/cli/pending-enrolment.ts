import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { CliError, RefusedError } from '../errors.ts'
import { dataFiles, makeDataFolder, writePrivateFile } from '../identity/data-folder.ts'
import { findIdentity } from '../identity/identity.ts'
import { enrolMachine } from '../link/enrol-machine.ts'
import { describeError, type Log } from '../log/log.ts'
import { os } from '../os/index.ts'

/** Given to the installation of a package. The agent enrols with it when it starts, and deletes it. */
const PendingEnrolment = z.object({
  server_url: z.string(),
  token: z.string(),
  ca_pem: z.string().nullable(),
  /** Absent: none, or kept by an older version. */
  proxy: z.string().optional(),
})
type PendingEnrolment = z.infer<typeof PendingEnrolment>

export async function writePendingEnrolment(folder: string, enrolment: PendingEnrolment): Promise<void> {
  makeDataFolder(folder)
  await os.protectFolder?.(folder)
  writePrivateFile(folder, dataFiles.enrolment, `${JSON.stringify(enrolment)}\n`)
}

const FIRST_RETRY_MS = 5000
const MAX_RETRY_MS = 60_000
/** A refused token stays refused, but an administrator may enrol this machine by hand meanwhile. */
const REFUSED_RETRY_MS = 300_000

/**
 * Enrols this machine if its package was installed with a server, and repeats that until the server answers: a machine
 * may start without a network. An enrolled machine whose token is refused keeps its identity: a package is installed
 * again with a token that has expired meanwhile. Returns false if `stopped` resolves first.
 */
export async function enrolPending(folder: string, log: Log, stopped: Promise<unknown>): Promise<boolean> {
  let retryMs = FIRST_RETRY_MS
  for (;;) {
    const pending = readPending(folder)
    if (pending === undefined) return true
    const { server_url: serverUrl, token, ca_pem: caPem, proxy = null } = pending
    let isRefused = false
    try {
      const identity = await enrolMachine({ folder, serverUrl, token, caPem, proxy, os })
      removePending(folder)
      log.info({ server: serverUrl, agent_id: identity.agent_id }, 'machine enrolled')
      return true
    } catch (cause) {
      log.warn({ server: serverUrl, cause: describeError(cause) }, 'machine not enrolled yet')
      isRefused = cause instanceof RefusedError
    }
    if (isRefused && findIdentity(folder) !== undefined) {
      removePending(folder)
      return true
    }
    const wait = Promise.withResolvers<'again'>()
    const timer = setTimeout(() => wait.resolve('again'), isRefused ? REFUSED_RETRY_MS : retryMs)
    const next = await Promise.race([wait.promise, stopped])
    clearTimeout(timer)
    if (next !== 'again') return false
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS)
  }
}

/** After an enrolment by hand it is obsolete. */
export function removePending(folder: string): void {
  rmSync(join(folder, dataFiles.enrolment), { force: true })
}

function readPending(folder: string): PendingEnrolment | undefined {
  const file = join(folder, dataFiles.enrolment)
  if (!existsSync(file)) return undefined
  try {
    return PendingEnrolment.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    throw new CliError(`${file} is damaged. Install the agent again`, { cause })
  }
}
