import { hostname } from 'node:os'
import { changeAlert, getAlert, listAlerts } from '@muster/contract/api/alerts'
import { createCheck } from '@muster/contract/api/checks'
import { setMaintenance } from '@muster/contract/api/agents'
import { expect } from '@playwright/test'
import { machineRow } from '../support/dashboard.ts'
import { startHookReceiver, startMailReceiver } from '../support/receivers.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'
import { addChannels, expectSigned } from '../support/told-channels.ts'

// A disk that really fills up, a real mail server and a real receiver of webhooks.
test('alerts: a disk that fills up is one alert, told by mail and webhook, and resolves once', async ({
  admin,
  server,
  openConsole,
}) => {
  test.setTimeout(150_000)
  const acme = await addClient(admin, 'Acme', 'Berlin')
  await using mail = await startMailReceiver()
  await using hook = await startHookReceiver()
  await using agent = await startAgent({ server: server.url, token: await makeToken(admin, acme) })
  await using disk = await mountSmallDisk()
  await addChannels(admin, { mail, hook })
  const page = await openConsole({ as: admin })
  await expect(machineRow(page, hostname())).toBeVisible()
  const agentId = await test.step('a check of the disk', async () => {
    const { agents } = await findAgent()
    await admin.call(createCheck, {
      body: { agent: agents, settings: { check_type: 'diskspace', disk: disk.path }, run_interval: 10 },
    })
    return agents
  })
  const bell = page.getByRole('button', { name: /alert/i }).first()

  await test.step('it fills up: one alert on the bell, one mail, one signed post', async () => {
    await disk.fill(19)
    await expect.poll(openAlerts, LATER).toMatchObject([{ severity: 'error', agent_id: agentId }])
    await expect(bell).toContainText('1', SOON)
    await expect.poll(() => mail.mails.length, LATER).toBe(1)
    expect(mail.mails[0]).toContain('To: ops@example.com')
    expect(mail.mails[0]).toContain(hostname())
    await expect.poll(() => hook.posts.length, LATER).toBe(1)
    expectSigned(hook.posts[0])
  })

  await test.step('it stays full: nobody is told again', async () => {
    await new Promise((resolve) => setTimeout(resolve, 12_000))
    expect(await openAlerts()).toHaveLength(1)
    expect(mail.mails).toHaveLength(1)
    expect(hook.posts).toHaveLength(1)
  })

  await test.step('room again: it resolves, and that is told once', async () => {
    await disk.empty()
    await expect.poll(openAlerts, LATER).toEqual([])
    await expect.poll(() => mail.mails.length, LATER).toBe(2)
    await expect.poll(() => hook.posts.length, LATER).toBe(2)
    await expect(bell).not.toContainText('1', SOON)
  })

  await test.step('in maintenance nobody is told, and what was held back is listed', async () => {
    await admin.call(setMaintenance, { body: { type: 'Client', id: acme.id, action: true } })
    await disk.fill(19)
    await expect
      .poll(async () => (await list({ heldFilter: true })).map(({ hold }) => hold), LATER)
      .toEqual(['maintenance'])
    expect(await openAlerts()).toEqual([])
    await disk.empty()
    await expect.poll(() => list({ heldFilter: true }), LATER).toEqual([])
    await admin.call(setMaintenance, { body: { type: 'Client', id: acme.id, action: false } })
    expect(mail.mails).toHaveLength(2)
    expect(hook.posts).toHaveLength(2)
  })

  await test.step('a person resolves it; it comes again with the next run, and its log says all of it', async () => {
    await disk.fill(19)
    await expect.poll(openAlerts, LATER).toHaveLength(1)
    const [first] = await openAlerts()
    const id = first?.id ?? 0
    await admin.call(changeAlert, { params: { id }, body: { type: 'resolve' } })
    const { log, resolved_by } = await admin.call(getAlert, { params: { id } })
    expect(resolved_by).toBe(admin.username)
    expect(log.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['opened', 'resolved']))
    await expect
      .poll(async () => (await openAlerts()).map((alert) => alert.id === id), LATER)
      .toEqual([false])
  })
  await agent.stop()
  agent.expectCleanLog()

  async function findAgent(): Promise<{ agents: string }> {
    const href = await machineRow(page, hostname()).getAttribute('data-row')
    if (href === null) throw new Error('the row names no machine')
    return { agents: href }
  }

  async function list(body: { heldFilter?: boolean } = {}) {
    return (await admin.call(listAlerts, { body })).alerts
  }

  async function openAlerts() {
    return list()
  }
})

/** The server tells within a second. */
const SOON = { timeout: 5000 }
/** Until the check has run again. */
const LATER = { timeout: 20_000 }
