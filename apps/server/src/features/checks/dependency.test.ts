import { createCheck, deleteCheck, editCheck, listAgentChecks } from '@muster/contract/api/checks'
import { PERMISSIONS } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'

const CPU = { check_type: 'cpuload', warning_threshold: 70, error_threshold: 90 } as const
const PING = { check_type: 'ping', name: 'Router', ip: '192.0.2.1', alert_severity: 'error' } as const

async function prepare() {
  const server = await createTestServer()
  const { given } = server
  const gateway = await given.agent({ hostname: 'GW-1' })
  const pc = await given.agent({ hostname: 'PC-12' })
  const ada = server.as(await given.user({ username: 'ada', permissions: PERMISSIONS }))
  const add = async (agent: string, settings: typeof CPU | typeof PING, depends_on?: number) => {
    const { body } = await ada.call(createCheck, {
      body: { agent, settings, ...(depends_on === undefined ? {} : { depends_on }) },
    })
    return body
  }
  return {
    server,
    gateway,
    pc,
    ada,
    add,
    edit: (id: number, depends_on: number | null | undefined, as = ada) =>
      as.call(editCheck, {
        params: { id },
        body: { settings: CPU, ...(depends_on === undefined ? {} : { depends_on }) },
      }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

test('a check depends on a check of another machine, shows it, and keeps it when it is not named', async () => {
  await using prepared = await prepare()
  const { gateway, pc, ada, add, edit } = prepared
  const router = await add(gateway.agent_id, PING)
  const cpu = await add(pc.agent_id, CPU, router.id)
  expect(cpu).toMatchObject({
    depends_on: router.id,
    dependency: { id: router.id, hostname: 'GW-1', readable_desc: 'Ping Router', status: 'pending' },
  })
  expect((await edit(cpu.id, undefined)).body).toMatchObject({ depends_on: router.id })
  expect((await edit(cpu.id, null)).body).toMatchObject({ depends_on: null, dependency: null })
  await edit(cpu.id, router.id)
  await ada.call(deleteCheck, { params: { id: router.id } })
  const { body } = await ada.call(listAgentChecks, { params: { agent_id: pc.agent_id }, query: {} })
  expect(body).toMatchObject([{ depends_on: null, dependency: null }])
})

test('a direct or indirect dependency on itself is refused', async () => {
  await using prepared = await prepare()
  const { gateway, pc, add, edit } = prepared
  const first = await add(pc.agent_id, CPU)
  const second = await add(gateway.agent_id, CPU, first.id)
  const third = await add(gateway.agent_id, PING, second.id)
  expect((await edit(first.id, first.id)).error).toMatchObject({
    code: 'invalid',
    fields: { depends_on: ['A check cannot depend on itself. Choose another check.'] },
  })
  expect((await edit(first.id, third.id)).error).toMatchObject({
    fields: { depends_on: ['That check depends on this one. Choose another check.'] },
  })
  expect((await edit(first.id, 9999)).error).toMatchObject({
    fields: { depends_on: ['This check does not exist, or you may not see it.'] },
  })
})

test('an invisible check cannot be chosen, but an existing dependency on it stays', async () => {
  await using prepared = await prepare()
  const { server, gateway, pc, add, edit } = prepared
  const router = await add(gateway.agent_id, PING)
  const cpu = await add(pc.agent_id, CPU, router.id)
  const bob = server.as(
    await server.given.user({ username: 'bob', permissions: PERMISSIONS, sites: [pc.site_id] }),
  )
  expect((await edit(cpu.id, router.id, bob)).body).toMatchObject({ depends_on: router.id, dependency: null })
  expect((await edit(cpu.id, null, bob)).body).toMatchObject({ depends_on: null })
  expect((await edit(cpu.id, router.id, bob)).status).toBe(400)
})
