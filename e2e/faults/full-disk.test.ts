import { mkdirSync, readdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readText, writeText } from '@muster/contract/api/files'
import { listAgents } from '@muster/contract/api/agents'
import { getDashInfo } from '@muster/contract/api/system'
import { expect, test, vi } from 'vitest'
import { addClient } from '../support/seed.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { raw, someBytes, startToDownload, startUpload } from './moving-files.ts'
import { openFaultSetup } from './fault-setup.ts'

const FULL = /: The disk is full\.$/

test('full disk on the machine: uploads and edits report it, archives still work, no files are left behind', async () => {
  await using setup = await openFaultSetup()
  await using disk = await mountSmallDisk()
  const at = (name: string) => join(disk.path, name)
  const bytes = someBytes(8)
  await disk.fill(14)
  await expect(startUpload(setup, { path: at('big'), bytes })).rejects.toThrow(
    /: Not enough disk space\. Free: /,
  )
  expect(readdirSync(disk.path)).toEqual(['filler'])
  await disk.empty()

  const upload = await startUpload(setup, { path: at('big'), bytes })
  await disk.fill(14)
  expect(await upload.send(0)).toMatch(FULL)
  const there = await upload.size()
  expect(there).toBeLessThan(bytes.length)
  await disk.empty()
  expect(await upload.send(there)).toBe(bytes.length)
  await upload.finish()
  expect(readFileSync(at('big')).equals(bytes)).toBe(true)

  const text = 'a = 1\n'.repeat(20_000)
  writeFileSync(at('app.conf'), text)
  mkdirSync(at('conf.d'))
  const query = { path: raw(at('app.conf')) }
  const { hash } = await setup.session.call(readText, { params: setup.params, query })
  await disk.fill(13).catch(() => undefined)
  await expect(
    setup.session.call(writeText, { params: setup.params, body: { ...query, hash, text: text.repeat(2) } }),
  ).rejects.toThrow(FULL)
  expect(readFileSync(at('app.conf'), 'utf8')).toBe(text)

  const archive = await startToDownload(setup, { path: disk.path, archive: true })
  expect((await (await archive.get()).arrayBuffer()).byteLength).toBeGreaterThan(bytes.length)
  expect(readdirSync(disk.path).toSorted()).toEqual(['app.conf', 'big', 'conf.d', 'filler'])
  await vi.waitFor(() => expect(setup.running()).toEqual([]))
  setup.agent.expectCleanLog()
  setup.server.expectCleanLog()
})

test('full disk on the server: audited requests are refused with an explanation, and work again with free space', async () => {
  await using disk = await mountSmallDisk()
  await using setup = await openFaultSetup({ data: disk.path })
  const { session, folder, server } = setup
  writeFileSync(join(folder, 'file'), 'content')
  const file = await startToDownload(setup, { path: join(folder, 'file') })
  await disk.fill(20).catch(() => undefined)
  const sentence = 'The disk of the server is full. Free some space and try again.'
  await expect(addClient(session, 'Another')).rejects.toThrow(sentence)
  await disk.empty()
  await addClient(session, 'Another')
  // Reports that cannot be stored are not acknowledged: the agent reconnects until they are.
  await setup.back()
  expect(await (await file.get()).text()).toBe('content')
  await vi.waitFor(() => expect(setup.running()).toEqual([]))
  server.expectCleanLog(/disk is full|request failed/)
})

test('nearly full disk on the server: it is read-only, the machine stays connected, and changes follow with free space', async () => {
  await using disk = await mountSmallDisk()
  await using setup = await openFaultSetup({ data: disk.path, settings: { MUSTER_MIN_FREE_MB: '3' } })
  const { session, server, agent } = setup
  const isReadOnly = async () => (await session.call(getDashInfo, {})).read_only
  expect(await isReadOnly()).toBe(false)
  const { bavail, bsize } = statfsSync(disk.path)
  await disk.fill(Math.floor((bavail * bsize) / (1024 * 1024)) - 2)
  await vi.waitFor(async () => expect(await isReadOnly()).toBe(true))
  await expect(addClient(session, 'Another')).rejects.toThrow(
    'The disk of the server is nearly full, so nothing can be changed. Free some space there.',
  )
  expect(await session.call(listAgents, {})).toMatchObject([{ connected: true }])
  await disk.empty()
  await vi.waitFor(async () => expect(await isReadOnly()).toBe(false))
  await addClient(session, 'Another')
  server.expectCleanLog(/the disk is nearly full|request failed/)
  agent.expectCleanLog()
})
