import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import type { CommandInput } from '@muster/contract/agent/commands'
import { z } from 'zod'
import { AgentError } from '../../errors.ts'
import type { Log } from '../../log/log.ts'
import { isWine } from '../../os/windows/desktop/bind-desktop.ts'
import { startInSession } from '../../os/windows/session-process.ts'
import { bindLibrary } from '../../os/windows/win32.ts'
import type { OpenedDesktop } from './desktop.ts'

type DesktopSession = Extract<CommandInput<'open-channel'>['tool'], { tool: 'desktop' }>

const READY_MS = 20_000
const MAX_GREETING_BYTES = 16 * 1024
export const ALL_MONITORS = 'All monitors'

/** Input of the desktop process, as JSON in the environment variable MUSTER_DESKTOP. */
export const DesktopRequest = z.object({
  pipe: z.string(),
  secret: z.string(),
  monitor: z.string().nullable(),
})
export type DesktopRequest = z.infer<typeof DesktopRequest>

/** The first line from the desktop process. RFB follows. */
const DesktopGreeting = z.object({
  secret: z.string(),
  /** The shown one of `monitors`. */
  monitor: z.string(),
  monitors: z.array(z.string()),
  /** Why the desktop cannot be shown. */
  error: z.string().optional(),
})
export type DesktopGreeting = z.infer<typeof DesktopGreeting>

/** The only line of a later connection: Ctrl+Alt+Del was pressed. Windows takes it from services only. */
const DesktopAttention = z.object({ secret: z.string(), attention: z.literal(true) })
export type DesktopAttention = z.infer<typeof DesktopAttention>

const DesktopLine = z.union([DesktopAttention, DesktopGreeting])

/**
 * Shows the desktop of Windows by a process of this agent in the session of the signed-in user, because a service has
 * no screen. It connects to a named pipe. Throws AgentError.
 */
export async function openWindowsDesktop(
  { session, display }: DesktopSession,
  { program, signal, log }: { program: readonly string[]; signal: AbortSignal; log: Log },
): Promise<OpenedDesktop> {
  const request: DesktopRequest = {
    pipe: `\\\\.\\pipe\\muster-desktop-${randomUUID()}`,
    secret: randomBytes(32).toString('base64url'),
    monitor: display,
  }
  const gone = new AbortController()
  const server = createServer()
  const ending = AbortSignal.any([signal, gone.signal, AbortSignal.timeout(READY_MS)])
  try {
    await listen(server, request.pipe)
    const { exited } = await startInSession([...withoutFlags(program), 'desktop'], {
      marker: session,
      account: 'system',
      env: { MUSTER_DESKTOP: JSON.stringify(request) },
    })
    void exited.then((code) => {
      log.info({ session, code }, 'the desktop process exited')
      gone.abort(new AgentError(`The desktop process exited with code ${code}.`))
    })
    const { socket, greeting } = await greet(server, { secret: request.secret, ending, log })
    if (greeting.error !== undefined) {
      socket.destroy()
      throw new AgentError(greeting.error)
    }
    socket.once('close', () => server.close())
    return {
      socket,
      opened: {
        type: 'opened',
        session,
        display: greeting.monitor,
        displays: greeting.monitors.slice(0, 50),
        server: 'Muster',
        password: null,
      },
    }
  } catch (cause) {
    server.close()
    if (cause instanceof DOMException && cause.name === 'TimeoutError')
      throw new AgentError(`The desktop process did not respond within ${READY_MS / 1000} seconds.`, {
        cause,
      })
    throw cause
  }
}

/** Ctrl+Alt+Del by SendSAS, which does nothing unless a policy of the machine allows it to services. */
async function sendAttention(log: Log): Promise<void> {
  try {
    // It ends programs that call functions which it does not have.
    if (await isWine()) throw new Error('Wine has no SendSAS')
    const declarations = { send: 'void __stdcall SendSAS(int)' }
    const { send } = await bindLibrary<{ send: (asUser: 0) => void }>('sas.dll', declarations)
    send(0)
    log.info({}, 'requested Ctrl+Alt+Del from Windows')
  } catch (cause) {
    log.warn({ cause }, 'failed to request Ctrl+Alt+Del from Windows')
  }
}

/** The flags of an agent that is idle most of the time make its code slow. */
function withoutFlags([node = '', ...rest]: readonly string[]): string[] {
  return [node, ...rest.slice(-1)]
}

async function listen(server: Server, pipe: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(pipe, resolve)
  })
}

/** Other programs of the machine may connect too: they do not know the secret, and get nothing. */
function greet(
  server: Server,
  { secret, ending, log }: { secret: string; ending: AbortSignal; log: Log },
): Promise<{ socket: Socket; greeting: DesktopGreeting }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ socket: Socket; greeting: DesktopGreeting }>()
  const waiting = new Set<Socket>()
  const stop = () => {
    for (const socket of waiting) socket.destroy()
    reject(ending.reason)
  }
  if (ending.aborted) stop()
  else ending.addEventListener('abort', stop)
  server.on('connection', (socket) => {
    waiting.add(socket)
    socket.once('error', () => socket.destroy()).once('close', () => waiting.delete(socket))
    socket.setTimeout(READY_MS, () => socket.destroy())
    readLine(socket, (text) => {
      const line = readMessage(text)
      if (line === undefined || !isSame(line.secret, secret)) return socket.destroy()
      if ('attention' in line) {
        socket.destroy()
        return void sendAttention(log)
      }
      socket.setTimeout(0)
      waiting.delete(socket)
      for (const other of waiting) other.destroy()
      ending.removeEventListener('abort', stop)
      return resolve({ socket, greeting: line })
    })
  })
  return promise
}

/** Takes the first line of a stream. What follows is put back, and the stream pauses. */
function readLine(socket: Socket, onLine: (line: string) => void): void {
  let seen = Buffer.alloc(0)
  const take = (bytes: Buffer) => {
    seen = Buffer.concat([seen, bytes])
    const end = seen.indexOf('\n')
    if (end < 0 && seen.length < MAX_GREETING_BYTES) return
    socket.pause()
    socket.off('data', take)
    if (end >= 0 && end + 1 < seen.length) socket.unshift(seen.subarray(end + 1))
    onLine(seen.toString('utf8', 0, Math.max(end, 0)))
  }
  socket.on('data', take)
}

function readMessage(line: string): z.infer<typeof DesktopLine> | undefined {
  try {
    return DesktopLine.parse(JSON.parse(line))
  } catch {
    // Another program has connected.
    return undefined
  }
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
