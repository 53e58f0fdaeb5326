import { type Check, createCheck, editCheck } from '@muster/contract/api/checks'
import { PERMISSIONS } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import type { TestAnswer } from '../../testing/test-client.ts'
import { createTestServer } from '../../testing/test-server.ts'

// See docs/decisions/0021-check-bodies.md.
async function prepare() {
  const server = await createTestServer()
  const { agent_id } = await server.given.agent()
  const ada = server.as(await server.given.user({ permissions: PERMISSIONS }))
  // The body is written by another program and is not typed by the contract.
  const create = (body: unknown) =>
    ada.call(createCheck, { body: body as never }) as Promise<TestAnswer<Check>>
  const edit = (id: number, body: unknown) => ada.call(editCheck, { params: { id }, body: body as never })
  return { agent_id, create, edit, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

test('a check is added and changed in the flat form of the reference', async () => {
  await using prepared = await prepare()
  const { agent_id, create, edit } = prepared
  const { body: service } = await create({
    agent_id,
    check_type: 'winsvc',
    name: 'Spooler',
    svc_name: 'Spooler',
    svc_display_name: 'Print Spooler',
    restart_if_stopped: true,
    fails_b4_alert: 3,
    run_interval: 120,
  })
  expect(service).toMatchObject({
    agent_id,
    fails_b4_alert: 3,
    run_interval: 120,
    readable_desc: 'Service Print Spooler (Spooler)',
    settings: {
      check_type: 'service',
      svc_name: 'Spooler',
      svc_display_name: 'Print Spooler',
      restart_if_stopped: true,
    },
  })
  const { body: changed } = await edit(service.id, {
    check_type: 'winsvc',
    svc_name: 'Spooler',
    pass_if_svc_not_exist: true,
    modified: service.modified,
  })
  expect(changed.settings).toMatchObject({ check_type: 'service', pass_if_svc_not_exist: true })
})

test('the nested form takes winsvc too, and is otherwise unchanged', async () => {
  await using prepared = await prepare()
  const { agent_id, create } = prepared
  const settings = { check_type: 'winsvc', svc_name: 'cron' }
  expect((await create({ agent: agent_id, settings })).body.settings.check_type).toBe('service')
})

test('an invalid flat body is refused at its field', async () => {
  await using prepared = await prepare()
  const { agent_id, create } = prepared
  const wrong: [unknown, string][] = [
    [{ agent_id, check_type: 'cpuload', error_threshold: 500 }, 'settings.error_threshold'],
    [{ agent_id, check_type: 'winsvc' }, 'settings.svc_name'],
    [{ agent_id, check_type: 'winsvc', svc_name: 'Spooler', name: 'Printing' }, 'settings.name'],
    [{ agent_id, check_type: 'cpuload', email_alert: true }, 'settings.email_alert'],
    [{ agent: agent_id, agent_id: 'another', check_type: 'cpuload' }, 'settings.agent_id'],
    [{ check_type: 'cpuload' }, 'agent'],
    [{ agent_id, check_type: 'nothing' }, 'settings.check_type'],
    [{ agent_id }, 'settings'],
    [{ agent_id, check_type: 'cpuload', settings: [] }, 'settings'],
  ]
  for (const [body, at] of wrong) {
    const { status, error } = await create(body)
    expect([at, status, Object.keys(error.fields ?? {}).includes(at)]).toEqual([at, 400, true])
  }
})

test('changing one field of a check keeps its other fields', async () => {
  await using prepared = await prepare()
  const { agent_id, create, edit } = prepared
  const { body: check } = await create({
    agent_id,
    check_type: 'ping',
    name: 'Router',
    ip: '192.0.2.1',
    fails_b4_alert: 3,
    run_interval: 60,
  })
  const { settings } = check
  expect((await edit(check.id, { fails_b4_alert: 5 })).body).toMatchObject({
    settings,
    fails_b4_alert: 5,
    run_interval: 60,
  })
  const renamed = { ...settings, name: 'Gateway' }
  expect((await edit(check.id, { settings: renamed })).body).toMatchObject({
    settings: renamed,
    fails_b4_alert: 5,
    run_interval: 60,
  })
  const { status, error } = await edit(check.id, { email_alert: true })
  expect([status, error.fields]).toEqual([400, { email_alert: ['Unknown field: email_alert'] }])
})
