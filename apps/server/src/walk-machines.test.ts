import type { Endpoint } from '@muster/contract/endpoint'
import { beforeAll, expect, test } from 'vitest'
import { AnsweringMachine } from './testing/answering-machine.ts'
import { addressIn, bodyIn, queryIn } from './testing/test-calls.ts'
import { createTestServer } from './testing/test-server.ts'
import { createWorld, type World } from './testing/test-world.ts'

// Walks every endpoint that acts on a machine, with a machine that is connected and answers.

let endpoints: readonly Endpoint[] = []
beforeAll(async () => {
  await using server = await createTestServer()
  endpoints = [...server.app.api.mounted]
})

const UNAUDITED = new Set([
  // Previews.
  'POST /automation/plan/',
  'POST /jobs/plan/',
  'POST /automation/places/:level/:id/plan/',
  // Audited when a browser loads the file.
  'POST /agents/:agent_id/files/download/',
])

/** Statuses of requests that a connected machine of the walk does not carry out. */
const REFUSED: Readonly<Record<string, number>> = {
  // Its list does not follow.
  'PUT /software/:agent_id/': 503,
  'POST /software/:agent_id/uninstall/': 409,
  // It is awake.
  'POST /agents/:agent_id/wol/': 409,
  // Nothing waits for approval.
  'POST /agents/:agent_id/approvals/': 409,
  // It opens no channels.
  'POST /agents/:agent_id/files/uploads/:upload/': 409,
  // No agent was built.
  'POST /agents/update/': 503,
}

test('every action on a machine that answers writes an audit row about it', async () => {
  await using server = await createTestServer({ env: { MUSTER_AGENT_FOLDER: '/nonexistent' } })
  const { url } = await server.listen()
  const sample = await createWorld(server, 'Walk')
  const silent: string[] = []
  const failed: string[] = []
  const asked = new Set<string>()
  for (const endpoint of endpoints) {
    if (endpoint.method === 'GET' || !concernsMachine(sample, endpoint)) continue
    const name = `${endpoint.method} ${endpoint.path}`
    const world = await createWorld(server, name)
    using machine = await AnsweringMachine.connect(server, url, world)
    const user = server.as(await server.given.user({ superuser: true }))
    await server.ctx.db.deleteFrom('audit_log').execute()
    const { status, text } = await user.send(requestOf(world, endpoint))
    const rows = await server.ctx.db.selectFrom('audit_log').select('id').execute()
    for (const command of machine.asked) asked.add(command)
    if (status !== (REFUSED[name] ?? 200)) failed.push(`${name} ${status} ${text}`)
    const isAction = status === 200 || machine.asked.length > 0
    if (isAction && rows.length === 0 && !UNAUDITED.has(name)) silent.push(name)
  }
  expect({ failed, silent }).toEqual({ failed: [], silent: [] })
  expect(asked.size, 'the machine is asked for much').toBeGreaterThan(10)
})

/** Names that the tools of a system would take for options, patterns, paths or other things than one name. */
const HOSTILE = [
  '*',
  '?',
  'a*',
  'cro?',
  '-f',
  '--root=/',
  '/x/evil.timer',
  '../x',
  './x.deb',
  'a/b',
  'a\nb',
  ' x',
]
/** Names of the walk's requests, and what else they may not be. */
const NAMES: Record<string, string[]> = {
  'cron.service': [...HOSTILE, 'cro[n].service', '[a-z]*'],
  'logrotate.timer': HOSTILE,
  cowsay: [...HOSTILE, 'cow[s]ay', 'cowsay=1.0', 'a b', 'cowsay;reboot', '@group/x', '^cow', 'cow,say'],
}

test('names that are options, patterns or paths for the tools of a machine never reach it', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  const world = await createWorld(server, 'Walk')
  using machine = await AnsweringMachine.connect(server, url, world)
  const user = server.as(await server.given.user({ superuser: true }))
  let sent = 0
  for (const endpoint of endpoints) {
    // Runs the command that its caller wrote.
    if (endpoint.path.endsWith('/uninstall/')) continue
    for (const [good, names] of Object.entries(NAMES)) {
      const request = requestOf(world, endpoint)
      if (!`${request.url}${request.payload ?? ''}`.includes(good)) continue
      for (const name of names) {
        const { status, error } = await user.send({
          ...request,
          url: request.url.replace(good, encodeURIComponent(name)),
          ...(request.payload && {
            payload: request.payload.replaceAll(JSON.stringify(good), JSON.stringify(name)),
          }),
        })
        expect([endpoint.method, endpoint.path, name, status, error.code]).toEqual([
          endpoint.method,
          endpoint.path,
          name,
          400,
          'invalid',
        ])
        sent += 1
      }
    }
  }
  expect(sent, 'the walk sends such names').toBeGreaterThan(60)
  expect(machine.asked).toEqual([])
})

function concernsMachine(world: World, endpoint: Endpoint): boolean {
  if (endpoint.access === 'public') return false
  if (endpoint.path.includes(':agent_id')) return true
  return JSON.stringify(bodyIn(world, endpoint) ?? '').includes(world.agentId)
}

function requestOf(world: World, endpoint: Endpoint) {
  const body = bodyIn(world, endpoint)
  return {
    method: endpoint.method,
    url: addressIn(world, endpoint) + queryIn(endpoint),
    ...(body !== undefined && {
      payload: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  }
}
