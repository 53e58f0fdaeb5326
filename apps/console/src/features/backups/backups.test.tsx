import { listAgents } from '@muster/contract/api/agents'
import { type Backups, getBackups, startBackup } from '@muster/contract/api/backups'
import type { Permission } from '@muster/contract/permissions'
import { beforeEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { givenSession, openConsole } from '../../testing/test-console.tsx'
import { givenFrame } from '../../testing/test-frame.ts'
import { answer } from '../../testing/test-server.ts'

beforeEach(async () => {
  await page.viewport(1280, 800)
  givenSession({ token: 'abc', username: 'ada', name: 'Ada Winter' })
})

const SCHEDULED: Backups = {
  schedule: { folder: '/mnt/backups', time: '02:30', daily: 7, weekly: 1 },
  running: false,
  last: null,
  last_success: null,
  files: [],
}

function givenServer({
  backups,
  failed = false,
  permissions,
}: {
  backups: Backups
  failed?: boolean
  permissions?: Permission[]
}) {
  const server = givenFrame({
    info: { backup_failed: failed },
    ...(permissions === undefined ? {} : { me: { is_superuser: false, permissions } }),
  })
  server.on(listAgents, () => answer(listAgents, []))
  server.on(getBackups, () => answer(getBackups, backups))
  server.on(startBackup, () => answer(startBackup, { ...backups, running: true }))
  return server
}

const dialog = page.getByRole('dialog', { name: 'Backups' })

test('without a schedule the dialog says which settings to set', async () => {
  givenServer({ backups: { ...SCHEDULED, schedule: null } })
  await openConsole('/?dialog=backups')
  await expect.element(dialog.getByText('No backups are scheduled.')).toBeVisible()
  await expect.element(dialog.getByText('MUSTER_BACKUP_FOLDER')).toBeVisible()
  expect(dialog.getByRole('button', { name: 'Back up now' }).elements()).toEqual([])
})

test('the dialog shows schedule and files, and starts a backup', async () => {
  const server = givenServer({
    backups: {
      ...SCHEDULED,
      last: {
        started_at: '2026-11-26T02:30:00.000Z',
        finished_at: '2026-11-26T02:31:00.000Z',
        message: 'Backup written and verified.',
        ok: true,
      },
      files: [{ name: 'muster-20261126T023000Z.backup', at: '2026-11-26T02:30:00.000Z', bytes: 52_428_800 }],
    },
  })
  await openConsole('/?dialog=backups')
  await expect.element(dialog.getByText(/^Every day at 02:30 \(server time\) to/)).toBeVisible()
  await expect.element(dialog.getByText('Kept: the newest of 7 days and of 1 week.')).toBeVisible()
  const files = dialog.getByRole('list', { name: 'Files' })
  await expect.element(files.getByText('muster-20261126T023000Z.backup')).toBeVisible()
  await expect.element(files.getByText(/^50\s?MB$/)).toBeVisible()
  await expect.element(dialog.getByText(/^Last backup: written and verified/)).toBeVisible()
  await dialog.getByRole('button', { name: 'Back up now' }).click()
  await expect.element(dialog.getByText('A backup is being written and verified.')).toBeVisible()
  expect(server.calls(startBackup)).toHaveLength(1)
})

test('a failed backup is announced above every screen, with its reason in the dialog', async () => {
  givenServer({
    failed: true,
    permissions: ['can_view_core_settings', 'can_list_agents'],
    backups: {
      ...SCHEDULED,
      last: {
        started_at: '2026-11-26T02:30:00.000Z',
        finished_at: '2026-11-26T02:31:00.000Z',
        message: 'Failed to write the backup /mnt/backups/x: The disk is full.',
        ok: false,
      },
      last_success: '2026-11-25T02:31:00.000Z',
    },
  })
  await openConsole('/')
  await expect.element(page.getByText('The last backup of the server failed.')).toBeVisible()
  await page.getByRole('button', { name: 'Show backups' }).click()
  await expect.element(dialog.getByText(/The disk is full\./)).toBeVisible()
  await expect.element(dialog.getByText(/last success/)).toBeVisible()
  expect(dialog.getByRole('button', { name: 'Back up now' }).elements()).toEqual([])
})
