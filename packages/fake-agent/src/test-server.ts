import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type CommandPayload, commandProof } from '@muster/contract/agent/commands'
import { ENROL_PATH, enrolProof, EnrolRequest } from '@muster/contract/agent/enrol'
import { AgentFrame } from '@muster/contract/agent/agent-frame'
import { LINK_PATH, linkProof, type Report, type ServerFrame } from '@muster/contract/agent/link'
import { type WebSocket, WebSocketServer } from 'ws'
import { importPublicKey, isSignedBy } from './identity.ts'

/** The agent side of a server, as small as the contract allows; it stores what it receives. */
export interface TestServer extends AsyncDisposable {
  url: string
  reports: { agentId: string; report: Report }[]
  sockets: Map<string, WebSocket>
  /** The last reported version of the checks of each machine. */
  checksVersions: Map<string, number | undefined>
  /** Interval of requested heartbeats. */
  beatMs: number | undefined
  /** Received heartbeats. */
  beats: number
  /** Reports are stored but not acknowledged while this is false. */
  acknowledges: boolean
  send(agentId: string, frame: ServerFrame): void
  sendCommand(agentId: string, payload: Partial<CommandPayload>): void
  /** The reports of one run, as `kind` or `kind:outcome`. */
  story(historyId: number): string[]
}

export async function startTestServer(): Promise<TestServer> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const commandKey = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64url')
  const keys = new Map<string, string>()
  const http = createServer((request, response) => {
    enrol(request).then(
      (answer) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
      (error: Error) => response.writeHead(400).end(error.message),
    )
  })
  const links = new WebSocketServer({ server: http, path: LINK_PATH })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  // A TCP server on a port has such an address.
  const { port } = http.address() as AddressInfo

  const server: TestServer = {
    url: `http://127.0.0.1:${port}`,
    reports: [],
    sockets: new Map(),
    checksVersions: new Map(),
    beatMs: undefined,
    beats: 0,
    acknowledges: true,
    send: (agentId, frame) => server.sockets.get(agentId)?.send(JSON.stringify(frame)),
    sendCommand(agentId, payload) {
      const full: CommandPayload = {
        protocol: 1,
        agent_id: agentId,
        author: 'ada',
        issued_at: new Date().toISOString(),
        expires_at: new Date(Date.now() + 60_000).toISOString(),
        nonce: `nonce-${Math.random()}`.padEnd(20, '0'),
        history_id: 1,
        name: 'run-command',
        input: {},
        ...payload,
      }
      const text = JSON.stringify(full)
      const signature = sign(null, Buffer.from(commandProof(text)), privateKey).toString('base64url')
      this.send(agentId, { type: 'command', command: { payload: text, signature, person_signature: null } })
    },
    story: (historyId) =>
      server.reports.flatMap(({ report }) => {
        if (!('history_id' in report) || report.history_id !== historyId) return []
        if (report.kind === 'output') return [`output:${report.text}`]
        return [report.kind === 'result' ? `result:${report.outcome}` : report.kind]
      }),
    async [Symbol.asyncDispose]() {
      for (const socket of links.clients) socket.terminate()
      http.closeAllConnections()
      http.close()
      await once(http, 'close')
    },
  }
  links.on('connection', (socket, request) => welcome(server, socket, { request, keys }))
  return server

  async function enrol(request: IncomingMessage) {
    if (request.url !== ENROL_PATH) throw new Error('unknown address')
    const body = EnrolRequest.parse(JSON.parse(await text(request)))
    if (!isSignedBy(importPublicKey(body.public_key), enrolProof(body), body.signature))
      throw new Error('bad proof')
    const agentId = `agent${body.machine_key.slice(0, 20)}`
    const reattached = keys.has(agentId)
    keys.set(agentId, body.public_key)
    return { agent_id: agentId, command_key: commandKey, reattached }
  }
}

function welcome(
  server: TestServer,
  socket: WebSocket,
  { request, keys }: { request: IncomingMessage; keys: Map<string, string> },
): void {
  const agentId = String(request.headers['x-muster-agent'])
  const nonce = `challenge-${Math.random()}`
  const say = (frame: ServerFrame) => socket.send(JSON.stringify(frame))
  socket.on('message', (data: Buffer) => {
    const frame = AgentFrame.parse(JSON.parse(data.toString()))
    if (frame.type === 'answer') {
      const key = importPublicKey(keys.get(agentId) ?? '')
      if (!isSignedBy(key, linkProof(agentId, nonce), frame.signature)) return socket.close(4403)
      server.sockets.set(agentId, socket)
      server.checksVersions.set(agentId, frame.checks_version)
      const beat = server.beatMs === undefined ? {} : { beat_ms: server.beatMs }
      say({ type: 'welcome', protocol: 1, server_version: '1', ...beat })
    } else if (frame.type === 'report') {
      server.reports.push({ agentId, report: frame.report })
      if (server.acknowledges) say({ type: 'ack', seq: frame.seq })
    }
  })
  socket.on('pong', () => (server.beats += 1))
  say({ type: 'challenge', nonce, server_time: new Date().toISOString(), protocols: [1] })
}
