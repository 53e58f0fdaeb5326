// Hostile machines in a process of their own, so that what they do does not slow down the one who measures. Started by
// measure-hostile.ts: one JSON order, obeyed for so many seconds, then answered with what was sent.
import { createHash, randomUUID } from 'node:crypto'
import type { AgentFrame } from '@muster/contract/agent/agent-frame'
import { CommandPayload, commands } from '@muster/contract/agent/commands'
import {
  LINK_PATH,
  linkProof,
  PROTOCOL_VERSIONS,
  type Report,
  type ServerFrame,
} from '@muster/contract/agent/link'
import { enrolMachine } from '@muster/fake-agent/enrol'
import { AGENT_VERSION } from '@muster/fake-agent/facts'
import { signAs } from '@muster/fake-agent/identity'
import { WebSocket } from 'ws'
import type { HostileOrder, HostileSent } from './measure-hostile.ts'

/** Bounds: nothing here may grow beyond what this machine bears. */
const MAX_CONNECTS = 5000
const MAX_FRAMES = 1_000_000
const MAX_BYTES = 200_000_000
const MAX_BUFFERED_BYTES = 1024 * 1024
const SEED = 666

let agentId: string | undefined
let seq = Date.now()
/** The check from the server, and the time of its last result. */
let check: { id: number; revision: string } | undefined
let resultMs = Date.now()

process.on('message', (order: HostileOrder) => {
  const sent: HostileSent = { connects: 0, frames: 0, bytes: 0 }
  obey(order, sent).then(
    () => process.send?.({ sent }),
    (error: Error) => process.send?.({ error: error.message }),
  )
})
process.on('disconnect', () => process.exit(0))

async function obey(order: HostileOrder, sent: HostileSent): Promise<void> {
  if (order.kind === 'enrol') {
    const facts = { hostname: 'hostile', arch: 'amd64' as const }
    agentId = (await enrolMachine({ server: order.server, token: order.token, seed: SEED, index: 1, facts }))
      .agent_id
    return
  }
  const untilMs = performance.now() + order.seconds * 1000
  const link = { url: order.server.replace('http', 'ws') + LINK_PATH, untilMs, sent }
  if (order.kind === 'knock') await Promise.all(Array.from({ length: order.connections }, () => knock(link)))
  else await report(link)
}

interface Target {
  url: string
  untilMs: number
  sent: HostileSent
}

/** Sends garbage before it has signed in, and reconnects each time it is disconnected. */
async function knock({ url, untilMs, sent }: Target): Promise<void> {
  await comeAgain({ url, untilMs, sent }, 'A'.repeat(40), (socket) => {
    socket.on('open', () => flood(socket, { untilMs, sent }, () => 'x'))
  })
}

/** Signs in as any machine does, and then reports more than any machine would. */
async function report({ url, untilMs, sent }: Target): Promise<void> {
  const id = agentId
  if (id === undefined) throw new Error('not enrolled yet')
  await comeAgain({ url, untilMs, sent }, id, (socket) => {
    socket.on('message', (data: Buffer) => {
      const frame: ServerFrame = JSON.parse(data.toString('utf8'))
      if (frame.type === 'challenge') {
        const answer: AgentFrame = {
          type: 'answer',
          signature: signAs(SEED, 1, linkProof(id, frame.nonce)),
          protocols: [...PROTOCOL_VERSIONS],
          agent_version: AGENT_VERSION,
          agent_time: new Date().toISOString(),
          active: [],
          beats: true,
        }
        socket.send(JSON.stringify(answer))
      }
      if (frame.type === 'command') {
        const payload = CommandPayload.parse(JSON.parse(frame.command.payload))
        if (payload.name === 'set-checks') check = commands['set-checks'].parse(payload.input).wanted[0]
      }
      if (frame.type === 'welcome') flood(socket, { untilMs, sent }, nextReport)
    })
  })
}

/** One socket after the other until the time is over. */
async function comeAgain(
  { url, untilMs, sent }: Target,
  header: string,
  play: (socket: WebSocket) => void,
): Promise<void> {
  while (performance.now() < untilMs && sent.connects < MAX_CONNECTS) {
    sent.connects += 1
    const socket = new WebSocket(url, { headers: { 'x-muster-agent': header }, perMessageDeflate: false })
    const over = new Promise<void>((resolve) =>
      socket.on('close', () => resolve()).on('error', () => resolve()),
    )
    const timer = setTimeout(() => socket.terminate(), Math.max(0, untilMs - performance.now()))
    play(socket)
    await over
    clearTimeout(timer)
    socket.terminate()
  }
}

/** As fast as the connection takes it. */
function flood(
  socket: WebSocket,
  { untilMs, sent }: Pick<Target, 'untilMs' | 'sent'>,
  next: () => string,
): void {
  const push = () => {
    if (socket.readyState !== WebSocket.OPEN || performance.now() > untilMs) return
    for (let count = 0; count < 100 && socket.bufferedAmount < MAX_BUFFERED_BYTES; count++) {
      if (sent.frames >= MAX_FRAMES || sent.bytes >= MAX_BYTES) return
      const text = next()
      sent.frames += 1
      sent.bytes += text.length
      socket.send(text)
    }
    if (socket.bufferedAmount < MAX_BUFFERED_BYTES) setImmediate(push)
    else setTimeout(push, 1)
  }
  push()
}

/** Cycles through the reports that are expensive to store. */
function nextReport(): string {
  seq += 1
  const frame: AgentFrame = { type: 'report', seq, report: makeReport(seq % 50) }
  return JSON.stringify(frame)
}

function makeReport(turn: number): Report {
  const at = new Date().toISOString()
  if (turn === 0) {
    const hash = createHash('sha256').update(randomUUID()).digest('hex').slice(0, 32)
    return { kind: 'software', hash, inventory: { packages: makePackages(), left_out: 0 } }
  }
  if (turn % 5 === 0 && check !== undefined) return { kind: 'checks', results: makeResults(check) }
  if (turn % 4 === 1) {
    const names = Array.from({ length: 40 }, () => `disk:/${randomUUID()}`)
    return { kind: 'metrics', sample: { at, values: Object.fromEntries(names.map((name) => [name, turn])) } }
  }
  if (turn % 4 === 2) {
    const from = new Date(Date.now() - Math.floor(Math.random() * 1e9)).toISOString()
    return { kind: 'checks-dropped', count: 1, from, to: at }
  }
  if (turn % 4 === 3)
    return { kind: 'facts', facts: { logged_in_user: randomUUID(), needs_reboot: turn > 20 } }
  return { kind: 'output', history_id: 1, chunk: seq, stream: 'stdout', text: 'x'.repeat(32_768) }
}

/** Alternates between failing and passing: an alert that opens and resolves costs more than a result. */
function makeResults({ id, revision }: { id: number; revision: string }) {
  return Array.from({ length: 100 }, (_, index) => ({
    check_id: id,
    revision,
    at: new Date((resultMs += 1)).toISOString(),
    measured: { check_type: 'cpuload' as const, percent: index % 2 === 0 ? 100 : 0 },
  }))
}

function makePackages() {
  const run = randomUUID()
  return Array.from({ length: 5000 }, (_, index) => ({
    name: `package-${index}-${run.slice(0, 8)}`,
    version: '1.0',
    publisher: 'Nobody',
    source: 'dpkg' as const,
    size: index,
    install_date: null,
    uninstall: null,
  }))
}
