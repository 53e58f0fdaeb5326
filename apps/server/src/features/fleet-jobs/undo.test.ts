import { listAudit } from '@muster/contract/api/audit'
import { type AgentRow, getAgent, listAgents } from '@muster/contract/api/agents'
import { createCustomField } from '@muster/contract/api/custom-fields'
import { planFleetJob, retryFleetJob, startFleetJob, undoFleetJob } from '@muster/contract/api/fleet-jobs'
import { listAgentHistory } from '@muster/contract/api/runs'
import { getTimeline } from '@muster/contract/api/timeline'
import { expect, test } from 'vitest'
import { storePatches } from '../patches/store-patches.ts'
import { parsePatches } from '../patches/queries.ts'
import { patchOf } from '../patches/test-patches.ts'
import { type Draft, startFleet } from './test-fleet-jobs.ts'
import { startMachines } from './test-job-machine.ts'

type Fleet = Awaited<ReturnType<typeof startFleet>>

async function undo({ ada, server }: Fleet, id: number) {
  const { body } = await ada.call(undoFleetJob, { params: { id } })
  const { body: job } = await ada.call(startFleetJob, { body: { draft: body.draft, hash: body.plan.hash } })
  await server.app.fleetJobs.idle()
  return { plan: body.plan, id: job.id }
}

test('tags are given to and taken from machines, and undo restores those of each', async () => {
  await using fleet = await startFleet(3)
  const { ada, agentIds, server } = fleet
  const [one = '', two = '', three = ''] = agentIds
  const tagsOf = async () => {
    const { body } = await ada.call(listAgents, { query: {} })
    // Without detail=false the list holds whole rows.
    const rows = new Map((body as AgentRow[]).map(({ agent_id, tags }) => [agent_id, tags]))
    return agentIds.map((id) => rows.get(id))
  }
  const action = (add: string[], remove: string[]): Draft['action'] => ({ type: 'tags', add, remove })
  await fleet.start({ target: { by: 'agents', agents: [one] }, action: action(['VIP', 'old'], []) })
  await fleet.start({ target: { by: 'agents', agents: [two] }, action: action(['Old'], []) })
  expect(await tagsOf()).toEqual([['old', 'VIP'], ['old'], []])
  const job = await fleet.start({ action: action(['vip', 'Kiosk'], ['OLD']) })
  expect(job.action_text).toBe('Add the tags "vip", "Kiosk" and remove the tag "OLD"')
  expect(await tagsOf()).toEqual([
    ['Kiosk', 'VIP'],
    ['Kiosk', 'VIP'],
    ['Kiosk', 'VIP'],
  ])
  await fleet.start({ target: { by: 'agents', agents: [three] }, action: action(['later'], []) })
  const { id } = await undo(fleet, job.id)
  expect(await fleet.read(id)).toMatchObject({ state: 'done', undo_of: job.id, counts: { succeeded: 3 } })
  expect(await tagsOf()).toEqual([['old', 'VIP'], ['old'], ['later']])
  const nothing = await ada.call(planFleetJob, { body: { target: fleet.target, action: action([], []) } })
  expect(nothing.status).toBe(400)
  expect(server.logLines.filter(({ level }) => level === 50)).toEqual([])
})

test('the history of a machine leads to its jobs', async () => {
  await using fleet = await startFleet(1)
  const { ada, server } = fleet
  const params = { agent_id: fleet.agentIds[0] ?? '' }
  const tags = await fleet.start({ action: { type: 'tags', add: ['VIP'] } })
  const echo = await fleet.start()
  await fleet.answer(echo.id)
  const { body: runs } = await ada.call(listAgentHistory, { params, query: {} })
  expect(runs).toMatchObject([{ command: 'echo hello', job: echo.id }])
  const now = Math.floor(server.clock.now().getTime() / 1000)
  const query = { from: now - 60, to: now + 60 }
  const { entries } = (await ada.call(getTimeline, { params, query })).body
  expect(entries.filter(({ kind }) => kind === 'job')).toMatchObject([
    { id: tags.id, text: 'Add the tag "VIP"', by: 'ada', severity: null },
  ])
  const limited = server.as(await server.given.user({ permissions: ['can_list_agents'] }))
  const { body: seen } = await limited.call(getTimeline, { params, query })
  expect(seen.entries.map(({ kind }) => kind)).not.toContain('job')
})

test('moved machines return to their sites, and custom fields get their values back', async () => {
  await using fleet = await startFleet(2)
  const { ada, server, agentIds } = fleet
  const [one = ''] = agentIds
  const { body: field } = await ada.call(createCustomField, {
    body: { model: 'agent', name: 'Room', type: 'text' },
  })
  const set = (value: string): Draft['action'] => ({ type: 'custom_field', field: field.id, value })
  const { body: number } = await ada.call(createCustomField, {
    body: { model: 'agent', name: 'Desks', type: 'number' },
  })
  const wrong = { type: 'custom_field', field: number.id, value: 'many' } as const
  const refused = await ada.call(planFleetJob, { body: { target: fleet.target, action: wrong } })
  expect(refused.error.detail).toBe('Desks must be a number such as 42 or 0.5.')
  const stateOf = async (agent_id: string) => {
    const { site, custom_fields } = (await ada.call(getAgent, { params: { agent_id } })).body
    return [site, custom_fields.find((value) => value.field === field.id)?.value]
  }
  await fleet.start({ target: { by: 'agents', agents: [one] }, action: set('12a') })
  const before = await Promise.all(agentIds.map(stateOf))
  const site = await server.given.site({ name: 'Depot' })
  const moved = await fleet.start({ action: { type: 'move', site: site.id } })
  const named = await fleet.start({ action: set('Depot') })
  expect(await Promise.all(agentIds.map(stateOf))).toEqual([
    [site.id, 'Depot'],
    [site.id, 'Depot'],
  ])
  await undo(fleet, moved.id)
  await undo(fleet, named.id)
  expect(await Promise.all(agentIds.map(stateOf))).toEqual(before)
})

const patch = (guid: string, severity: 'Critical' | 'Low') => patchOf(guid, { severity })

test('patches are approved by severity, and undo returns the earlier decisions', async () => {
  await using fleet = await startFleet(3)
  const { ctx } = fleet.server
  const [one = '', two = '', none = ''] = fleet.agentIds
  const report = (agentId: string, patches: ReturnType<typeof patch>[]) => {
    const hash = String(patches.length).padStart(32, '0')
    const found = { hash, patches, left_out: 0 }
    const reports = [{ agentId, report: { kind: 'patches' as const, found, problem: null } }]
    return ctx.transaction((tx, emit) => storePatches(tx, emit, { reports, now: ctx.now() }))
  }
  await report(one, [patch('openssl', 'Critical'), patch('curl', 'Critical'), patch('vim', 'Low')])
  await report(two, [patch('openssl', 'Critical')])
  await report(none, [patch('vim', 'Low')])
  const decisions = async () => {
    const rows = await ctx.db
      .selectFrom('machine_patches')
      .innerJoin('agents', 'agents.id', 'machine_patches.agent')
      .select(['agents.agent_id', 'patches'])
      .execute()
    const found = new Map(rows.map(({ agent_id, patches }) => [agent_id, parsePatches(patches)]))
    return [one, two].map((id) => found.get(id)?.map(({ guid, action }) => `${guid} ${action}`))
  }
  const decide = (decision: 'approve' | 'ignore'): Draft['action'] => ({
    type: 'approve_patches',
    decision,
    severities: ['Critical'],
  })
  await fleet.start({ target: { by: 'agents', agents: [two] }, action: decide('ignore') })
  const { body: plan } = await fleet.ada.call(planFleetJob, {
    body: { target: fleet.target, action: decide('approve') },
  })
  expect(plan).toMatchObject({
    action_text: 'Approve all patches that are critical',
    planned: 2,
    skipped: [{ count: 1, reason: 'It can install none of these patches.' }],
  })
  const job = await fleet.start({ action: decide('approve') })
  expect(await decisions()).toEqual([['openssl approve', 'curl approve', 'vim inherit'], ['openssl approve']])
  const { body: ofOne } = await fleet.ada.call(listAudit, { body: { objectFilter: ['winupdate'] } })
  expect(ofOne.audit_logs.map(({ message }) => message)).toContain('Approved 2 patches on "PC-0"')
  await report(two, [patch('openssl', 'Critical'), patch('new', 'Critical')])
  await undo(fleet, job.id)
  expect(await decisions()).toEqual([
    ['openssl inherit', 'curl inherit', 'vim inherit'],
    ['openssl ignore', 'new inherit'],
  ])
})

test('a service gets its state and start type, and undo returns both', async () => {
  await using prepared = await startMachines()
  const { fleet, linux, windows, run } = prepared
  linux.service = { status: 'stopped', start_type: 'disabled' }
  windows.service = { status: 'running', start_type: 'auto' }
  const job = await run({ type: 'service', name: 'ssh', action: 'start', start_type: 'manual' })
  expect(job.action_text).toBe('Start the service "ssh" and set its start type to manual')
  expect([linux.service, windows.service]).toEqual([
    { status: 'running', start_type: 'manual' },
    { status: 'running', start_type: 'manual' },
  ])
  expect(await fleet.read(job.id)).toMatchObject({
    undo_text: 'Restore what was there before on the changed machines.',
    groups: [{ count: 2, line: 'The service is running, and its start type manual' }],
  })
  await undo(fleet, job.id)
  expect([linux.service, windows.service]).toEqual([
    { status: 'stopped', start_type: 'disabled' },
    { status: 'running', start_type: 'auto' },
  ])
})

const KEY = 'HKLM\\SOFTWARE\\Acme\\Agent'
const DWORD = { type: 'REG_DWORD', bytes: 'AgAAAA==' }

test('a registry value is set on Windows, and undo restores it and removes created keys', async () => {
  await using prepared = await startMachines()
  const { fleet, windows, run, server, target } = prepared
  windows.keys.add('HKLM\\SOFTWARE')
  const job = await run({ type: 'registry', path: KEY, name: 'speed', value: DWORD })
  expect(job).toMatchObject({
    action_text: `Set the value "speed" of the registry key "${KEY}" to REG_DWORD 0x00000002 (2)`,
    planned: 1,
    skipped: [{ code: 'unsuitable', reason: 'Only Windows has a registry.', count: 1 }],
  })
  expect(windows.values).toEqual(new Map([[`${KEY} speed`, { type: 4, bytes: 'AgAAAA==' }]]))
  const removal = await run({ type: 'registry', path: KEY, name: 'speed', value: null })
  expect(windows.values.size).toBe(0)
  const stored = await server.ctx.db.selectFrom('fleet_job_agents').select('before').execute()
  expect(stored.every(({ before }) => before === null || before.startsWith('{"sealed":'))).toBe(true)
  await undo(fleet, removal.id)
  expect(windows.values.get(`${KEY} speed`)).toEqual({ type: 4, bytes: 'AgAAAA==' })
  await undo(fleet, job.id)
  expect([windows.values.size, [...windows.keys]]).toEqual([0, ['HKLM\\SOFTWARE']])
  const limited = server.as(
    await server.given.user({ permissions: ['can_list_agents', 'can_edit_agent', 'can_list_agent_history'] }),
  )
  const params = { id: removal.id }
  expect((await limited.call(undoFleetJob, { params })).error?.code).toBe('not_allowed')
  const registry = { type: 'registry', path: KEY, name: '', value: null } as const
  const asked = await limited.call(planFleetJob, { body: { target, action: registry } })
  expect(asked.error?.code).toBe('not_allowed')
  const careful = server.as(
    await server.given.user({
      permissions: ['can_list_agents', 'can_use_registry'],
      codeForRemote: true,
      totp: true,
    }),
  )
  const code = await careful.call(planFleetJob, { body: { target, action: registry } })
  expect(code.error?.code).toBe('code_needed')
})

test('a text file is written, and undo restores or deletes it unless it was changed since', async () => {
  await using prepared = await startMachines()
  const { fleet, linux, run, server } = prepared
  const file = (text: string, path = '/etc/motd'): Draft['action'] => ({
    type: 'file',
    path,
    text,
    mode: 0o644,
  })
  const first = await run(file('one\n'))
  expect(first).toMatchObject({
    action_text: 'Write the file "/etc/motd" (4 B)',
    skipped: [{ reason: 'The path is for Linux and macOS, not Windows.', count: 1 }],
  })
  const second = await run(file('two\n'))
  expect(linux.files.get('/etc/motd')).toBe('two\n')
  const early = await undo(fleet, first.id)
  expect(await fleet.list(early.id)).toMatchObject([
    { state: 'failed', reason: '"/etc/motd" was changed on the machine, so it was not replaced.' },
  ])
  await undo(fleet, second.id)
  expect(linux.files.get('/etc/motd')).toBe('one\n')
  await undo(fleet, first.id)
  expect(linux.files.has('/etc/motd')).toBe(false)
  linux.files.set('/etc/app.bin', null)
  const binary = await run(file('text\n', '/etc/app.bin'))
  expect(linux.files.get('/etc/app.bin')).toBe('text\n')
  const { body } = await fleet.ada.call(undoFleetJob, { params: { id: binary.id } })
  expect(body.plan).toMatchObject({
    planned: 0,
    skipped: [{ reason: 'The previous content was not kept. The file was not UTF-8 text.' }],
  })
  const messages = (await fleet.ada.call(listAudit, { body: { objectFilter: ['file'] } })).body.audit_logs
  expect(messages.map(({ message }) => message)).toContain('Deleted "/etc/motd"')
  const wrong = await fleet.ada.call(planFleetJob, {
    body: { target: fleet.target, action: file('x', 'etc/motd') },
  })
  expect(wrong.status).toBe(400)
  expect(server.logLines.filter(({ level }) => level === 50)).toEqual([])
})

test('a retry keeps what was there before the job, not what an earlier try left', async () => {
  await using prepared = await startMachines()
  const { fleet, linux, run, server } = prepared
  const path = '/etc/motd'
  const retry = async (id: number) => {
    await fleet.ada.call(retryFleetJob, { params: { id } })
    await server.app.fleetJobs.idle()
  }
  linux.files.set(path, 'first\n')
  linux.refused.add('put-text')
  const job = await run({ type: 'file', path, text: 'new\n' })
  const [failed] = await fleet.list(job.id, { state: 'failed' })
  expect(failed).toMatchObject({ hostname: 'web-01', reason: 'web-01: The disk is full.' })
  linux.files.set(path, 'edited\n')
  await retry(job.id)
  // Written, but the server never got the response.
  linux.files.set(path, 'new\n')
  linux.refused.clear()
  await retry(job.id)
  expect(await fleet.read(job.id)).toMatchObject({ counts: { succeeded: 1, failed: 0 } })
  await undo(fleet, job.id)
  expect(linux.files.get(path)).toBe('edited\n')
})
