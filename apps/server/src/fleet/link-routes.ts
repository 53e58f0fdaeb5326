import type { IncomingMessage, ServerResponse } from 'node:http'
import { LINK_PATH, MAX_SIGN_IN_BYTES } from '@muster/contract/agent/link'
import type { Api } from '../platform/http/route.ts'
import type { Fleet } from './fleet.ts'

/**
 * Ten thousand agents behind one address may reconnect at the same moment, each with a few hundred bytes. The largest
 * possible answer has 210 kB: 10,000 runs and 1,000 sessions.
 */
export const AGENT_GATE_LIMITS = {
  perSource: 12_000,
  total: 30_000,
  bytes: MAX_SIGN_IN_BYTES + 4096,
  bytesPerSource: 64 * 1024 * 1024,
}

/** The agents' WebSocket. A browser always sends an Origin, an agent never does. */
export function linkRoutes(api: Api, fleet: Fleet): void {
  const summary = 'WebSocket of the agents, described in docs/protocol.md'
  const noteError = (error: Error) => api.fastify.log.debug({ err: error }, 'agent socket error')
  const gate = api.agentGate
  api.fastify.server.on('connection', () => fleet.links.pace.noteConnection())
  api.fastify.server.on('request', () => fleet.links.pace.noteRequest())
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
      preValidation: async (request) => {
        await fleet.links.pace.turn()
        gate.requireRoom(request.ip)
      },
    },
    (socket, request) => {
      // A link lasts for weeks. Otherwise its socket would keep the request, the response and their log: 10 kB per
      // agent.
      answers.get(request.raw)?.detachSocket(request.raw.socket)
      socket.removeAllListeners('error').on('error', noteError)
      const onSignedIn = gate.enter(socket, request.raw.socket, request.ip)
      if (request.headers.origin !== undefined) return socket.close(4403, 'not for browsers')
      fleet.links.accept(socket, request.headers['x-muster-agent'], { source: request.ip, onSignedIn })
    },
  )
}
