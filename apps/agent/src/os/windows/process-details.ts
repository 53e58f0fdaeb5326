import { findAccount } from './accounts.ts'
import { loadNtdll, readUnicodeString } from './ntdll.ts'
import { bindLibrary, type Call, type Handle, loadKoffi, readWide } from './win32.ts'

interface Kernel {
  open: Call<[access: number, inherit: 0, pid: number], Handle>
  readPath: Call<[process: Handle, flags: 0, path: Buffer, length: [number]]>
  close: Call<[handle: Handle]>
}
interface Advapi {
  openToken: Call<[process: Handle, access: number, token: [Handle]]>
  readToken: Call<[token: Handle, kind: number, information: Buffer, size: number, needed: [number]]>
}
const KERNEL: Record<keyof Kernel, string> = {
  open: 'uintptr_t __stdcall OpenProcess(uint32_t, int, uint32_t)',
  readPath: 'int __stdcall QueryFullProcessImageNameW(uintptr_t, uint32_t, uint8_t *, _Inout_ uint32_t *)',
  close: 'int __stdcall CloseHandle(uintptr_t)',
}
const ADVAPI: Record<keyof Advapi, string> = {
  openToken: 'int __stdcall OpenProcessToken(uintptr_t, uint32_t, _Out_ uintptr_t *)',
  readToken: 'int __stdcall GetTokenInformation(uintptr_t, int, uint8_t *, uint32_t, _Out_ uint32_t *)',
}

/** PROCESS_QUERY_LIMITED_INFORMATION, which Windows also grants for protected processes. */
const QUERY_ACCESS = 0x1000
const TOKEN_QUERY = 0x8
const TOKEN_USER = 1
const TOKEN_USER_BYTES = 128
const COMMAND_LINE = 60
const MAX_PATH_CHARACTERS = 32_768

export interface ProcessDetails {
  /** The command line, or the path of the program where Windows does not have it. */
  command: string
  /** With its domain; empty if Windows does not say. */
  username: string
}

let loaded: Promise<{ kernel: Kernel; advapi: Advapi }> | undefined

/** Values that stay the same while a process lives. Empty for a process that has just ended. */
export async function readProcessDetails(pid: number): Promise<ProcessDetails> {
  const { kernel, advapi } = await (loaded ??= bind())
  const process = kernel.open(QUERY_ACCESS, 0, pid)
  if (Number(process) === 0) return { command: '', username: '' }
  let sid: Buffer | undefined
  let command: string
  try {
    command = (await readCommandLine(process)) || readPath(kernel, process)
    sid = await readUser(advapi, kernel, process)
  } finally {
    kernel.close(process)
  }
  return { command, username: sid === undefined ? '' : await findAccount(sid) }
}

async function bind() {
  const [kernel, advapi] = await Promise.all([
    bindLibrary<Kernel>('kernel32.dll', KERNEL),
    bindLibrary<Advapi>('advapi32.dll', ADVAPI),
  ])
  return { kernel, advapi }
}

async function readCommandLine(process: Handle): Promise<string> {
  const structure = (await loadNtdll()).queryProcess(process, COMMAND_LINE)
  return structure === undefined ? '' : readUnicodeString(structure, 0)
}

function readPath(kernel: Kernel, process: Handle): string {
  const path = Buffer.alloc(MAX_PATH_CHARACTERS * 2)
  return kernel.readPath(process, 0, path, [MAX_PATH_CHARACTERS]) === 0 ? '' : readWide(path)
}

/** The SID of the account that a process runs as. */
async function readUser(advapi: Advapi, kernel: Kernel, process: Handle): Promise<Buffer | undefined> {
  const token: [Handle] = [0]
  if (advapi.openToken(process, TOKEN_QUERY, token) === 0) return undefined
  const information = Buffer.alloc(TOKEN_USER_BYTES)
  const isRead = advapi.readToken(token[0], TOKEN_USER, information, TOKEN_USER_BYTES, [0]) !== 0
  kernel.close(token[0])
  return isRead ? decodeTokenUser(information, (await loadKoffi()).address(information)) : undefined
}

/** TOKEN_USER: a pointer to a SID behind it, whose length follows from the count in its second byte. */
export function decodeTokenUser(information: Buffer, address: bigint): Buffer | undefined {
  const start = Number(information.readBigUInt64LE() - address)
  const end = start + 8 + 4 * (information[start + 1] ?? 0)
  return start < 0 || end > information.length ? undefined : Buffer.from(information.subarray(start, end))
}
