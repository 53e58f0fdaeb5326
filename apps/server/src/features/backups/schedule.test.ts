import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getBackups, startBackup } from '@muster/contract/api/backups'
import { getDashInfo } from '@muster/contract/api/system'
import { expect, test } from 'vitest'
import { createApp } from '../../app.ts'
import { createTestClient } from '../../testing/test-client.ts'
import { createGiven } from '../../testing/test-given.ts'
import { createTestServer } from '../../testing/test-server.ts'
import { verifyBackup } from './make-backup.ts'
import { givenInstallation, openInstallation, PASSPHRASE } from './test-installation.ts'

/** A server with a real database, which the program that writes backups opens as well. */
async function givenScheduled(options: { now?: () => Date } = {}) {
  await using stack = new AsyncDisposableStack()
  const installation = stack.use(await givenInstallation({ isNew: true }))
  const folder = join(installation.folder, 'backups')
  const backups = { folder, time: '02:30', daily: 2, weekly: 0 }
  const config = { ...installation.config, backups, backupPassphrase: PASSPHRASE }
  const ctx = stack.use(await openInstallation({ config }, options))
  const app = await createApp(ctx, { consoleFolder: installation.folder })
  stack.defer(() => app.stop())
  const given = await createGiven(ctx)
  const admin = createTestClient(app, await given.user({ superuser: true }))
  const resources = stack.move()
  return { ctx, app, given, admin, folder, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

test('a backup that a user starts is written, verified and listed, and old ones are deleted', async () => {
  await using server = await givenScheduled()
  const { admin, ctx, folder } = server
  expect((await admin.call(getBackups, {})).body).toMatchObject({
    schedule: { folder, time: '02:30', daily: 2, weekly: 0 },
    running: false,
    last: null,
    files: [],
  })
  expect((await admin.call(startBackup, {})).body).toMatchObject({ running: true })
  expect((await admin.call(startBackup, {})).status).toBe(200)
  await ctx.jobs.drain()
  const { body } = await admin.call(getBackups, {})
  expect(body).toMatchObject({
    running: false,
    last: { ok: true, message: expect.stringMatching(/^Backup written and verified: /) },
    files: [{ name: expect.stringMatching(/^muster-\d{8}T\d{6}Z\.backup$/) }],
  })
  expect(body.last_success).toBe(body.last?.finished_at)
  await verifyBackup(join(folder, body.files[0]?.name ?? ''), PASSPHRASE)
  const rows = await ctx.db.selectFrom('audit_log').select('message').execute()
  expect(rows.map(({ message }) => message)).toEqual(['Started a backup'])

  // One of an earlier day stays. Files that are not backups are not touched, nor what another process may be writing.
  const written = `muster-${new Date().toISOString().slice(0, 10).replaceAll('-', '')}T000000Z.backup.partial`
  for (const name of [
    'muster-20250101T023000Z.backup',
    'muster-20250102T023000Z.backup',
    'muster-20250102T043000Z.backup',
    'muster-20250103T043000Z.backup.partial',
    'notes.txt',
    written,
  ])
    await writeFile(join(folder, name), '')
  await ctx.jobs.enqueue('backups.run', null)
  await ctx.jobs.drain()
  expect((await admin.call(getBackups, {})).body.last).toMatchObject({
    ok: true,
    message: expect.stringMatching(/^Backup written and verified: /),
  })
  const names = await readdir(folder)
  expect(names).toEqual(expect.arrayContaining(['notes.txt', written]))
  expect(names.filter((name) => name.startsWith('muster-2025'))).toEqual(['muster-20250102T043000Z.backup'])
})

test('backups that start in one second are written one after the other, each to a file of its own', async () => {
  const at = new Date()
  await using server = await givenScheduled({ now: () => at })
  const { admin, ctx, folder } = server
  const first = `muster-${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
  for (let count = 0; count < 3; count += 1) await ctx.jobs.enqueue('backups.run', null)
  await ctx.jobs.drain()
  const { body } = await admin.call(getBackups, {})
  expect(body.last).toMatchObject({ ok: true, message: expect.stringContaining(`${first}-3.backup`) })
  // The newest of a day stays.
  expect(body.files.map(({ name }) => name)).toEqual([`${first}-3.backup`])
  await verifyBackup(join(folder, `${first}-3.backup`), PASSPHRASE)
})

test('a backup that a user starts does not make a new server repeat that of last night', async () => {
  await using server = await givenScheduled()
  const { admin, ctx } = server
  await admin.call(startBackup, {})
  await ctx.jobs.drain()
  const runs = await ctx.db
    .selectFrom('jobs')
    .select(['id', 'attempts'])
    .where('name', '=', 'backups.run')
    .execute()
  // That of last night is recorded as done without a run.
  expect(new Set(runs.map(({ attempts }) => attempts))).toEqual(new Set([0, 1]))
})

test('a failed backup is shown to users who may view the settings, until one succeeds', async () => {
  await using server = await givenScheduled()
  const { admin, ctx, folder, app, given } = server
  await writeFile(folder, 'a file where the folder should be')
  await ctx.jobs.enqueue('backups.run', null)
  await ctx.jobs.drain()
  expect((await admin.call(getBackups, {})).body).toMatchObject({
    last: { ok: false, message: expect.stringMatching(/^Failed to write the backup /) },
    last_success: null,
    files: [],
  })
  const other = createTestClient(app, await given.user({ permissions: ['can_list_agents'] }))
  expect((await admin.call(getDashInfo, {})).body.backup_failed).toBe(true)
  expect((await other.call(getDashInfo, {})).body.backup_failed).toBe(false)
  expect((await other.call(getBackups, {})).status).toBe(403)
  await rm(folder)
  await ctx.jobs.enqueue('backups.run', null)
  await ctx.jobs.drain()
  expect((await admin.call(getDashInfo, {})).body.backup_failed).toBe(false)
})

test('without a folder no backup is started', async () => {
  await using server = await createTestServer()
  const admin = server.as(await server.given.user({ superuser: true }))
  expect((await admin.call(getBackups, {})).body).toMatchObject({ schedule: null, running: false })
  expect((await admin.call(startBackup, {})).error).toMatchObject({
    code: 'conflict',
    detail: expect.stringContaining('Set MUSTER_BACKUP_FOLDER'),
  })
})
