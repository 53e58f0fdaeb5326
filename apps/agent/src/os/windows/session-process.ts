import { spawn } from 'node:child_process'
import { AgentError } from '../../errors.ts'
import { makeEnvironment, workingFolder } from '../../run/environment.ts'
import { openJob } from './job-objects.ts'
import { makeEnvironmentBlock, quoteArgument } from './process-start.ts'
import { loadSessionCalls, type SessionCalls } from './session-calls.ts'
import type { Handle } from './win32.ts'

export interface StartedProcess {
  pid: number
  /** Resolves with its exit code; null = it was ended by a signal. */
  exited: Promise<number | null>
}

export interface SessionProcessOptions {
  /** The process ends with the agent, or by `killTree` with this marker. */
  marker: string
  env: Record<string, string>
  /** `system` sees the lock screen and User Account Control too; `user` has the rights of the signed-in user. */
  account: 'system' | 'user'
}

/**
 * Starts a process in the session of the user at the machine. Services run in a session of their own, or, in Wine, on a
 * window station of their own in the user's session: neither has a screen. An agent that the user started is in the
 * right place already. Throws AgentError.
 */
export async function startInSession(
  program: readonly string[],
  options: SessionProcessOptions,
): Promise<StartedProcess> {
  const calls = await loadSessionCalls()
  const session = findSession(calls)
  return holdTogether(options.marker, () =>
    isAtScreen(calls, session)
      ? startChild(program, options)
      : startAsOther(calls, { session, program, ...options }),
  )
}

/** As `startInSession` does from another session. */
export async function startInOtherSession(
  program: readonly string[],
  options: SessionProcessOptions,
): Promise<StartedProcess> {
  const calls = await loadSessionCalls()
  const session = findSession(calls)
  return holdTogether(options.marker, () => startAsOther(calls, { session, program, ...options }))
}

/** USEROBJECTFLAGS, with its flags at byte 8. */
const STATION_FLAGS = 1
const STATION_BYTES = 12
const VISIBLE = 1

/** Whether children of this process show their windows in that session. */
function isAtScreen(calls: SessionCalls, session: number): boolean {
  const own: [number] = [0]
  if (calls.sessionOf(process.pid, own) === 0 || own[0] !== session) return false
  const flags = Buffer.alloc(STATION_BYTES)
  const isKnown = calls.describeStation(calls.ownStation(), STATION_FLAGS, flags, flags.length, null) !== 0
  return isKnown && (flags.readUInt32LE(8) & VISIBLE) !== 0
}

async function holdTogether(marker: string, start: () => StartedProcess): Promise<StartedProcess> {
  const group = await openJob(marker)
  try {
    const started = start()
    group.add(started.pid)
    void started.exited.then(() => group.close())
    return started
  } catch (cause) {
    group.close()
    throw cause
  }
}

/** The name of the user at the machine; undefined if nobody is signed in. */
export async function findSignedInUser(): Promise<string | undefined> {
  const calls = await loadSessionCalls()
  const user = readUser(calls, findSession(calls))
  return user === '' ? undefined : user
}

/** WTS_SESSION_INFOW: the number at byte 0, the state at byte 16. */
const SESSION_BYTES = 24
const ACTIVE = 0
const NO_SESSION = 0xff_ff_ff_ff

/** The session at the machine's own screen, otherwise the first one that is used from elsewhere. */
export function findSession(calls: SessionCalls): number {
  const [found, count]: [[Handle], [number]] = [[0], [0]]
  if (calls.list(0, 0, 1, found, count) === 0) throw failure(calls, 'WTSEnumerateSessions')
  const list = calls.read(found[0], count[0] * SESSION_BYTES)
  calls.free(found[0])
  const active: number[] = []
  for (let at = 0; at < list.length; at += SESSION_BYTES)
    if (list.readUInt32LE(at + 16) === ACTIVE) active.push(list.readUInt32LE(at))
  const console = calls.consoleSession()
  const session = active.includes(console) ? console : (active[0] ?? console)
  if (session === NO_SESSION) throw new AgentError('This machine has no screen, and no user is signed in.')
  return session
}

const USER_NAME = 5

export function readUser(calls: SessionCalls, session: number): string {
  const [value, bytes]: [[Handle], [number]] = [[0], [0]]
  if (calls.query(0, session, USER_NAME, value, bytes) === 0)
    throw failure(calls, 'WTSQuerySessionInformation')
  const name = calls.read(value[0], bytes[0]).toString('utf16le').replace(/\0.*$/s, '')
  calls.free(value[0])
  return name
}

const makeVariables = ({ marker, env }: SessionProcessOptions) => ({
  ...makeEnvironment([], undefined),
  ...env,
  MUSTER_RUN: marker,
})

function startChild([path = '', ...args]: readonly string[], options: SessionProcessOptions): StartedProcess {
  const child = spawn(path, args, {
    env: makeVariables(options),
    cwd: workingFolder(undefined),
    stdio: 'ignore',
    windowsHide: true,
  })
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', resolve).once('error', () => resolve(null))
  })
  if (child.pid === undefined) throw new AgentError(`Failed to start ${path}.`)
  return { pid: child.pid, exited }
}

const CREATE_FLAGS = 0x08_00_04_00 // CREATE_NO_WINDOW, CREATE_UNICODE_ENVIRONMENT
/** STARTUPINFOW, its desktop at byte 16; PROCESS_INFORMATION: handles of the process and a thread, the id at byte 16. */
const STARTUP_BYTES = 104
const CREATED_BYTES = 24
const DESKTOP = Buffer.from('winsta0\\default\0', 'utf16le')
const FOREVER = 0xff_ff_ff_ff

function startAsOther(
  calls: SessionCalls,
  { session, program, ...options }: SessionProcessOptions & { session: number; program: readonly string[] },
): StartedProcess {
  const token =
    options.account === 'user' ? requireUserToken(calls, session) : makeSystemToken(calls, session)
  const startup = Buffer.alloc(STARTUP_BYTES)
  startup.writeUInt32LE(startup.length)
  startup.writeBigUInt64LE(calls.addressOf(DESKTOP), 16)
  const commandLine = Buffer.from(`${program.map(quoteArgument).join(' ')}\0`, 'utf16le')
  const environment = makeEnvironmentBlock(makeVariables(options))
  const created = Buffer.alloc(CREATED_BYTES)
  const folder = workingFolder(undefined)
  const isCreated = calls.create(
    token,
    null,
    commandLine,
    null,
    null,
    0,
    CREATE_FLAGS,
    environment,
    folder,
    startup,
    created,
  )
  const why = failure(calls, 'CreateProcessAsUser')
  calls.close(token)
  if (isCreated === 0) throw why
  calls.close(created.readBigUInt64LE(8))
  return { pid: created.readUInt32LE(16), exited: waitFor(calls, created.readBigUInt64LE(0)) }
}

function waitFor(calls: SessionCalls, process: Handle): Promise<number | null> {
  return new Promise((resolve) => {
    calls.wait.async(process, FOREVER, () => {
      const code: [number] = [0]
      const isKnown = calls.exitCode(process, code) !== 0
      calls.close(process)
      resolve(isKnown ? code[0] : null)
    })
  })
}

export function requireUserToken(calls: SessionCalls, session: number): Handle {
  const token: [Handle] = [0]
  if (calls.userToken(session, token) === 0) throw failure(calls, 'WTSQueryUserToken')
  return token[0]
}

const OWN_PROCESS = -1
const ALL_ACCESS = 0x0f_01_ff
const IMPERSONATION = 2
const PRIMARY = 1
const SESSION_ID = 12

/** The agent's own rights in another session, which only the account of services may give. */
function makeSystemToken(calls: SessionCalls, session: number): Handle {
  const [own, copy]: [[Handle], [Handle]] = [[0], [0]]
  if (calls.ownToken(OWN_PROCESS, ALL_ACCESS, own) === 0) throw failure(calls, 'OpenProcessToken')
  const isCopied = calls.copyToken(own[0], ALL_ACCESS, null, IMPERSONATION, PRIMARY, copy)
  const why = failure(calls, 'DuplicateTokenEx')
  calls.close(own[0])
  if (isCopied === 0) throw why
  const id = Buffer.alloc(4)
  id.writeUInt32LE(session)
  if (calls.setToken(copy[0], SESSION_ID, id, id.length) !== 0) return copy[0]
  const refused = failure(calls, 'SetTokenInformation')
  calls.close(copy[0])
  throw refused
}

export const failure = (calls: SessionCalls, name: string) =>
  new AgentError(
    `Failed to use the session of the signed-in user: ${name} failed with error ${calls.lastError()}.`,
  )
