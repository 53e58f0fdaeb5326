import { getAgent } from '@muster/contract/api/agents'
import { createCustomField } from '@muster/contract/api/custom-fields'
import { bulkAction, listFleetJobs } from '@muster/contract/api/fleet-jobs'
import { listAgentHistory } from '@muster/contract/api/runs'
import type { Input } from '@muster/contract/endpoint'
import { PERMISSIONS } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import { startFleet } from './test-fleet-jobs.ts'

type Fleet = Awaited<ReturnType<typeof startFleet>>
type Body = Input<typeof bulkAction>['body']

/** Everything that the dialog of the field sends, in every mode. */
const WHOLE: Body = {
  mode: 'command',
  target: 'all',
  monType: 'all',
  osType: 'all',
  client: null,
  site: null,
  agents: [],
  script: null,
  args: [],
  env_vars: [],
  cmd: 'true',
  shell: '/bin/bash',
  custom_shell: null,
  timeout: 30,
  run_as_user: false,
  custom_field: null,
  collector_all_output: false,
  save_to_agent_note: false,
  patchMode: 'scan',
  offlineAgents: false,
}

const send = async (fleet: Fleet, body: Partial<Body>) =>
  fleet.ada.call(bulkAction, { body: { ...WHOLE, ...body } })

test('a command reaches the machines of each target, and its result is in their history', async () => {
  await using fleet = await startFleet(2)
  const { ada, site, server, agentIds } = fleet
  const far = await server.given.agent({ connected: 1, monitoring_type: 'server' })
  const [first = ''] = agentIds
  const planned = async (body: Partial<Body>) => (await send(fleet, body)).body.detail
  expect(await planned({ target: 'all' })).toBe('Run the command "true" on 3 machines.')
  expect(await planned({ target: 'client', client: site.client_id })).toContain('on 2 machines.')
  expect(await planned({ target: 'site', site: far.site_id })).toContain('on 1 machine.')
  expect(await planned({ target: 'agents', agents: [first] })).toContain('on 1 machine.')
  expect(await planned({ monType: 'servers' })).toContain('on 1 machine.')
  expect(await planned({ monType: 'workstations' })).toContain('on 2 machines.')
  expect((await send(fleet, { osType: 'darwin' })).error.detail).toMatch(/^No machine of this target/)
  expect((await send(fleet, { target: 'client' })).error.fields).toEqual({ client: ['Choose a client.'] })
  expect((await send(fleet, { timeout: 4 })).status).toBe(400)
  await server.app.fleetJobs.idle()
  const { body: jobs } = await ada.call(listFleetJobs, {})
  expect(jobs).toHaveLength(6)
  for (const { id } of jobs) await fleet.answer(id)
  const { body: runs } = await ada.call(listAgentHistory, { params: { agent_id: first }, query: {} })
  expect(runs).toMatchObject(Array.from({ length: 4 }, () => ({ command: 'true', state: 'done' })))
})

test('offline machines are left out, unless they are asked for', async () => {
  await using fleet = await startFleet(2)
  await fleet.setConnected(fleet.agentIds[0] ?? '', 0)
  expect((await send(fleet, {})).body.detail).toContain('on 1 machine.')
  expect((await send(fleet, { offlineAgents: true })).body.detail).toContain('on 2 machines.')
})

test('the output of a script goes to a note and to a custom field, its last line or all of it', async () => {
  await using fleet = await startFleet(3)
  const { ada, server, agentIds } = fleet
  const [good = '', noisy = '', failing = ''] = agentIds
  const script = await server.given.script({ name: 'Look' })
  const { body: field } = await ada.call(createCustomField, {
    body: { model: 'agent', name: 'Found', type: 'text' },
  })
  const valueOf = async (agent_id: string) =>
    (await ada.call(getAgent, { params: { agent_id } })).body.custom_fields.find(
      (value) => value.field === field.id,
    )?.value
  const order = {
    mode: 'script',
    script: script.id,
    custom_field: field.id,
    save_to_agent_note: true,
  } as const
  const answers = async (more: Partial<Body>) => {
    const { body } = await send(fleet, { ...order, ...more })
    await server.app.fleetJobs.idle()
    await fleet.answer(body.job.id, (id) => ({
      stdout: 'one\ntwo\n',
      stderr: id === noisy ? 'oh\n' : '',
      retcode: id === failing ? 1 : 0,
    }))
    return body.job.id
  }
  const id = await answers({})
  expect(await Promise.all(agentIds.map(valueOf))).toEqual(['two', undefined, undefined])
  const machines = await fleet.list(id)
  expect(machines.find(({ agent_id }) => agent_id === noisy)).toMatchObject({
    state: 'succeeded',
    reason: 'The script printed an error, so its result was not stored.',
  })
  const runs = await server.ctx.db.selectFrom('agent_history').select('save_as_note').execute()
  expect(runs.map(({ save_as_note }) => save_as_note)).toEqual([1, 1, 1])
  await answers({ collector_all_output: true })
  expect(await valueOf(good)).toBe('one\ntwo')
  const unknown = await send(fleet, { ...order, custom_field: 4711 })
  expect(unknown.error.fields).toEqual({ 'action.custom_field': ['This custom field does not exist.'] })
  expect((await send(fleet, { ...order, script: null })).error.fields).toEqual({
    script: ['Choose a script.'],
  })
})

test('patches are scanned or installed on Windows machines', async () => {
  await using fleet = await startFleet(1)
  const { server, site } = fleet
  await server.given.agent({ site_id: site.id, plat: 'windows', connected: 1 })
  expect((await send(fleet, { mode: 'patch' })).body).toMatchObject({
    detail: 'Scan for patches on 1 machine.',
    job: { action: 'scan_patches' },
  })
  const install = await send(fleet, { mode: 'patch', patchMode: 'install' })
  expect(install.error.detail).toBe('No machine of this target can do this. The plan says why.')
  const limited = server.as(
    await server.given.user({ permissions: PERMISSIONS.filter((one) => one !== 'can_manage_winupdates') }),
  )
  const refused = await limited.call(bulkAction, { body: { ...WHOLE, mode: 'patch' } })
  expect(refused.error.code).toBe('not_allowed')
})
