import { AgentError } from '../../errors.ts'
import { bindLibrary, type Call, type Handle, loadErrors, loadKoffi, readWide } from './win32.ts'

interface Wtsapi {
  list: Call<[server: 0, reserved: 0, version: 1, sessions: [Handle], count: [number]]>
  read: Call<[server: 0, session: number, kind: number, text: [Handle], bytes: [number]]>
  free: (memory: Handle) => void
}
const WTSAPI: Record<keyof Wtsapi, string> = {
  list: 'int __stdcall WTSEnumerateSessionsW(uintptr_t, uint32_t, uint32_t, _Out_ uintptr_t *, _Out_ uint32_t *)',
  read: 'int __stdcall WTSQuerySessionInformationW(uintptr_t, uint32_t, int, _Out_ uintptr_t *, _Out_ uint32_t *)',
  free: 'void __stdcall WTSFreeMemory(uintptr_t)',
}
/** WTS_SESSION_INFOW on 64 bits: the number, a pointer to a name, and the state. */
const SESSION_BYTES = 24
const STATE_AT = 16
const ACTIVE = 0
const [USER_NAME, DOMAIN_NAME] = [5, 7] as const

export interface Session {
  id: number
  isActive: boolean
  user: string
  domain: string
}

let loaded: Promise<Wtsapi> | undefined

/** Sessions with a user: at the machine, by remote desktop, or disconnected. Source: Windows API, "WTS". */
export async function readSessions(): Promise<Session[]> {
  const { list, read, free } = await (loaded ??= bindLibrary<Wtsapi>('wtsapi32.dll', WTSAPI))
  const { view } = await loadKoffi()
  const memory: [Handle] = [0]
  const size: [number] = [0]
  if (list(0, 0, 1, memory, size) === 0) {
    const { last, describe } = await loadErrors()
    throw new AgentError(`Failed to list the sessions: ${describe(last())}`)
  }
  const sessions = Buffer.from(Buffer.from(view(memory[0], size[0] * SESSION_BYTES)))
  free(memory[0])
  return Array.from({ length: size[0] }, (_, index) => {
    const id = sessions.readUInt32LE(index * SESSION_BYTES)
    const isActive = sessions.readUInt32LE(index * SESSION_BYTES + STATE_AT) === ACTIVE
    return { id, isActive, user: readText(id, USER_NAME), domain: readText(id, DOMAIN_NAME) }
  }).filter(({ user }) => user !== '')

  /** Empty for a session that has just ended. */
  function readText(session: number, kind: number): string {
    const [text, bytes]: [[Handle], [number]] = [[0], [0]]
    if (read(0, session, kind, text, bytes) === 0) return ''
    const found = bytes[0] === 0 ? '' : readWide(Buffer.from(view(text[0], bytes[0])))
    free(text[0])
    return found
  }
}
