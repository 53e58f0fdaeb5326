import { createClient, listClients } from '@muster/contract/api/clients'
import { listAgentHistory, sendCommand } from '@muster/contract/api/runs'
import { createNote, listNotes } from '@muster/contract/api/notes'
import { createScript, listScripts } from '@muster/contract/api/scripts'
import { ApiError, callEndpoint } from '@muster/contract/client'
import type { Endpoint, Input } from '@muster/contract/endpoint'
import { startFleet } from '@muster/fake-agent/fleet'
import { expect } from '@playwright/test'
import { addClient, makeToken } from '../support/seed.ts'
import type { Session } from '../support/sign-in.ts'
import { test } from '../support/story.ts'

const KILLS = 20
const MAX_WRITES_BEFORE_A_KILL = 40

test(`kill -9 at any moment loses no acknowledged write and doubles none, ${KILLS} times in a row`, async ({
  server,
  admin,
  expected,
}) => {
  // Each of the kills is a start of the server.
  test.setTimeout(1_800_000)
  // A job of the server whose process dies ten times in a row is given up; kills often hit the same one.
  expected.server.push(/the server ended while the job ran/)
  const client = await addClient(admin, 'Acme')
  using fleet = await startFleet({
    server: server.url,
    token: await makeToken(admin, client),
    count: 1,
    facts: () => ({ platform: 'linux' }),
  })
  const agentId = fleet.machines[0]?.agentId ?? ''
  const acknowledged = new Set<string>()
  for (let kill = 1; kill <= KILLS; kill++) {
    const { promise: enough, resolve } = Promise.withResolvers<void>()
    const killAfter = acknowledged.size + 1 + Math.floor(Math.random() * MAX_WRITES_BEFORE_A_KILL)
    const note = (name: string) => {
      acknowledged.add(name)
      if (acknowledged.size >= killAfter) resolve()
    }
    const writers = listWrites(agentId).map((write, writer) =>
      writeUntilKilled(admin, `${kill}-${writer}`, write, note),
    )
    await enough
    await server.kill()
    const cutOff = (await Promise.all(writers)).flat()
    await server.start()

    // Requests without a response are retried with the same key, and take effect once.
    for (const { name, send } of cutOff) if (await send()) acknowledged.add(name)
    const stored = await listStored(admin, agentId)
    expect(findMissing(acknowledged, stored), `after kill ${kill}`).toEqual([])
    expect(findDoubles(stored), `after kill ${kill}`).toEqual([])
  }
  expect(acknowledged.size).toBeGreaterThan(KILLS)
})

type Write = (name: string) => { endpoint: Endpoint; input: Input<Endpoint> }

/** Rows of four kinds; two of them have no unique name that would keep doubles out. */
function listWrites(agent_id: string): Write[] {
  return [
    (name) => entry(createClient, { body: { client: { name }, site: { name: 'Office' } } }),
    (name) => entry(createScript, { body: { name, shell: 'shell', script_body: 'true' } }),
    (name) => entry(createNote, { body: { agent_id, note: name } }),
    (name) => entry(createNote, { body: { agent_id, note: name } }),
    (name) =>
      entry(sendCommand, { params: { agent_id }, body: { shell: 'sh', cmd: `echo ${name}`, wait: false } }),
  ]
}

/** Keeps endpoint and input together once they are known to fit each other. */
function entry<E extends Endpoint>(endpoint: E, input: Input<E>): ReturnType<Write> {
  // The pair was checked just now; the list holds endpoints of every kind.
  return { endpoint, input: input as Input<Endpoint> }
}

interface CutOff {
  name: string
  /** Sends it again with the same key; true when the server has done it. */
  send: () => Promise<boolean>
}

async function writeUntilKilled(
  session: Session,
  prefix: string,
  write: Write,
  note: (name: string) => void,
): Promise<CutOff[]> {
  for (let number = 1; ; number++) {
    const name = `row ${prefix}-${number}`
    const { endpoint, input } = write(name)
    const send = () => sendOnce(session, name, endpoint, input)
    try {
      await send()
      note(name)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'network')
        return [{ name, send: () => sendAgain(send) }]
      throw error
    }
  }
}

async function sendOnce(
  session: Session,
  key: string,
  endpoint: Endpoint,
  input: Input<Endpoint>,
): Promise<void> {
  const headers = () => ({ ...session.headers(), 'idempotency-key': key })
  await callEndpoint(endpoint, input, { baseUrl: session.url, headers })
}

async function sendAgain(send: () => Promise<void>): Promise<boolean> {
  try {
    await send()
    return true
  } catch (error) {
    // The kill fell between the row and its answer: the server cannot know any more, and does not do it twice.
    if (error instanceof ApiError && error.code === 'conflict') return false
    throw error
  }
}

async function listStored(session: Session, agent_id: string): Promise<string[]> {
  const clients = await session.call(listClients, { query: {} })
  const scripts = await session.call(listScripts, { query: {} })
  const notes = await session.call(listNotes, { params: { agent_id }, query: {} })
  const history = await session.call(listAgentHistory, { params: { agent_id }, query: {} })
  return [
    ...clients.map(({ name }) => name),
    ...scripts.map(({ name }) => name),
    ...notes.map(({ note }) => note),
    ...history.map(({ command }) => command.replace('echo ', '')),
  ]
}

function findMissing(acknowledged: ReadonlySet<string>, stored: readonly string[]): string[] {
  const present = new Set(stored)
  return [...acknowledged].filter((name) => !present.has(name))
}

function findDoubles(stored: readonly string[]): string[] {
  const seen = new Set<string>()
  return stored.filter((name) => seen.size === seen.add(name).size)
}
