import type { IncomingMessage, ServerResponse } from 'node:http'
import { LINK_PATH } from '@muster/contract/agent/link'
import type { Api } from '../../platform/http/route.ts'
import type { Fleet } from './fleet.ts'

/** The agents' WebSocket. A browser always sends an Origin, an agent never does. */
export function linkRoutes(api: Api, fleet: Fleet): void {
  const summary = 'WebSocket of the agents; docs/protocol.md describes it'
  const noteError = (error: Error) => api.fastify.log.debug({ err: error }, 'agent socket error')
  const answers = new WeakMap<IncomingMessage, ServerResponse>()
  api.fastify.get(
    LINK_PATH,
    {
      websocket: true,
      config: { summary },
      onRequest: (request, reply, done) => {
        answers.set(request.raw, reply.raw)
        done()
      },
    },
    (socket, request) => {
      // A link stands for weeks. Its socket would keep the request, the answer and their log until then: 10 kB a machine.
      answers.get(request.raw)?.detachSocket(request.raw.socket)
      socket.removeAllListeners('error').on('error', noteError)
      if (request.headers.origin !== undefined) return socket.close(4403, 'not for browsers')
      fleet.links.accept(socket, request.headers['x-muster-agent'], request.ip)
    },
  )
}
