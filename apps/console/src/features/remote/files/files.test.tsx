import type { FileEntry } from '@muster/contract/agent/files'
import {
  beginUpload,
  finishUpload,
  listFolder,
  lookAtUpload,
  readFileAccess,
  readText,
  startDownload,
  UPLOAD_BYTES_PATH,
  writeText,
} from '@muster/contract/api/files'
import type { Endpoint } from '@muster/contract/endpoint'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, refuse } from '../../../testing/test-server.ts'
import { getAgent } from '@muster/contract/api/agents'
import { rawOfText } from '@muster/rules/agents/raw-path'
import { Upload } from './upload.ts'
import { givenDashboard, testDetail } from '../../dashboard/test-dashboard.ts'

const GET_BYTES: Endpoint = { ...startDownload, method: 'GET' }
const PUT_BYTES: Endpoint = { ...startDownload, method: 'PUT', path: UPLOAD_BYTES_PATH }
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (char) => char.codePointAt(0) ?? 0)
const raw = (name: string) => btoa(name).replaceAll('=', '')

const entry = (name: string, more: Partial<FileEntry> = {}): FileEntry => ({
  raw: raw(name),
  name,
  kind: 'file',
  size: 68,
  modified_ms: 1772366400000,
  mode: 0o644,
  attributes: null,
  owner: 'root',
  group: 'root',
  target: null,
  ...more,
})
const row = (name: string) =>
  page.getByRole('grid', { name: 'Files' }).getByRole('row').filter({ hasText: name })
const dialog = () => page.getByRole('dialog')

async function openFiles(...entries: FileEntry[]) {
  const { server, open } = await givenDashboard()
  const part = { path: 'Lw', shown_path: '/', entries, total: entries.length, next: null }
  server.on(listFolder, () => answer(listFolder, part))
  server.on(startDownload, () =>
    answer(startDownload, {
      url: '/agents/alpha0000000/files/download/?ticket=x',
      expires_at: '2026-03-01T13:00:00.000Z',
    }),
  )
  await open('/remotebackground/alpha0000000')
  await page.getByRole('tab', { name: 'Files' }).click()
  return server
}

test('a picture is drawn from its bytes, other content is not', async () => {
  const server = await openFiles(entry('logo.png'), entry('page.png.jpg'))
  server.on(GET_BYTES, () => new Response(bytesOf(PIXEL)))
  await row('logo.png').dblClick()
  await expect.element(dialog().getByText('1 × 1 pixels')).toBeVisible()
  expect(dialog().getByRole('img', { name: 'logo.png' }).element().getAttribute('src')).toMatch(/^blob:/)
  await userEvent.keyboard('{Escape}')
  await expect.element(dialog()).not.toBeInTheDocument()

  for (const body of ['<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', '<html>']) {
    server.on(GET_BYTES, () => new Response(body))
    await row('page.png.jpg').dblClick()
    await expect.element(dialog().getByText(/^Not a picture/)).toBeVisible()
    expect(dialog().getByRole('img', { name: 'page.png.jpg' }).query()).toBeNull()
    await userEvent.keyboard('{Escape}')
    await expect.element(dialog()).not.toBeInTheDocument()
  }
  const damaged = bytesOf(PIXEL).subarray(0, 40)
  server.on(GET_BYTES, () => new Response(damaged))
  await row('logo.png').dblClick()
  await expect.element(dialog().getByText(/^Damaged picture/)).toBeVisible()
})

test('a picture of an offline machine or of large size shows an error', async () => {
  const server = await openFiles(entry('logo.png'))
  server.on(GET_BYTES, () => refuse('agent_offline', 'alpha is not connected.'))
  await row('logo.png').dblClick()
  await expect.element(dialog().getByText('alpha is not connected.')).toBeVisible()
  server.on(
    GET_BYTES,
    () => new Response(bytesOf(PIXEL), { headers: { 'content-length': `${30 * 1024 * 1024}` } }),
  )
  await dialog().getByRole('button', { name: 'Try again' }).click()
  await expect
    .element(dialog().getByText('Picture too large to show. Download the file instead.'))
    .toBeVisible()
})

test('an upload shows why it waits while the machine is offline, and resumes', async () => {
  const server = await openFiles()
  let isAway = true
  server.on(beginUpload, () => answer(beginUpload, { upload: '11111111-1111-4111-8111-111111111111' }))
  server.on(lookAtUpload, () =>
    isAway ? refuse('agent_offline', 'alpha is not connected.') : answer(lookAtUpload, { size: 2 }),
  )
  server.on(PUT_BYTES, () => new Response(JSON.stringify({ size: 7 })))
  server.on(finishUpload, () => answer(finishUpload, null))
  const input = document.querySelector<HTMLInputElement>('input[type="file"]')
  if (input === null) throw new Error('there is nothing to choose files with')
  await userEvent.upload(input, new File(['content'], 'a.txt'))
  const uploads = page.getByRole('list', { name: 'Uploads' })
  await expect.element(uploads.getByText(/alpha is not connected\./)).toBeVisible()
  isAway = false
  await expect.element(uploads.getByRole('status')).toHaveTextContent('Uploaded, 7 B of 7 B')
  expect(server.calls(PUT_BYTES).map(({ search }) => search.get('offset'))).toEqual(['2'])
})

test('an upload that is paused and resumed at once is sent whole, with its hash', async () => {
  const server = await openFiles()
  server.on(beginUpload, () => answer(beginUpload, { upload: '11111111-1111-4111-8111-111111111111' }))
  server.on(lookAtUpload, () => answer(lookAtUpload, { size: 0 }))
  const size = 32 * 1024 * 1024
  const options = { agentId: 'alpha0000000', path: raw('/zeros.bin'), replace: false, onDone: () => {} }
  const upload = new Upload({ ...options, file: new File([new Uint8Array(size)], 'zeros.bin') })
  server.on(PUT_BYTES, () => {
    // While the file is still being hashed.
    if (server.calls(PUT_BYTES).length === 1) {
      upload.pause()
      upload.start()
    }
    return new Response(JSON.stringify({ size }))
  })
  server.on(finishUpload, () => answer(finishUpload, null))
  upload.start()
  await expect.poll(() => upload.view.get()).toEqual({ state: 'done', sent: size, problem: undefined })
  expect(server.calls(beginUpload)).toHaveLength(1)
  expect(server.calls(finishUpload).map(({ body }) => body)).toMatchObject([
    { hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ])
})

test('an entry that could not be described says why, without size, time and rights', async () => {
  const problem = 'The network drive does not respond.'
  const unknown = { size: 0, modified_ms: 0, mode: null, owner: '', group: '', problem } as const
  await openFiles(entry('nas', { kind: 'folder', ...unknown }), entry('motd'))
  await expect.element(row('motd').getByText('68 B')).toBeVisible()
  expect(row('nas').element().textContent).toBe(`nas${problem}`)
})

test('a text changed by another user is kept, reloaded or overwritten', async () => {
  const server = await openFiles(entry('motd', { size: 5 }))
  const file = { path: 'L21vdGQ', text: 'mine\n', hash: 'a'.repeat(64) }
  server.on(readText, () => answer(readText, file))
  server.on(writeText, () =>
    refuse('changed_meanwhile', 'The file was changed on the machine. Reload it and try again.'),
  )
  await row('motd').dblClick()
  await userEvent.click(dialog().getByRole('textbox'))
  await userEvent.keyboard('{Control>}{Home}{/Control}x')
  await dialog().getByRole('button', { name: 'Save' }).click()
  await expect
    .element(dialog().getByRole('alert'))
    .toHaveTextContent('The file was changed on the machine. Reload it and try again.')
  await expect.element(dialog().getByRole('button', { name: 'Discard changes and reload' })).toBeVisible()

  const theirs = 'b'.repeat(64)
  server.on(readText, () => answer(readText, { ...file, text: 'theirs', hash: theirs }))
  server.on(writeText, () => answer(writeText, { hash: 'c'.repeat(64) }))
  await dialog().getByRole('button', { name: 'Overwrite file' }).click()
  await expect.element(dialog()).not.toBeInTheDocument()
  expect(server.calls(writeText).map(({ body }) => body)).toEqual([
    { path: file.path, text: 'xmine\n', hash: file.hash },
    { path: file.path, text: 'xmine\n', hash: theirs },
  ])
})

test.each([
  ['of Unix', 'one\ntwo\n', 'xone\n\ntwo\n'],
  ['of Windows', 'one\r\ntwo\r\n', 'xone\r\n\r\ntwo\r\n'],
  ['of every kind', 'one\ntwo\r\nthree\rfour\n\r', 'xone\n\ntwo\r\nthree\rfour\n\r'],
])('line ends %s stay as they are, and new ones fit', async (_, before, after) => {
  const server = await openFiles(entry('motd', { size: 5 }))
  server.on(readText, () => answer(readText, { path: 'L21vdGQ', text: before, hash: 'a'.repeat(64) }))
  server.on(writeText, () => answer(writeText, { hash: 'b'.repeat(64) }))
  await row('motd').dblClick()
  await userEvent.click(dialog().getByRole('textbox'))
  await userEvent.keyboard('{Control>}{Home}{/Control}x{End}{Enter}')
  await dialog().getByRole('button', { name: 'Save' }).click()
  await expect.element(dialog()).not.toBeInTheDocument()
  expect(server.calls(writeText).map(({ body }) => body)).toMatchObject([{ text: after }])
})

test('a text with changes is not closed without a question', async () => {
  const server = await openFiles(entry('motd', { size: 5 }))
  server.on(readText, () => answer(readText, { path: 'L21vdGQ', text: 'mine\n', hash: 'a'.repeat(64) }))
  await row('motd').dblClick()
  await userEvent.click(dialog().getByRole('textbox'))
  await userEvent.keyboard('{Control>}{Home}{/Control}x')
  const close = () => dialog().getByText('Close', { exact: true }).click()
  await close()
  const question = page.getByRole('dialog', { name: 'Discard your changes?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect.element(dialog().getByRole('textbox')).toHaveTextContent('xmine')
  await close()
  await question.getByRole('button', { name: 'Discard' }).click()
  await expect.element(dialog()).not.toBeInTheDocument()
  expect(server.calls(writeText)).toEqual([])
})

test('F2 renames and Del deletes, after a confirmation', async () => {
  await openFiles(entry('motd'), entry('hosts'))
  await row('motd').click()
  await userEvent.keyboard('{F2}')
  await expect.element(page.getByRole('dialog', { name: 'Rename or move motd' })).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await expect.element(dialog()).not.toBeInTheDocument()
  await row('hosts').click()
  await userEvent.keyboard('{Delete}')
  await expect.element(page.getByRole('dialog', { name: 'Delete hosts on alpha?' })).toBeVisible()
})

test('a Windows machine shows drives, paths with backslashes, attributes and access lists', async () => {
  const { server, open } = await givenDashboard()
  server.on(getAgent, () => answer(getAgent, testDetail({ plat: 'windows' })))
  const onWindows = (name: string, more: Partial<FileEntry> = {}) =>
    entry(name, { mode: null, attributes: [], owner: 'PC-12\\Anna', group: '', ...more })
  const drive = onWindows('Windows (C:)', { raw: rawOfText('C:\\'), kind: 'drive', size: 2 ** 40 })
  const folders: Record<string, FileEntry[]> = {
    [rawOfText('/')]: [drive],
    [rawOfText('C:\\')]: [onWindows('Data', { kind: 'folder' })],
    [rawOfText('C:\\Data')]: [onWindows('ntuser.ini', { attributes: ['hidden', 'system'] })],
  }
  server.on(listFolder, ({ search }) => {
    const path = search.get('path') ?? ''
    const entries = folders[path] ?? []
    return answer(listFolder, { path, shown_path: '', entries, total: entries.length, next: null })
  })
  server.on(readFileAccess, () =>
    answer(readFileAccess, {
      owner: 'PC-12\\Anna',
      inherits: true,
      entries: [{ name: 'SYSTEM', allowed: true, rights: ['full'], inherited: true, applies: 'this' }],
    }),
  )
  const { at } = await open('/remotebackground/alpha0000000?tool=files')
  const path = page.getByRole('navigation', { name: 'Folder' })
  await expect.element(row('Windows (C:)')).toMatchTextContent('1 TB')
  await expect.element(page.getByText('1 drive', { exact: true })).toBeVisible()
  await expect.element(page.getByRole('button', { name: 'New folder' })).toBeDisabled()
  await expect.element(path).toHaveTextContent('Drives')

  await row('Windows (C:)').dblClick()
  await row('Data').dblClick()
  await expect.element(path).toHaveTextContent('Drives\\C:\\Data')
  expect(at()).toBe('/remotebackground/alpha0000000?tool=files&at=C:%5CData')
  await expect.element(row('ntuser.ini')).toMatchTextContent('Hidden, system')

  await row('ntuser.ini').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Permissions' }).click()
  const list = page.getByRole('dialog', { name: 'Permissions of C:\\Data\\ntuser.ini' })
  await expect.element(list.getByText('Owner: PC-12\\Anna')).toBeVisible()
  await expect.element(list.getByRole('row').nth(1)).toHaveTextContent('SYSTEMAllowFull controlOnly thisYes')
  await userEvent.keyboard('{Escape}')

  const input = document.querySelector<HTMLInputElement>('input[type="file"]')
  if (input === null) throw new Error('there is nothing to choose files with')
  await userEvent.upload(input, new File(['content'], 'NTUSER.ini'))
  const question = page.getByRole('dialog', { name: 'Replace existing files?' })
  await expect.element(question.getByText('NTUSER.ini: already in the folder.')).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await expect.element(question).not.toBeInTheDocument()

  await page.getByRole('button', { name: 'Enter path' }).click()
  const field = page.getByRole('textbox', { name: 'Folder path' })
  await expect.element(field).toHaveValue('C:\\Data')
  await field.fill('/var/log')
  await expect.element(page.getByText('Enter the full path of a folder, such as C:\\Users.')).toBeVisible()
  await field.fill('C:\\')
  await userEvent.keyboard('{Enter}')
  await expect.element(path).toHaveTextContent('Drives\\C:')

  await page.getByRole('button', { name: 'New folder' }).click()
  const create = dialog().getByRole('button', { name: 'Create folder' })
  await dialog().getByRole('textbox', { name: 'Name' }).fill('a:b')
  await expect.element(create).toBeDisabled()
  await dialog().getByRole('textbox', { name: 'Name' }).fill('a b')
  await expect.element(create).toBeEnabled()
})
