import { bindDesktop } from './desktop/bind-desktop.ts'
import { bindLibrary, type Call, type Handle, loadKoffi, type Out } from './win32.ts'

/** The functions of Windows for sessions, tokens and processes in them. They return 0 if they fail. */
export interface SessionCalls {
  consoleSession: () => number
  sessionOf: (pid: number, session: Out<number>) => number
  list: Call<[server: 0, reserved: 0, version: 1, found: Out<Handle>, count: Out<number>]>
  query: Call<[server: 0, session: number, kind: number, value: Out<Handle>, bytes: Out<number>]>
  free: (memory: Handle) => void
  userToken: (session: number, token: Out<Handle>) => number
  ownToken: (process: number, access: number, token: Out<Handle>) => number
  copyToken: Call<
    [token: Handle, access: number, security: null, level: number, kind: number, copy: Out<Handle>]
  >
  setToken: (token: Handle, kind: number, value: Buffer, bytes: number) => number
  create: Call<
    [
      token: Handle,
      file: null,
      commandLine: Buffer,
      security: null,
      threadSecurity: null,
      inherit: 0,
      flags: number,
      environment: Buffer,
      folder: string,
      startup: Buffer,
      created: Buffer,
    ]
  >
  wait: { async: (process: Handle, timeoutMs: number, done: () => void) => void }
  exitCode: (process: Handle, code: Out<number>) => number
  close: (handle: Handle) => number
  lastError: () => number
  ownStation: () => Handle
  describeStation: Call<[station: Handle, kind: number, value: Buffer, bytes: number, needed: null]>
  /** A copy of the bytes at an address. */
  read: (address: Handle, bytes: number) => Buffer
  addressOf: (bytes: Buffer) => bigint
}

const KERNEL32 = {
  consoleSession: 'uint32_t __stdcall WTSGetActiveConsoleSessionId()',
  sessionOf: 'int __stdcall ProcessIdToSessionId(uint32_t, _Out_ uint32_t *)',
  wait: 'uint32_t __stdcall WaitForSingleObject(uintptr_t, uint32_t)',
  exitCode: 'int __stdcall GetExitCodeProcess(uintptr_t, _Out_ uint32_t *)',
  close: 'int __stdcall CloseHandle(uintptr_t)',
  lastError: 'uint32_t __stdcall GetLastError()',
}
const WTSAPI32 = {
  list: 'int __stdcall WTSEnumerateSessionsW(uintptr_t, uint32_t, uint32_t, _Out_ uintptr_t *, _Out_ uint32_t *)',
  query:
    'int __stdcall WTSQuerySessionInformationW(uintptr_t, uint32_t, int, _Out_ uintptr_t *, _Out_ uint32_t *)',
  free: 'void __stdcall WTSFreeMemory(uintptr_t)',
  userToken: 'int __stdcall WTSQueryUserToken(uint32_t, _Out_ uintptr_t *)',
}
const ADVAPI32 = {
  ownToken: 'int __stdcall OpenProcessToken(intptr_t, uint32_t, _Out_ uintptr_t *)',
  copyToken: 'int __stdcall DuplicateTokenEx(uintptr_t, uint32_t, void *, int, int, _Out_ uintptr_t *)',
  setToken: 'int __stdcall SetTokenInformation(uintptr_t, int, uint8_t *, uint32_t)',
  create:
    'int __stdcall CreateProcessAsUserW(uintptr_t, void *, uint8_t *, void *, void *, int, uint32_t, uint8_t *, str16, uint8_t *, uint8_t *)',
}
const USER32 = {
  ownStation: 'uintptr_t __stdcall GetProcessWindowStation()',
  describeStation: 'int __stdcall GetUserObjectInformationW(uintptr_t, int, uint8_t *, uint32_t, void *)',
}

let loaded: Promise<SessionCalls> | undefined

export function loadSessionCalls(): Promise<SessionCalls> {
  loaded ??= load()
  return loaded
}

async function load(): Promise<SessionCalls> {
  const koffi = await loadKoffi()
  const [kernel, wts, advapi, user] = await Promise.all([
    bindLibrary<Pick<SessionCalls, keyof typeof KERNEL32>>('kernel32.dll', KERNEL32),
    bindLibrary<Pick<SessionCalls, keyof typeof WTSAPI32>>('wtsapi32.dll', WTSAPI32),
    bindLibrary<Pick<SessionCalls, keyof typeof ADVAPI32>>('advapi32.dll', ADVAPI32),
    bindDesktop<Pick<SessionCalls, keyof typeof USER32>>('user32.dll', USER32),
  ])
  return {
    ...kernel,
    ...wts,
    ...advapi,
    ...user,
    read: (address, bytes) => Buffer.from(new Uint8Array(koffi.view(address, bytes))),
    addressOf: (bytes) => koffi.address(bytes),
  }
}
