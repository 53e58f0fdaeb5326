import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listAgents } from '@muster/contract/api/agents'
import { planFleetJob, startFleetJob } from '@muster/contract/api/fleet-jobs'
import { addPackageFilePart, createPackageFile, finishPackageFile } from '@muster/contract/api/package-files'
import { expect } from '@playwright/test'
import { isContinued, openPlainProxy } from '../../tools/plain-proxy.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'

const CONTENT = randomBytes(800_000)

test('a pushed file arrives whole although the connection breaks off in its middle', async ({
  admin,
  server,
}) => {
  using proxy = await openPlainProxy(server.url)
  proxy.passWebSockets()
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  await using agent = await startAgent({ server: proxy.url, token })
  await expect.poll(() => admin.call(listAgents, { query: {} })).toMatchObject([{ status: 'online' }])
  const body = { name: 'Settings', file_name: 'app.bin', bytes: CONTENT.length }
  const { id: file } = await admin.call(createPackageFile, { body })
  const data = CONTENT.toString('base64')
  await admin.call(addPackageFilePart, { params: { id: file, number: 1 }, body: { data } })
  await admin.call(finishPackageFile, { params: { id: file } })
  const folder = await mkdtemp(join(tmpdir(), 'muster-push-'))
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'app.bin')
  proxy.cut(/package-files/, 300_000)
  proxy.cut(/package-files/, 100_000)
  const draft = { target: { by: 'all' as const }, action: { type: 'push_file' as const, file, path } }
  const { hash } = await admin.call(planFleetJob, { body: draft })
  await admin.call(startFleetJob, { body: { draft, hash } })
  await expect.poll(async () => (await readFile(path).catch(() => undefined))?.equals(CONTENT)).toBe(true)
  const offsets = proxy.offsets(/package-files/)
  expect(isContinued(offsets, [300_000, 100_000]), `requested from ${offsets.join(', ')}`).toBe(true)
  expect(offsets[1]).toBeGreaterThan(0)
  await agent.stop()
  agent.expectCleanLog()
})
