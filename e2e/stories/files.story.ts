import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, open, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { listAudit } from '@muster/contract/api/audit'
import { expect, type Page } from '@playwright/test'
import { machineRow } from '../support/dashboard.ts'
import { addClient, makeToken } from '../support/seed.ts'
import type { Session } from '../support/sign-in.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'

const MEGABYTE = 1024 * 1024

const files = (window: Page) => window.getByRole('grid', { name: 'Files' })
const row = (window: Page, name: string) => files(window).getByRole('row').filter({ hasText: name })

/** The tool in its own window, in a folder of the test. */
async function openFiles(page: Page, folder: string): Promise<Page> {
  const machine = machineRow(page, hostname())
  await expect(machine).toContainText('online')
  await machine.click({ button: 'right' })
  const [window] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('menuitem', { name: 'Remote background' }).click(),
  ])
  // A terminal that is left while it is opened leaves a warning in the browser.
  await expect(window.getByRole('status').filter({ hasText: /^In / })).toBeVisible()
  await window.getByRole('tab', { name: 'Files' }).click()
  for (const name of folder.split('/').filter((part) => part !== '')) {
    await window.getByRole('textbox', { name: 'Search this folder' }).fill(name)
    // Rows move while the search is applied: a double-click meets two of them.
    const first = files(window).getByRole('row').nth(1)
    await expect(first).toContainText(name)
    await first.dblclick()
    await expect(window.getByRole('button', { name, exact: true })).toHaveAttribute('aria-current')
  }
  return window
}

/** 256 MB with a unique mark in each megabyte, as a sparse file. */
async function writeLargeFile(path: string): Promise<void> {
  await using file = await open(path, 'wx')
  await file.truncate(256 * MEGABYTE)
  for (let at = 0; at < 256; at += 1) await file.write(randomBytes(4096), 0, 4096, at * MEGABYTE)
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  // Without an encoding a stream yields buffers.
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer)
  return hash.digest('hex')
}

async function auditOf(admin: Session): Promise<string[]> {
  const { audit_logs } = await admin.call(listAudit, { body: { objectFilter: ['file'] } })
  return audit_logs.map(({ message }) => message).toReversed()
}

test('files of a machine: walked, searched, downloaded whole, a folder as an archive, all written down', async ({
  admin,
  server,
  openConsole,
}) => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'muster-files-')))
  await using _ = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
  await mkdir(join(folder, 'inner'))
  await writeFile(join(folder, 'inner', 'note.txt'), 'inside')
  await writeFile(join(folder, '.hidden'), 'x')
  await symlink('/nowhere', join(folder, 'broken'))
  const big = join(folder, 'big.bin')
  execFileSync('sh', ['-c', 'head -c 200000000 /dev/urandom > "$1"', 'sh', big])
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  await using agent = await startAgent({ server: server.url, token })
  const window = await openFiles(await openConsole({ as: admin }), folder)

  await expect(row(window, '.hidden')).toBeVisible()
  await expect(row(window, 'broken').getByRole('img', { name: 'Broken link' })).toBeVisible()
  await expect(row(window, 'big.bin')).toContainText('191 MB')
  const [whole] = await Promise.all([window.waitForEvent('download'), row(window, 'big.bin').dblclick()])
  expect(whole.suggestedFilename()).toBe('big.bin')
  expect(await hashOf(await whole.path())).toBe(await hashOf(big))

  await row(window, 'inner').click({ button: 'right' })
  const [archive] = await Promise.all([
    window.waitForEvent('download'),
    window.getByRole('menuitem', { name: 'Download as archive' }).click(),
  ])
  expect(archive.suggestedFilename()).toBe('inner.tar.gz')
  const listed = execFileSync('tar', ['-tzf', await archive.path()]).toString()
  expect(listed.split('\n')).toContain('./inner/note.txt')

  await expect
    .poll(() => auditOf(admin))
    .toEqual([
      `Downloaded "${big}" (191 MB)`,
      `Started downloading "${join(folder, 'inner')}" as an archive`,
      expect.stringContaining(`Downloaded the archive of "${join(folder, 'inner')}" (`),
    ])
  agent.expectCleanLog()
})

test('files of a machine: made, renamed, given rights, edited without overwriting others, deleted', async ({
  admin,
  server,
  openConsole,
  expected,
}) => {
  expected.browser.push(/409/)
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'muster-files-')))
  await using _ = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
  await writeFile(join(folder, 'app.conf'), 'port = 1\n')
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  await using agent = await startAgent({ server: server.url, token })
  const window = await openFiles(await openConsole({ as: admin }), folder)
  const dialog = window.getByRole('dialog')
  const choose = async (name: string, entry: string) => {
    await row(window, name).click({ button: 'right' })
    await window.getByRole('menuitem', { name: entry }).click()
  }

  await window.getByRole('button', { name: 'New folder' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('old')
  await dialog.getByRole('button', { name: 'Create folder' }).click()
  await choose('old', 'Rename or move')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('new')
  await dialog.getByRole('button', { name: 'Move' }).click()
  await expect(row(window, 'new')).toBeVisible()
  await choose('app.conf', 'Permissions')
  await dialog.getByRole('textbox', { name: 'Permissions' }).fill('0600')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(row(window, 'app.conf')).toContainText('rw-------')

  await row(window, 'app.conf').dblclick()
  await expect(dialog.getByText('port = 1')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Code' }).fill('port = 2')
  const escaped = String.raw`port = 3 # "\u0000" is a NUL`
  await writeFile(join(folder, 'app.conf'), `${escaped}\n`)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(
    dialog.getByText('The file was changed on the machine. Reload it and try again.'),
  ).toBeVisible()
  await dialog.getByRole('button', { name: 'Discard changes and reload' }).click()
  await expect(dialog.getByText(escaped)).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Code' }).press('ControlOrMeta+Home')
  await window.keyboard.type('# ')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toHaveCount(0)
  expect(await readFile(join(folder, 'app.conf'), 'utf8')).toBe(`# ${escaped}\n`)

  await choose('new', 'Delete')
  await dialog.getByRole('textbox').fill('delete')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(row(window, 'new')).toHaveCount(0)
  const conf = join(folder, 'app.conf')
  expect(await auditOf(admin)).toEqual([
    `Created the folder "${join(folder, 'old')}"`,
    `Moved "${join(folder, 'old')}" to "${join(folder, 'new')}"`,
    `Set the permissions of "${conf}" to 0600`,
    `Viewed "${conf}"`,
    `Failed to edit "${conf}": it was changed on the machine`,
    `Viewed "${conf}"`,
    `Edited "${conf}" (${escaped.length + 3} B)`,
    `Deleted "${join(folder, 'new')}"`,
  ])
  agent.expectCleanLog()
})

test('a file of 256 MB is uploaded with progress, paused and gone on with, arrives whole; one that is cancelled leaves nothing', async ({
  admin,
  server,
  openConsole,
  expected,
}) => {
  expected.browser.push(/409|503|ERR_/)
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'muster-files-')))
  await using _ = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
  const source = `${folder}-source.bin`
  await using _source = { [Symbol.asyncDispose]: () => rm(source, { force: true }) }
  await writeLargeFile(source)
  const name = source.split('/').at(-1) ?? ''
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  await using agent = await startAgent({ server: server.url, token })
  const window = await openFiles(await openConsole({ as: admin }), folder)
  const uploads = window.getByRole('list', { name: 'Uploads' })
  const choose = async () => {
    const [chooser] = await Promise.all([
      window.waitForEvent('filechooser'),
      window.getByRole('button', { name: 'Upload' }).click(),
    ])
    await chooser.setFiles(source)
  }

  await choose()
  await expect(uploads.getByRole('status')).toHaveText(/^Uploading, [1-9].* of 256 MB$/)
  await uploads.getByRole('button', { name: 'Pause' }).click()
  await expect(uploads.getByRole('status')).toHaveText(/^Paused, /)
  expect(await readdir(folder)).toEqual([expect.stringMatching(/^\.muster-.*\.part$/)])
  await uploads.getByRole('button', { name: 'Resume' }).click()
  await expect(uploads.getByRole('status')).toHaveText(/^Uploaded, 256 MB of 256 MB$/)
  expect(await hashOf(join(folder, name))).toBe(await hashOf(source))
  await uploads.getByRole('button', { name: 'Close' }).click()

  await choose()
  await window.getByRole('dialog').getByRole('button', { name: 'Replace' }).click()
  await expect(uploads.getByRole('status')).toHaveText(/^Uploading, [1-9]/)
  await uploads.getByRole('button', { name: 'Cancel' }).click()
  await expect(uploads).toHaveCount(0)
  await expect.poll(() => readdir(folder)).toEqual([name])
  expect(await auditOf(admin)).toEqual([
    `Started uploading "${join(folder, name)}" (256 MB)`,
    `Uploaded "${join(folder, name)}" (256 MB)`,
    `Started uploading "${join(folder, name)}" (256 MB)`,
    `Cancelled the upload of "${join(folder, name)}"`,
  ])
  agent.expectCleanLog()
})
