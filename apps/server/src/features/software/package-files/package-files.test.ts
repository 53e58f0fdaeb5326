import { createHash, randomBytes } from 'node:crypto'
import { PackageFileOrder } from '@muster/contract/agent/package-files'
import { startFleetJob, planFleetJob } from '@muster/contract/api/fleet-jobs'
import {
  addPackageFilePart,
  createPackageFile,
  editPackageFile,
  finishPackageFile,
  listPackageFiles,
  PART_BYTES,
  removePackageFile,
} from '@muster/contract/api/package-files'
import { expect, test } from 'vitest'
import type { TestServer } from '../../../testing/test-server.ts'
import { createTestServer } from '../../../testing/test-server.ts'
import { deleteOldUploads } from './write-package-file.ts'

const CONTENT = randomBytes(PART_BYTES + 1000)
const PARTS = [CONTENT.subarray(0, PART_BYTES), CONTENT.subarray(PART_BYTES)]
const BODY = {
  name: '7-Zip 24.08',
  file_name: '7z2408-x64.msi',
  bytes: CONTENT.length,
  args: 'INSTALLDIR="C:\\7z"',
}

type Client = ReturnType<TestServer['as']>

async function upload(client: Client, body = BODY) {
  const { id } = (await client.call(createPackageFile, { body })).body
  for (const [index, part] of PARTS.entries()) await putPart(client, id, index + 1, part)
  return id
}

const putPart = (client: Client, id: number, number: number, data: Buffer) =>
  client.call(addPackageFilePart, { params: { id, number }, body: { data: data.toString('base64') } })

test('a package file arrives in parts, and can be used when all are there', async () => {
  await using server = await createTestServer()
  const ada = server.as(await server.given.user({ username: 'ada', superuser: true }))
  const { id } = (await ada.call(createPackageFile, { body: BODY })).body
  expect((await putPart(ada, id, 1, PARTS[1] ?? CONTENT)).status).toBe(400)
  expect((await putPart(ada, id, 3, PARTS[1] ?? CONTENT)).status).toBe(400)
  expect((await putPart(ada, id, 2, PARTS[1] ?? CONTENT)).status).toBe(200)
  const params = { id }
  expect(await ada.call(finishPackageFile, { params })).toMatchObject({
    error: { code: 'conflict', detail: expect.stringContaining('Send the missing parts.') },
  })
  for (const _ of [1, 2]) expect((await putPart(ada, id, 1, PARTS[0] ?? CONTENT)).status).toBe(200)
  const sha256 = createHash('sha256').update(CONTENT).digest('hex')
  const done = (await ada.call(finishPackageFile, { params })).body
  expect(done).toMatchObject({ ...BODY, format: 'msi', sha256, created_by: 'ada', detection: null })
  expect((await putPart(ada, id, 1, PARTS[0] ?? CONTENT)).status).toBe(409)

  const detection = { by: 'file', path: 'C:\\7z\\7z.exe' } as const
  const fields = { name: '7-Zip', args: '', detection }
  expect((await ada.call(editPackageFile, { params, body: fields })).body).toMatchObject(fields)
  expect((await ada.call(listPackageFiles, {})).body).toMatchObject([{ id, ...fields }])
  const old = { ...fields, modified: done.modified }
  expect((await ada.call(editPackageFile, { params, body: old })).error.code).toBe('changed_meanwhile')
  for (const file_name of ['../setup.zip', 'a\0.zip', '', 'setup$(reboot).msi', 'x'.repeat(151)])
    expect((await ada.call(createPackageFile, { body: { ...BODY, file_name } })).status).toBe(400)

  const site = await server.given.site()
  const limited = server.as(
    await server.given.user({ permissions: ['can_list_software', 'can_manage_software'], sites: [site.id] }),
  )
  expect((await limited.call(listPackageFiles, {})).body).toHaveLength(1)
  expect((await limited.call(createPackageFile, { body: BODY })).status).toBe(403)
  expect((await limited.call(removePackageFile, { params })).status).toBe(403)

  await ada.call(removePackageFile, { params })
  const left = await server.ctx.db.selectFrom('package_file_parts').select('number').execute()
  expect(left).toEqual([])
})

test('silent arguments are refused for files whose installer would ignore them', async () => {
  await using server = await createTestServer()
  const ada = server.as(await server.given.user({ superuser: true }))
  const refusal = {
    code: 'invalid',
    detail: 'Silent arguments are for MSI and EXE files only. Leave them empty.',
  }
  for (const file_name of ['tool.deb', 'tool.rpm', 'tool.pkg', 'notes.txt']) {
    const body = { ...BODY, file_name }
    expect((await ada.call(createPackageFile, { body })).error).toMatchObject(refusal)
    const { id } = (await ada.call(createPackageFile, { body: { ...body, args: '' } })).body
    const change = { name: 'Tool', args: '--quiet', detection: null }
    expect((await ada.call(editPackageFile, { params: { id }, body: change })).error).toMatchObject(refusal)
  }
  const exe = { ...BODY, file_name: 'setup.exe', args: '/S' }
  expect((await ada.call(createPackageFile, { body: exe })).body).toMatchObject({ args: '/S' })
})

test('an upload that was given up is deleted after a day', async () => {
  await using server = await createTestServer()
  const ada = server.as(await server.given.user({ superuser: true }))
  const { id } = (await ada.call(createPackageFile, { body: BODY })).body
  await deleteOldUploads(server.ctx)
  expect((await ada.call(listPackageFiles, {})).body).toMatchObject([{ id, sha256: null }])
  server.clock.freeze(new Date(Date.now() + 25 * 3_600_000).toISOString())
  await deleteOldUploads(server.ctx)
  expect(await server.ctx.db.selectFrom('package_files').select('id').execute()).toEqual([])
})

test('only the machine whose run installs the file downloads it, and only until it has ended', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  const ada = server.as(await server.given.user({ superuser: true }))
  const file = await upload(ada)
  const windows = await server.given.agent({ hostname: 'PC-1', plat: 'windows', connected: 1 })
  const linux = await server.given.agent({ hostname: 'web-1', plat: 'linux', connected: 1 })
  const draft = {
    target: { by: 'agents' as const, agents: [windows.agent_id, linux.agent_id] },
    action: { type: 'package_file' as const, file },
  }
  expect(await ada.call(planFleetJob, { body: draft })).toMatchObject({
    error: { code: 'conflict', detail: 'The upload of "7-Zip 24.08" has not finished.' },
  })
  await ada.call(finishPackageFile, { params: { id: file } })
  const plan = (await ada.call(planFleetJob, { body: draft })).body
  expect(plan).toMatchObject({
    action_text: 'Install the file "7-Zip 24.08"',
    planned: 1,
    skipped: [{ code: 'unsuitable', reason: 'Linux cannot install MSI files.' }],
  })
  const { id } = (await ada.call(startFleetJob, { body: { draft, hash: plan.hash } })).body
  await server.app.fleetJobs.idle()
  const runs = server.ctx.db.selectFrom('agent_history').selectAll().where('fleet_job_id', '=', id)
  const run = await runs.executeTakeFirstOrThrow()
  expect(run.command_name).toBe('install-file')
  const order = PackageFileOrder.parse(JSON.parse(server.ctx.secrets.decrypt(run.command_input)))
  expect(order).toMatchObject({ name: BODY.file_name, format: 'msi', args: BODY.args, bytes: CONTENT.length })
  const download = (token: string, of = run.id, headers = {}) =>
    fetch(`${url}/agent/package-files/${of}`, { headers: { authorization: `Bearer ${token}`, ...headers } })
  const change = (values: { state: 'sent' | 'done'; command_input?: string }) =>
    server.ctx.db.updateTable('agent_history').set(values).where('id', '=', run.id).execute()
  await change({ state: 'sent' })
  expect((await download('another-token-of-nobody')).status).toBe(404)
  expect((await download(order.token, run.id + 1)).status).toBe(404)
  const allowed = await download(order.token)
  expect(Buffer.from(await allowed.arrayBuffer()).equals(CONTENT)).toBe(true)
  expect(allowed.headers.get('etag')).toBe(`"${order.sha256}"`)
  // Across the border of two stored parts.
  for (const [start, end] of [
    [0, 9],
    [PART_BYTES - 5, PART_BYTES + 5],
    [CONTENT.length - 1, CONTENT.length - 1],
  ] as const) {
    const part = await download(order.token, run.id, {
      range: `bytes=${start}-${end}`,
      'if-range': `"${order.sha256}"`,
      'accept-encoding': 'gzip',
    })
    expect([part.status, part.headers.get('content-range')]).toEqual([
      206,
      `bytes ${start}-${end}/${CONTENT.length}`,
    ])
    expect(Buffer.from(await part.arrayBuffer()).equals(CONTENT.subarray(start, end + 1))).toBe(true)
  }
  await change({ state: 'done', command_input: '' })
  expect((await download(order.token)).status).toBe(404)
})
