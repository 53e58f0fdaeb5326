import { randomBytes } from 'node:crypto'
import { listAudit } from '@muster/contract/api/audit'
import { planFleetJob, undoFleetJob } from '@muster/contract/api/fleet-jobs'
import {
  addPackageFilePart,
  createPackageFile,
  finishPackageFile,
  removePackageFile,
} from '@muster/contract/api/package-files'
import { PUSHED, PushFile } from '@muster/contract/agent/push-file'
import { rawOfText } from '@muster/rules/agents/raw-path'
import { expect, test } from 'vitest'
import { JobMachine } from './test-job-machine.ts'
import { type Draft, startFleet } from './test-fleet-jobs.ts'

const CONTENT = randomBytes(2048)

async function prepare(count: number) {
  const fleet = await startFleet(count)
  const { ada, server } = fleet
  const body = { name: 'Settings', file_name: 'app settings.bin', bytes: CONTENT.length }
  const { id: file } = (await ada.call(createPackageFile, { body })).body
  const params = { id: file, number: 1 }
  await ada.call(addPackageFilePart, { params, body: { data: CONTENT.toString('base64') } })
  const action = (more: object = {}): Draft['action'] => ({
    type: 'push_file',
    file,
    path: '/etc/app.bin',
    ...more,
  })
  const runs = (job: number) =>
    server.ctx.db.selectFrom('agent_history').selectAll().where('fleet_job_id', '=', job).execute()
  return {
    fleet,
    file,
    action,
    runs,
    finish: () => ada.call(finishPackageFile, { params: { id: file } }),
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  }
}

test('the plan names the machines that cannot have the file, with reasons', async () => {
  await using prepared = await prepare(1)
  const { fleet, file, action, finish } = prepared
  const { server, ada, site } = fleet
  const target = { by: 'all' as const }
  expect(await ada.call(planFleetJob, { body: { target, action: action() } })).toMatchObject({
    error: { code: 'conflict', detail: 'The upload of "Settings" has not finished.' },
  })
  expect((await finish()).body).toMatchObject({ format: 'other' })
  await server.given.agent({ site_id: site.id, plat: 'windows', connected: 1 })
  await server.given.agent({ site_id: site.id, plat: 'linux', connected: 0 })
  const old = await server.given.agent({ site_id: site.id, plat: 'linux', connected: 1 })
  await server.ctx.db
    .updateTable('agents')
    .set({ pushes_files: 0 })
    .where('agent_id', '=', old.agent_id)
    .execute()
  const { body: plan } = await ada.call(planFleetJob, {
    body: { target, action: action({ mode: 0o640 }), schedule: { offline: 'skip' } },
  })
  expect(plan).toMatchObject({
    action_text: 'Push the file "app settings.bin" (2 KB) to "/etc/app.bin"',
    planned: 1,
  })
  expect(plan.skipped.map(({ reason }) => reason).toSorted()).toEqual([
    'The agent is too old to write files of jobs. Update it.',
    'The machine is offline.',
    'The path is for Linux and macOS, not Windows.',
  ])
  const install = await ada.call(planFleetJob, { body: { target, action: { type: 'package_file', file } } })
  expect(install.error?.detail).toBe('"Settings" is not an installer. Push it instead.')
  for (const path of ['etc/app.bin', '/etc/', '/etc/a\0b'])
    expect((await ada.call(planFleetJob, { body: { target, action: action({ path }) } })).status).toBe(400)
})

test('each machine downloads the file by a token of its run, and the job is undone where it changed it', async () => {
  await using prepared = await prepare(4)
  const { fleet, action, runs, finish } = prepared
  const { server, ada, agentIds } = fleet
  await finish()
  const { url } = await server.listen()
  const job = await fleet.start({ action: action({ owner: 'web:www-data', overwrite: false }) })
  const rows = await runs(job.id)
  expect(rows.map(({ type, command_name }) => `${type} ${command_name}`)).toEqual(
    Array(4).fill('file_push push-file'),
  )
  const orders = rows.map((row) => PushFile.parse(JSON.parse(server.ctx.secrets.decrypt(row.command_input))))
  expect(orders[0]).toMatchObject({
    path: rawOfText('/etc/app.bin'),
    mode: null,
    owner: 'web:www-data',
    overwrite: false,
    job: job.id,
  })
  expect(new Set(orders.map(({ token }) => token)).size).toBe(4)
  const [first, second] = rows
  const download = (run = 0, token = '') =>
    fetch(`${url}/agent/package-files/${run}`, { headers: { authorization: `Bearer ${token}` } })
  await server.ctx.db
    .updateTable('agent_history')
    .set({ state: 'sent' })
    .where('fleet_job_id', '=', job.id)
    .execute()
  const got = await download(first?.id, orders[0]?.token)
  expect(Buffer.from(await got.arrayBuffer()).equals(CONTENT)).toBe(true)
  expect((await download(second?.id, orders[0]?.token)).status).toBe(404)
  const lines = new Map([
    [agentIds[0], PUSHED.created],
    [agentIds[1], `${PUSHED.lost}The former file was larger than 64 MB.`],
    [agentIds[2], PUSHED.skipped],
    [agentIds[3], PUSHED.replaced],
  ])
  await fleet.answer(job.id, (agentId) => ({ stdout: `Trying again\n${lines.get(agentId)}\n` }))
  expect((await download(first?.id, orders[0]?.token)).status).toBe(404)
  expect(await fleet.read(job.id)).toMatchObject({
    counts: { succeeded: 4 },
    undo_text: 'Restore what was there before on the changed machines.',
  })
  const { plan } = (await ada.call(undoFleetJob, { params: { id: job.id } })).body
  expect(plan.planned).toBe(2)
  expect(plan.skipped.map(({ reason }) => reason).toSorted()).toEqual([
    'The former file was larger than 64 MB.',
    'The job has not changed this machine.',
  ])
  const messages = (await ada.call(listAudit, { body: { objectFilter: ['file'] } })).body.audit_logs
  expect(messages.map(({ message }) => message)).toContain('Pushed a file to "/etc/app.bin" on "PC-0"')
})

test('undo asks the machine to restore the file that the job replaced', async () => {
  await using prepared = await prepare(0)
  const { fleet, action, finish } = prepared
  const { server } = fleet
  await finish()
  const { url } = await server.listen()
  using machine = await JobMachine.start(server, {
    url,
    siteId: fleet.site.id,
    hostname: 'web-01',
    plat: 'linux',
  })
  const target = { by: 'agents' as const, agents: [machine.agent.agentId] }
  const job = await fleet.start({ target, action: action() })
  await fleet.answer(job.id, { stdout: `${PUSHED.replaced}\n` })
  const { draft, plan } = (await fleet.ada.call(undoFleetJob, { params: { id: job.id } })).body
  machine.refused.add('undo-push')
  const undone = await fleet.start(draft)
  expect(plan.planned).toBe(1)
  expect(await fleet.list(undone.id)).toMatchObject([
    { state: 'failed', reason: 'web-01: The disk is full.' },
  ])
  machine.refused.clear()
  const again = await fleet.start(draft)
  expect(await fleet.list(again.id)).toMatchObject([{ state: 'succeeded', line: 'Restored' }])
  expect(machine.undone).toEqual([job.id])
  const messages = (await fleet.ada.call(listAudit, { body: { objectFilter: ['file'] } })).body.audit_logs
  expect(messages.map(({ message }) => message)).toContain('Restored "/etc/app.bin"')
})

test('a role needs the files of machines and the list of stored files, and reaches only its own machines', async () => {
  await using prepared = await prepare(1)
  const { fleet, file, action, finish } = prepared
  const { server, site } = fleet
  await finish()
  const other = await server.given.site()
  await server.given.agent({ site_id: other.id, hostname: 'foreign', connected: 1 })
  const body = { target: { by: 'all' as const }, action: action() }
  const plan = async (permissions: ('can_manage_files' | 'can_list_software' | 'can_list_agents')[]) => {
    const user = server.as(await server.given.user({ permissions, sites: [site.id] }))
    const found = await user.call(planFleetJob, { body })
    return found.status === 200 ? found.body.machines.map(({ hostname }) => hostname) : found.error.code
  }
  expect(await plan(['can_list_agents', 'can_manage_files'])).toBe('not_allowed')
  expect(await plan(['can_list_agents', 'can_list_software'])).toBe('not_allowed')
  expect(await plan(['can_list_agents', 'can_list_software', 'can_manage_files'])).toEqual(['PC-0'])
  await fleet.ada.call(removePackageFile, { params: { id: file } })
  expect((await fleet.ada.call(planFleetJob, { body })).error?.code).toBe('not_found')
})
