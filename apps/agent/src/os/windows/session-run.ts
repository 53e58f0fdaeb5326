import { randomUUID } from 'node:crypto'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { AgentError, RunError } from '../../errors.ts'
import type { SessionPlan, SessionProcess, SignedInUser, UserSession } from '../os.ts'
import { describeSid } from './accounts.ts'
import { openPipe } from './pipes.ts'
import { makeEnvironmentBlock, parseEnvironmentBlock, quoteArgument } from './process-start.ts'
import { loadSessionCalls, type SessionCalls } from './session-calls.ts'
import { failure, findSession, readUser, requireUserToken } from './session-process.ts'
import { bindLibrary, type Call, type Handle, type Out } from './win32.ts'

interface Functions {
  createFile: Call<
    [name: string, access: number, share: number, security: null, how: number, flags: 0, template: 0],
    Handle
  >
  createFolder: Call<[path: string, security: Buffer]>
  setInherited: Call<[handle: Handle, mask: 1, flags: 1]>
  prepareAttributes: Call<[list: Buffer | null, count: 1, flags: 0, bytes: Buffer]>
  setAttribute: Call<
    [list: Buffer, flags: 0, kind: number, value: Buffer, bytes: number, before: null, after: null]
  >
  resume: Call<[thread: Handle]>
  wait: Call<[process: Handle, milliseconds: 0]>
  exitCode: Call<[process: Handle, code: Buffer]>
  terminate: Call<[process: Handle, code: 1]>
  close: Call<[handle: Handle]>
  freeLocal: (memory: Handle) => Handle
}
const KERNEL32 = {
  createFile:
    'uintptr_t __stdcall CreateFileW(str16, uint32_t, uint32_t, void *, uint32_t, uint32_t, uintptr_t)',
  createFolder: 'int __stdcall CreateDirectoryW(str16, uint8_t *)',
  setInherited: 'int __stdcall SetHandleInformation(uintptr_t, uint32_t, uint32_t)',
  prepareAttributes:
    'int __stdcall InitializeProcThreadAttributeList(uint8_t *, uint32_t, uint32_t, uint8_t *)',
  setAttribute:
    'int __stdcall UpdateProcThreadAttribute(uint8_t *, uint32_t, uintptr_t, uint8_t *, uintptr_t, void *, void *)',
  resume: 'uint32_t __stdcall ResumeThread(uintptr_t)',
  wait: 'uint32_t __stdcall WaitForSingleObject(uintptr_t, uint32_t)',
  exitCode: 'int __stdcall GetExitCodeProcess(uintptr_t, uint8_t *)',
  terminate: 'int __stdcall TerminateProcess(uintptr_t, uint32_t)',
  close: 'int __stdcall CloseHandle(uintptr_t)',
  freeLocal: 'uintptr_t __stdcall LocalFree(uintptr_t)',
}

interface Advapi {
  parseSecurity: Call<[text: string, revision: 1, descriptor: Out<Handle>, size: null]>
  readToken: Call<[token: Handle, kind: number, value: Buffer, bytes: number, used: Out<number>]>
  create: Call<
    [
      token: Handle,
      file: null,
      commandLine: Buffer,
      security: null,
      threadSecurity: null,
      inherits: 1,
      flags: number,
      environment: Buffer,
      folder: string,
      startup: Buffer,
      created: Buffer,
    ]
  >
}
const ADVAPI32: Record<keyof Advapi, string> = {
  parseSecurity:
    'int __stdcall ConvertStringSecurityDescriptorToSecurityDescriptorW(str16, uint32_t, _Out_ uintptr_t *, void *)',
  readToken: 'int __stdcall GetTokenInformation(uintptr_t, int, uint8_t *, uint32_t, _Out_ uint32_t *)',
  create:
    'int __stdcall CreateProcessAsUserW(uintptr_t, void *, uint8_t *, void *, void *, int, uint32_t, uint8_t *, str16, uint8_t *, uint8_t *)',
}

interface Userenv {
  makeBlock: Call<[block: Out<Handle>, token: Handle, inherits: 0]>
  freeBlock: Call<[block: Handle]>
}
const USERENV: Record<keyof Userenv, string> = {
  makeBlock: 'int __stdcall CreateEnvironmentBlock(_Out_ uintptr_t *, uintptr_t, int)',
  freeBlock: 'int __stdcall DestroyEnvironmentBlock(uintptr_t)',
}

type RunCalls = Functions & Advapi & Userenv & { sessions: SessionCalls }
let loaded: Promise<RunCalls> | undefined

async function load(): Promise<RunCalls> {
  const [kernel, advapi, userenv, sessions] = await Promise.all([
    bindLibrary<Functions>('kernel32.dll', KERNEL32),
    bindLibrary<Advapi>('advapi32.dll', ADVAPI32),
    bindLibrary<Userenv>('userenv.dll', USERENV),
    loadSessionCalls(),
  ])
  return { ...kernel, ...advapi, ...userenv, sessions }
}

/** The user of the session at the machine's screen, otherwise of the first one that is used from elsewhere. */
export async function findWindowsSignedIn(): Promise<SignedInUser> {
  const calls = await loadSessionCalls()
  try {
    const id = findSession(calls)
    const name = readUser(calls, id)
    if (name === '') throw new RunError('No user is signed in at this machine.')
    const own: [number] = [0]
    const isOwn = calls.sessionOf(process.pid, own) !== 0 && own[0] === id && userInfo().username === name
    return isOwn ? { env: {} } : await describeSession(id)
  } catch (cause) {
    if (cause instanceof AgentError) throw new RunError(cause.message)
    throw cause
  }
}

const TOKEN_USER = 1
const TOKEN_BYTES = 256

/** The user and the variables of a session, which only the account of services may read. Throws AgentError. */
export async function describeSession(id: number): Promise<SignedInUser> {
  const calls = await (loaded ??= load())
  const token = requireUserToken(calls.sessions, id)
  try {
    const env = readVariables(calls, token)
    const user = Buffer.alloc(TOKEN_BYTES)
    if (calls.readToken(token, TOKEN_USER, user, user.length, [0]) === 0)
      throw failure(calls.sessions, 'GetTokenInformation')
    // TOKEN_USER: a pointer to the SID, which follows in the same buffer.
    const at = Number(user.readBigUInt64LE() - calls.sessions.addressOf(user))
    const home = env.USERPROFILE ?? process.env.SystemRoot ?? 'C:\\'
    return { session: { id, home, sid: describeSid(user.subarray(at)) }, env }
  } finally {
    calls.close(token)
  }
}

const PAGE_BYTES = 4096
const MAX_BLOCK_BYTES = 256 * 1024

/** The user's environment. Its length is unknown, so it is read page by page up to the two zeros at its end. */
function readVariables({ makeBlock, freeBlock, sessions }: RunCalls, token: Handle): Record<string, string> {
  const block: [Handle] = [0]
  if (makeBlock(block, token, 0) === 0) throw failure(sessions, 'CreateEnvironmentBlock')
  const start = BigInt(block[0])
  let text = ''
  let bytes = 0
  while (!text.includes('\0\0') && bytes < MAX_BLOCK_BYTES) {
    const from = start + BigInt(bytes)
    const rest = PAGE_BYTES - Number(from % BigInt(PAGE_BYTES))
    text += sessions.read(from, rest).toString('utf16le')
    bytes += rest
  }
  freeBlock(block[0])
  return parseEnvironmentBlock(text)
}

/** SECURITY_ATTRIBUTES: its size, and the descriptor at byte 8. */
const SECURITY_BYTES = 24

/** Below ProgramData, whose folders users can pass but not replace. Throws AgentError. */
export async function makeFolderFor({ sid }: UserSession): Promise<string> {
  const calls = await (loaded ??= load())
  const path = join(process.env.ProgramData ?? 'C:\\ProgramData', `muster-run-${randomUUID()}`)
  const rights = `D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;${sid})`
  const descriptor: [Handle] = [0]
  if (calls.parseSecurity(rights, 1, descriptor, null) === 0)
    throw failure(calls.sessions, 'ConvertStringSecurityDescriptorToSecurityDescriptor')
  const security = Buffer.alloc(SECURITY_BYTES)
  security.writeUInt32LE(security.length)
  security.writeBigUInt64LE(BigInt(descriptor[0]), 8)
  const isMade = calls.createFolder(path, security) !== 0
  const why = failure(calls.sessions, 'CreateDirectory')
  calls.freeLocal(descriptor[0])
  if (!isMade) throw why
  return path
}

const GENERIC_READ = 0x80_00_00_00
const SHARED = 3
const OPEN_EXISTING = 3
/** CREATE_SUSPENDED, CREATE_UNICODE_ENVIRONMENT, EXTENDED_STARTUPINFO_PRESENT and CREATE_NO_WINDOW. */
const CREATE_FLAGS = 0x08_08_04_04
/** STARTUPINFOEXW: its size, desktop at byte 16, flags at 60, three handles from 80 on, the attribute list at 104. */
const STARTUP_BYTES = 112
const DESKTOP_AT = 16
const FLAGS_AT = 60
const HANDLES_AT = 80
const ATTRIBUTES_AT = 104
const USE_STANDARD_HANDLES = 0x100
const DESKTOP = Buffer.from('winsta0\\default\0', 'utf16le')
/** PROC_THREAD_ATTRIBUTE_HANDLE_LIST */
const HANDLE_LIST = 0x2_0002
/** PROCESS_INFORMATION: handles of process and thread, and the process id at byte 16. */
const CREATED_BYTES = 24

/**
 * Starts a process as the user of a session. It inherits an empty input and two pipes, and no other handle. `hold`
 * receives its id before it runs. Source: Windows API, CreateProcessAsUserW.
 */
export async function startInUserSession(
  plan: SessionPlan,
  hold: (pid: number) => void,
): Promise<SessionProcess> {
  const calls = await (loaded ??= load())
  const [stdout, stderr] = [await openPipe(), await openPipe()]
  const input = calls.createFile('NUL', GENERIC_READ, SHARED, null, OPEN_EXISTING, 0, 0)
  const handles = [input, stdout.end, stderr.end]
  try {
    const { process, pid } = create(calls, plan, handles, hold)
    return { pid, stdout: stdout.socket, stderr: stderr.socket, exited: waitForExit(calls, process) }
  } catch (cause) {
    for (const { socket } of [stdout, stderr]) socket.destroy()
    throw cause
  } finally {
    // The process has copies of its own.
    for (const handle of handles) calls.close(handle)
  }
}

function create(
  calls: RunCalls,
  plan: SessionPlan,
  handles: readonly Handle[],
  hold: (pid: number) => void,
): { process: Handle; pid: number } {
  const list = Buffer.alloc(handles.length * 8)
  const startup = Buffer.alloc(STARTUP_BYTES)
  handles.forEach((handle, index) => {
    calls.setInherited(handle, 1, 1)
    list.writeBigUInt64LE(BigInt(handle), index * 8)
    startup.writeBigUInt64LE(BigInt(handle), HANDLES_AT + index * 8)
  })
  const bytes = Buffer.alloc(8)
  calls.prepareAttributes(null, 1, 0, bytes)
  const attributes = Buffer.alloc(Number(bytes.readBigUInt64LE()))
  calls.prepareAttributes(attributes, 1, 0, bytes)
  calls.setAttribute(attributes, 0, HANDLE_LIST, list, list.length, null, null)
  startup.writeUInt32LE(STARTUP_BYTES)
  startup.writeBigUInt64LE(calls.sessions.addressOf(DESKTOP), DESKTOP_AT)
  startup.writeUInt32LE(USE_STANDARD_HANDLES, FLAGS_AT)
  startup.writeBigUInt64LE(calls.sessions.addressOf(attributes), ATTRIBUTES_AT)
  const { program, args, verbatimArguments, session } = plan
  const words = verbatimArguments ? args : args.map(quoteArgument)
  const line = Buffer.from(`${[quoteArgument(program), ...words].join(' ')}\0`, 'utf16le')
  const created = Buffer.alloc(CREATED_BYTES)
  const token = requireUserToken(calls.sessions, session.id)
  const environment = makeEnvironmentBlock(plan.env)
  const isCreated = calls.create(
    token,
    null,
    line,
    null,
    null,
    1,
    CREATE_FLAGS,
    environment,
    plan.cwd,
    startup,
    created,
  )
  const why = failure(calls.sessions, 'CreateProcessAsUser')
  calls.close(token)
  if (isCreated === 0) throw why
  const [process, thread] = [created.readBigUInt64LE(0), created.readBigUInt64LE(8)]
  const pid = created.readUInt32LE(16)
  try {
    hold(pid)
    calls.resume(thread)
    return { process, pid }
  } catch (cause) {
    calls.terminate(process, 1)
    calls.close(process)
    throw cause
  } finally {
    calls.close(thread)
  }
}

const WAIT_TIMEOUT = 0x102
/** A thread that waits would be one of the four that Node has for files. */
const LOOK_EVERY_MS = 50

function waitForExit(calls: RunCalls, process: Handle): SessionProcess['exited'] {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (calls.wait(process, 0) === WAIT_TIMEOUT) return
      clearInterval(timer)
      const code = Buffer.alloc(4)
      calls.exitCode(process, code)
      calls.close(process)
      resolve({ code: code.readUInt32LE(), signal: null })
    }, LOOK_EVERY_MS)
  })
}
