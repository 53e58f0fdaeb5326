import { isIP, type Socket } from 'node:net'
import type { OutboundTargets } from '../../../../platform/config/config.ts'
import { kindOfAddress } from '../../../../platform/outbound/address-kind.ts'
import { connectTarget } from '../../../../platform/outbound/connect-target.ts'
import { OutboundError } from '../../../../platform/outbound/outbound-error.ts'
import { describeNetworkError } from './network-words.ts'

export interface Receiver {
  socket: Socket
  /** Only responses of public addresses are shown: channels must not read services of the server's own network. */
  isPublic: boolean
}

/** Connects to the receiver of a channel. Throws if MUSTER_CHANNEL_TARGETS forbids the address. */
export async function connectReceiver(
  { host, port }: { host: string; port: number },
  { targets, signal }: { targets: OutboundTargets; signal: AbortSignal },
): Promise<Receiver> {
  const bare = host.replace(/^\[|\]$/g, '')
  const aborted = new Promise<never>((_, reject) => {
    // Name servers may take longer than a channel waits.
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  const connecting = connectTarget({
    host: isIP(bare) === 0 ? bare.replace(/\.$/, '') : bare,
    port,
    targets,
    signal,
    setting: 'MUSTER_CHANNEL_TARGETS',
  })
  const socket = await Promise.race([connecting, aborted])
  return { socket, isPublic: kindOfAddress(socket.remoteAddress ?? '') === 'public' }
}

/** Describes a connection error. */
export function describeConnectError(error: unknown, host: string, signal: AbortSignal): string {
  if (signal.aborted) return describeNetworkError(signal.reason, host)
  return error instanceof OutboundError ? error.message : describeNetworkError(error, host)
}
