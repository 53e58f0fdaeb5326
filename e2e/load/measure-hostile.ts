import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { listAgents } from '@muster/contract/api/agents'
import { createCheck } from '@muster/contract/api/checks'
import { makeToken } from '../support/seed.ts'
import type { Figure } from './budgets.ts'
import { median, percentile } from './figures.ts'
import { openHttp } from './http-client.ts'
import { cpuSeconds } from './process-figures.ts'
import { openStage, settle, type Stage } from './stage.ts'

export type HostileOrder =
  | { kind: 'enrol'; server: string; token: string }
  /** Connections that never sign in. */
  | { kind: 'knock'; server: string; connections: number; seconds: number }
  /** One enrolled machine that reports without end. */
  | { kind: 'report'; server: string; seconds: number }

export interface HostileSent {
  connects: number
  frames: number
  bytes: number
}

const MACHINES = 500
const CONNECTIONS = 8
/** Rounds alternate between quiet and attacked, so that other load affects both alike. */
const ROUNDS = 5
const ROUND_SECONDS = 2
const CALL_EVERY_MS = 10
const PAGE_EVERY_MS = 40

/** The effect of unauthenticated connections, and of one enrolled machine, on everyone else. */
export async function measureHostile(): Promise<Figure[]> {
  await using stage = await openStage({ machines: MACHINES, logLevel: 'info' })
  const { server, session, clients, started } = stage
  const [client] = clients
  if (client === undefined) throw new Error('the stage has no clients')
  await using hostile = openHostile()
  await hostile.ask({ kind: 'enrol', server: server.url, token: await makeToken(session, client) })
  await giveCheck(stage)
  await settle(() => cpuSeconds(server.pid))

  using http = openHttp(session)
  const knocked = await compare(stage, {
    call: () => http.fetchBytes('/health/'),
    everyMs: CALL_EVERY_MS,
    attack: () =>
      hostile.ask({ kind: 'knock', server: server.url, connections: CONNECTIONS, seconds: ROUND_SECONDS }),
  })
  let count = 0
  const reported = await compare(stage, {
    call: () => {
      count += 1
      const agentId = started.agentIds[(count * 37) % started.agentIds.length] ?? ''
      const pages = [
        `/agents/?client=${client.id}`,
        `/agents/${agentId}/`,
        '/clients/',
        `/agents/${agentId}/history/`,
      ]
      return http.fetchBytes(pages[count % pages.length] ?? '')
    },
    everyMs: PAGE_EVERY_MS,
    attack: () => hostile.ask({ kind: 'report', server: server.url, seconds: ROUND_SECONDS }),
  })
  return [
    { budget: 'hostileKnock', value: knocked.changeMs, remark: knocked.remark },
    {
      budget: 'hostileLog',
      value: knocked.logBytes / 1000,
      remark: `while it is attacked for ${ROUNDS * ROUND_SECONDS} s`,
    },
    { budget: 'hostileReports', value: reported.changeMs, remark: reported.remark },
  ]
}

/** One that the hostile machine can say fails. */
async function giveCheck({ session }: Stage): Promise<void> {
  const machines = await session.call(listAgents, { query: {} })
  const hostile = 'results' in machines ? undefined : machines.find(({ hostname }) => hostname === 'hostile')
  if (hostile === undefined) throw new Error('the hostile machine is not enrolled')
  const settings = { check_type: 'cpuload', warning_threshold: 70, error_threshold: 90 } as const
  await session.call(createCheck, { body: { agent: hostile.agent_id, settings } })
}

/** How the p95 of a call changes while the server is attacked. */
async function compare(
  { server }: Stage,
  {
    call,
    everyMs,
    attack,
  }: { call: () => Promise<unknown>; everyMs: number; attack: () => Promise<HostileSent> },
): Promise<{ changeMs: number; logBytes: number; remark: string }> {
  const quietMs: number[] = []
  const attackedMs: number[] = []
  const sent: HostileSent = { connects: 0, frames: 0, bytes: 0 }
  let logBytes = 0
  for (let round = 0; round < ROUNDS; round++) {
    quietMs.push(...(await timeCalls(call, everyMs)))
    const logged = sizeOf(server.program.stderr)
    const attacking = attack()
    attackedMs.push(...(await timeCalls(call, everyMs)))
    const more = await attacking
    sent.connects += more.connects
    sent.frames += more.frames
    sent.bytes += more.bytes
    await settle(() => cpuSeconds(server.pid))
    logBytes += sizeOf(server.program.stderr) - logged
  }
  const changeMs = percentile(attackedMs, 95) - percentile(quietMs, 95)
  const remark = `median ${median(quietMs).toFixed(1)} to ${median(attackedMs).toFixed(1)} ms, p95 ${percentile(quietMs, 95).toFixed(1)} to ${percentile(attackedMs, 95).toFixed(1)} ms, worst ${Math.max(...quietMs).toFixed(0)} to ${Math.max(...attackedMs).toFixed(0)} ms; ${sent.connects} connections, ${sent.frames} frames, ${(sent.bytes / 1e6).toFixed(1)} MB sent`
  return { changeMs, logBytes, remark }
}

/** At fixed times, whether or not the last call has been answered. */
async function timeCalls(call: () => Promise<unknown>, everyMs: number): Promise<number[]> {
  const timesMs: number[] = []
  const calls: Promise<void>[] = []
  const startedMs = performance.now()
  for (let at = 0; at < ROUND_SECONDS * 1000; at += everyMs) {
    await wait(Math.max(0, startedMs + at - performance.now()))
    const calledMs = performance.now()
    calls.push(call().then(() => void timesMs.push(performance.now() - calledMs)))
  }
  await Promise.all(calls)
  return timesMs
}

const sizeOf = (lines: string[]) => lines.reduce((bytes, line) => bytes + line.length + 1, 0)

function openHostile() {
  const child = fork(join(import.meta.dirname, 'hostile-process.ts'), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  return {
    async ask(order: HostileOrder): Promise<HostileSent> {
      const answered = once(child, 'message')
      child.send(order)
      const over = ended.then(() => [{ error: 'the process of the hostile machines ended' }])
      const [message] = await Promise.race([answered, over])
      // Only hostile-process.ts sends here.
      const answer = message as { sent: HostileSent } | { error: string }
      if ('error' in answer) throw new Error(answer.error)
      return answer.sent
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
