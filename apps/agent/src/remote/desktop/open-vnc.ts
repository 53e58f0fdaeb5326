import { createConnection, type Socket } from 'node:net'
import type { CommandInput } from '@muster/contract/agent/commands'
import { AgentError } from '../../errors.ts'
import type { OpenedDesktop } from './desktop.ts'

type VncSession = Extract<CommandInput<'open-channel'>['tool'], { tool: 'vnc' }>

const RESPONSE_TIMEOUT_MS = 8000
/** The start of every VNC connection. Nothing is sent to a server that starts differently. */
const GREETING = 'RFB '
const REASONS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'DNS is not available',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'the network is unreachable',
  ETIMEDOUT: 'timed out',
}

/** Connects to a VNC server that this machine can reach. Throws AgentError. */
export async function openVnc(
  { session, host, port }: VncSession,
  { signal }: { signal: AbortSignal },
): Promise<OpenedDesktop> {
  const target = `${host}:${port}`
  const socket = createConnection({ host, port, noDelay: true })
  const stop = () => socket.destroy(new AgentError('The session was closed.'))
  signal.addEventListener('abort', stop)
  const timer = setTimeout(() => {
    socket.destroy(new AgentError(`${target} did not respond within ${RESPONSE_TIMEOUT_MS / 1000} seconds.`))
  }, RESPONSE_TIMEOUT_MS)
  try {
    signal.throwIfAborted()
    await readGreeting(socket, target)
    const opened = {
      type: 'opened' as const,
      session,
      display: target,
      displays: [],
      server: 'VNC',
      password: null,
    }
    return { socket, opened }
  } catch (cause) {
    socket.destroy()
    throw describeReason(cause, target)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

/** Waits for the first bytes, reads them and puts them back. */
async function readGreeting(socket: Socket, target: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let seen = Buffer.alloc(0)
    const look = (bytes: Buffer) => {
      seen = Buffer.concat([seen, bytes])
      const begins = seen.subarray(0, GREETING.length).toString('latin1')
      if (!GREETING.startsWith(begins)) return reject(notVnc(target))
      if (begins.length < GREETING.length) return undefined
      socket.pause()
      socket.off('data', look)
      socket.unshift(seen)
      return resolve()
    }
    socket.on('data', look)
    socket.once('error', reject)
    socket.once('end', () => reject(notVnc(target)))
  })
}

const notVnc = (target: string) => new AgentError(`${target} is not a VNC server.`)

function describeReason(cause: unknown, target: string): unknown {
  if (cause instanceof AgentError || !(cause instanceof Error) || !('code' in cause)) return cause
  const reason = REASONS[String(cause.code)] ?? cause.message
  return new AgentError(`The machine cannot reach ${target}: ${reason}.`)
}
