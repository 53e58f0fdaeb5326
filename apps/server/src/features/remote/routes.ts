import { CHANNEL_CLOSE, ChannelHello, channelPath } from '@muster/contract/channels'
import { AppError } from '@muster/contract/errors'
import { AgentId } from '@muster/contract/fields'
import type { RawData, WebSocket } from 'ws'
import type { Context } from '../../context.ts'
import { isAllowedOrigin } from '../../platform/http/origins.ts'
import type { Api } from '../../platform/http/route.ts'
import type { Fleet } from '../agents/fleet.ts'
import { ChannelHub } from './channel-hub.ts'
import { type EarlyMessage, openTool } from './open-tool.ts'

const HELLO_WITHIN_MS = 5000
const LONGEST_HELLO_BYTES = 4096

/** The consoles' sockets of channels: one for each window on a tool of a machine. */
export function remoteRoutes(api: Api, ctx: Context, fleet: Fleet): ChannelHub {
  const hub = new ChannelHub(ctx, fleet)
  api.metrics.gauge('muster_channels', 'Windows on tools of machines at this process', () => hub.size)
  api.fastify.addHook('preClose', () => hub[Symbol.asyncDispose]())
  api.fastify.get<{ Params: { agent_id: string } }>(
    channelPath(':agent_id'),
    {
      websocket: true,
      config: {
        summary: 'WebSocket of one tool on a machine, opened with a ticket; docs/protocol.md describes it',
      },
      preValidation: async (request) => {
        const { origin } = request.headers
        if (origin !== undefined && !isAllowedOrigin(ctx.config, request, origin)) {
          throw new AppError('bad_origin', 'Pages of this origin may not use this server.')
        }
        if (!AgentId.safeParse(request.params.agent_id).success) {
          throw new AppError('not_found', 'There is no such machine.')
        }
      },
    },
    (socket, request) =>
      awaitHello(socket, (hello, takeEarly) =>
        hub.run(() =>
          openTool(
            { ctx, fleet, hub },
            { socket, hello, takeEarly, agentId: request.params.agent_id, source: request.ip },
          ),
        ),
      ),
  )
  return hub
}

/** Waits for the first message, and reads no further until it is known where the rest goes. */
function awaitHello(
  socket: WebSocket,
  onHello: (hello: ChannelHello, takeEarly: () => EarlyMessage[]) => Promise<void>,
): void {
  const timer = setTimeout(() => {
    socket.close(CHANNEL_CLOSE.ticketRefused, 'No ticket came within 5 seconds.')
  }, HELLO_WITHIN_MS)
  socket.on('close', () => clearTimeout(timer))
  socket.on('error', () => socket.terminate())
  socket.once('message', (message, isBinary) => {
    clearTimeout(timer)
    // `ws` hands over one Buffer unless it is told otherwise.
    const bytes = message as Buffer
    const hello =
      isBinary || bytes.length > LONGEST_HELLO_BYTES ? undefined : readHello(bytes.toString('utf8'))
    if (hello === undefined) {
      return socket.close(CHANNEL_CLOSE.unknownMessage, 'The first message must be a hello with a ticket.')
    }
    socket.pause()
    // What came together with the hello is read already.
    const early: EarlyMessage[] = []
    const keep = (data: RawData, isOfBytes: boolean) => void early.push([data, isOfBytes])
    socket.on('message', keep)
    const takeEarly = () => {
      socket.off('message', keep)
      return early
    }
    void onHello(hello, takeEarly).finally(() => socket.resume())
  })
}

function readHello(text: string): ChannelHello | undefined {
  try {
    return ChannelHello.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
