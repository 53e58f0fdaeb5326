import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { AgentError } from '../../errors.ts'
import type { SessionTools } from '../os.ts'
import { loadSessionCalls } from './session-calls.ts'
import { findSession, readUser, startInSession } from './session-process.ts'
import { readSessions } from './sessions.ts'
import { bindLibrary, type Call, loadErrors } from './win32.ts'

interface Wtsapi {
  logOff: Call<[server: 0, session: number, waits: 0]>
  sendMessage: Call<
    [
      server: 0,
      session: number,
      title: Buffer,
      titleBytes: number,
      text: Buffer,
      textBytes: number,
      style: number,
      seconds: 0,
      response: Buffer,
      waits: 0,
    ]
  >
}
const WTSAPI: Record<keyof Wtsapi, string> = {
  logOff: 'int __stdcall WTSLogoffSession(uintptr_t, uint32_t, int)',
  sendMessage:
    'int __stdcall WTSSendMessageW(uintptr_t, uint32_t, uint8_t *, uint32_t, uint8_t *, uint32_t, uint32_t, uint32_t, uint8_t *, int)',
}
/** MB_ICONINFORMATION */
const INFORMATION = 0x40

const load = () => bindLibrary<Wtsapi>('wtsapi32.dll', WTSAPI)

/** The session that dialogs are shown in. Throws AgentError if no user is signed in. */
async function requireSession(): Promise<number> {
  const calls = await loadSessionCalls()
  const id = findSession(calls)
  if (readUser(calls, id) === '') throw new AgentError('No user is signed in at this machine.')
  return id
}

/** Sessions of users. Source: Windows API, "Remote Desktop Services". */
export const windowsSessionTools: SessionTools = {
  hasUsers: async () => (await readSessions()).length > 0,
  async signOut() {
    const id = await requireSession()
    if ((await load()).logOff(0, id, 0) !== 0) return
    const { last, describe } = await loadErrors()
    throw new AgentError(`Windows refused to sign the user out: ${describe(last())}`)
  },
  /** Only a process in the session can lock it (LockWorkStation). */
  async lock() {
    await requireSession()
    const rundll = join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'rundll32.exe')
    const { exited } = await startInSession([rundll, 'user32.dll,LockWorkStation'], {
      marker: randomUUID(),
      account: 'user',
      env: {},
    })
    const code = await exited
    if (code !== 0)
      throw new AgentError(`Windows refused to lock the session (exit code ${code ?? 'unknown'}).`)
  },
  /** To the other sessions: the one at the screen sees a dialog. */
  async announce(title, text) {
    const shown = findSession(await loadSessionCalls())
    const { sendMessage } = await load()
    const [first, second] = [title, text].map((part) => Buffer.from(part, 'utf16le')) as [Buffer, Buffer]
    for (const { id } of await readSessions()) {
      if (id === shown) continue
      sendMessage(0, id, first, first.length, second, second.length, INFORMATION, 0, Buffer.alloc(4), 0)
    }
  },
}
