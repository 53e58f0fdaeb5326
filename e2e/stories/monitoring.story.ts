import { hostname } from 'node:os'
import { listAgents } from '@muster/contract/api/agents'
import { createAlertTemplate, setDefaultTemplate } from '@muster/contract/api/alert-templates'
import { getAlert, listAlerts } from '@muster/contract/api/alerts'
import {
  createCheck,
  getCheck,
  getCheckSamples,
  listAgentChecks,
  runChecks,
} from '@muster/contract/api/checks'
import { listAgentHistory } from '@muster/contract/api/runs'
import { createMaintenanceWindow, editMaintenanceWindow } from '@muster/contract/api/maintenance'
import type { Input } from '@muster/contract/endpoint'
import { expect, type Page } from '@playwright/test'
import { machineRow, treeLine } from '../support/dashboard.ts'
import { startHookReceiver, startMailReceiver } from '../support/receivers.ts'
import { addClient, addScript, makeToken } from '../support/seed.ts'
import type { Session } from '../support/sign-in.ts'
import { mountSmallDisk, type SmallDisk } from '../support/small-disk.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'
import { addChannels, expectSigned } from '../support/alert-channels.ts'
import { SERVER_GONE } from '../support/watch-browser.ts'
import { LONG_PATIENCE_MS } from '../../tools/patience.ts'

const OUTAGE_MS = 25_000

// A real agent, a disk that really fills up, a real mail server and a real receiver of webhooks.
test('monitoring: a full disk notifies each recipient once, also through maintenance and an outage', async ({
  admin,
  server,
  openConsole,
  expected,
}) => {
  expected.browser.push(SERVER_GONE)
  const acme = await addClient(admin, 'Acme', 'Berlin')
  const site = acme.sites[0]?.id ?? 0
  await using mail = await startMailReceiver()
  await using hook = await startHookReceiver()
  await using disk = await mountSmallDisk()
  await using agent = await startAgent({ server: server.url, token: await makeToken(admin, acme) })
  await addChannels(admin, { mail, hook })
  await addTemplate(admin, disk)
  const page = await openConsole({ as: admin })
  const watcher = await openConsole({ as: admin })
  const consoles = [page, watcher]
  await expect(machineRow(page, hostname())).toBeVisible()
  const [{ agent_id: agentId } = { agent_id: '' }] = await admin.call(listAgents, { query: {} })
  const diskCheck = await test.step('seven checks, and each of them has a result', () => addChecks())

  await test.step('the disk fills up: a warning on both consoles, by mail, webhook and script', async () => {
    await disk.fill(16)
    await expectColours('warning', /1 of 7 checks warning/)
    await expectBells(1)
    await expect.poll(() => mail.mails.length).toBe(1)
    expect(mail.mails[0]).toContain('To: ops@example.com')
    expect(mail.mails[0]).toContain(hostname())
    await expect.poll(() => hook.posts.length).toBe(1)
    await expect.poll(() => actionsOf('open')).toEqual([['failure', 'done', `filler\n`]])
  })

  await test.step('fuller still: error, and the same one alert', async () => {
    await disk.fill(19)
    await expectColours('failing', /1 of 7 checks failing/)
    await expectBells(1)
    await expectNotified(2)
    expect(await alerts({ resolvedFilter: true })).toMatchObject([{ severity: 'error', state: 'open' }])
  })

  await test.step('the disk is freed: each alert resolves once', async () => {
    await disk.empty()
    await expectCalm()
    await expectNotified(3)
    await expect
      .poll(() => actionsOf('resolved'))
      .toEqual([
        ['failure', 'done', 'filler\n'],
        ['resolved', 'done', 'room again\n'],
      ])
    await runDiskCheck()
    expect(await alerts({ resolvedFilter: true })).toHaveLength(1)
    expectNotifications(3)
  })

  await test.step('maintenance every week: nothing alerts inside, nothing bursts at its end', async () => {
    // Not today, where it could be active already.
    const weekday = (new Date().getUTCDay() + 3) % 7
    const weekly = { ...WEEKLY, weekdays: [weekday] }
    const window = await admin.call(createMaintenanceWindow, {
      body: { reason: 'New disks', targets: [{ type: 'site', id: site }], schedule: weekly },
    })
    expect(window).toMatchObject({ active: false, next_start: expect.stringMatching(/T02:00:00/) })
    expect(new Date(window.next_start ?? 0).getUTCDay()).toBe(weekday)
    // The window is put to where its two hours are almost over.
    const endMs = Math.ceil((Date.now() + 25_000) / MINUTE_MS) * MINUTE_MS
    const start = new Date(endMs - 120 * MINUTE_MS)
    const starts = start.toISOString().slice(0, 16)
    const schedule = { ...WEEKLY, starts, weekdays: [start.getUTCDay()] }
    const { reason } = window
    const targets = [{ type: 'site' as const, id: site }]
    await admin.call(editMaintenanceWindow, {
      params: { id: window.id },
      body: { reason, targets, schedule },
    })
    const green = (each: Page) => treeLine(each, /^Berlin.*In maintenance mode/)
    for (const each of consoles) await expect(green(each)).toBeVisible()

    await disk.fill(19)
    await runDiskCheck()
    await page.goto('/alerts?view=list&state=suppressed')
    await expect(page.getByRole('row', { name: /open · suppressed: maintenance/ })).toBeVisible()
    await expect(bell(page, 0)).toBeVisible()
    await disk.empty()
    await runDiskCheck()
    await expect(green(watcher)).toHaveCount(0, { timeout: LONG_PATIENCE_MS })
    await page.goto('/')
    await expectCalm()
    await runDiskCheck()
    expectNotifications(3)
    expect(await runs()).toHaveLength(2)
    const held = await alerts({ resolvedFilter: true })
    expect(held).toHaveLength(2)
    const { log } = await admin.call(getAlert, { params: { id: held[0]?.id ?? 0 } })
    expect(log.map(({ kind }) => kind)).toEqual(['opened', 'held', 'resolved'])
  })

  await test.step('the server is away: the agent goes on, and the alert has the real time of the failure', async () => {
    await server.stop()
    const stoppedAt = new Date().toISOString()
    await disk.fill(19)
    await new Promise((resolve) => setTimeout(resolve, OUTAGE_MS))
    const startedAt = new Date().toISOString()
    await server.start()
    await expectColours('failing', /1 of 7 checks failing/)
    await expectBells(1)
    await expectNotified(4)
    const [alert] = await alerts()
    expect(alert?.alert_time.localeCompare(stoppedAt)).toBe(1)
    expect(alert?.alert_time.localeCompare(startedAt)).toBe(-1)
    const times = await measuredAt()
    expect(times.filter((at) => at > stoppedAt && at < startedAt).length).toBeGreaterThanOrEqual(2)
    await disk.empty()
    await expectCalm()
    await expectNotified(5)
    await expect.poll(async () => (await actionsOf('resolved')).map(([kind]) => kind)).toEqual(BOTH)
  })

  await test.step('in the end every notification was sent and every script run once', async () => {
    expectNotifications(5)
    expect((await runs()).toReversed()).toEqual([OPENED, OVER, OPENED, OVER])
    for (const post of hook.posts) expectSigned(post)
  })
  await agent.stop()
  agent.expectCleanLog(/lost|closed|cannot be reached|connect/i)

  async function addChecks(): Promise<number> {
    const { id: script } = await addScript(admin, {
      name: 'Queue',
      script_body: '#!/bin/sh\necho "metric queue=5 jobs"\n',
    })
    const patient = { agent: agentId, fails_b4_alert: 10 }
    const name = 'Watched'
    type Settings = Input<typeof createCheck>['body']['settings']
    // Other load or services of this machine must not change the colour of the tree.
    const others: Settings[] = [
      { check_type: 'cpuload' },
      { check_type: 'memory' },
      { check_type: 'ping', name, ip: '127.0.0.1' },
      { check_type: 'service', svc_name: 'cron.service' },
      { check_type: 'script', script },
      { check_type: 'journal', name },
    ]
    for (const settings of others) await admin.call(createCheck, { body: { ...patient, settings } })
    const settings: Settings = { check_type: 'diskspace', disk: disk.path }
    const { id } = await admin.call(createCheck, { body: { agent: agentId, settings, run_interval: 10 } })
    const withoutResult = async () => {
      const checks = await admin.call(listAgentChecks, { params: { agent_id: agentId }, query: {} })
      return checks.flatMap(({ settings: { check_type }, check_result }) =>
        check_result.more_info === '' ? [check_type] : [],
      )
    }
    await expect.poll(withoutResult).toEqual([])
    return id
  }

  async function expectColours(sign: 'warning' | 'failing', row: RegExp): Promise<void> {
    for (const each of consoles) {
      await expect(treeLine(each, /^Berlin/)).toContainText(`Check ${sign}`)
      await expect(treeLine(each, /^Acme/)).toContainText(`Check ${sign}`)
      await expect(machineRow(each, hostname())).toContainText(row)
    }
  }

  async function expectCalm(): Promise<void> {
    for (const each of consoles) {
      await expect(treeLine(each, /^Berlin/)).not.toContainText('Check ')
      await expect(treeLine(each, /^Acme/)).not.toContainText('Check ')
      await expect(machineRow(each, hostname())).not.toContainText(/checks (failing|warning)/)
    }
    await expectBells(0)
  }

  async function expectBells(open: number): Promise<void> {
    for (const each of consoles) await expect(bell(each, open)).toBeVisible()
  }

  async function expectNotified(times: number): Promise<void> {
    await expect.poll(() => [mail.mails.length, hook.posts.length]).toEqual([times, times])
  }

  function expectNotifications(times: number): void {
    expect([mail.mails.length, hook.posts.length]).toEqual([times, times])
  }

  /** Runs the check again, so that a wrong notification would have been sent by then. */
  async function runDiskCheck(): Promise<void> {
    const params = { id: diskCheck }
    const { last_run: before } = (await admin.call(getCheck, { params })).check_result
    await admin.call(runChecks, { params: { agent_id: agentId }, body: { ids: [diskCheck] } })
    await expect
      .poll(async () => (await admin.call(getCheck, { params })).check_result.last_run)
      .not.toBe(before)
  }

  async function alerts(body: Input<typeof listAlerts>['body'] = {}) {
    return (await admin.call(listAlerts, { body: { heldFilter: true, ...body } })).alerts
  }

  async function actionsOf(state: 'open' | 'resolved') {
    const found = (await alerts({ resolvedFilter: true })).find((alert) => alert.state === state)
    if (found === undefined) return []
    const { actions } = await admin.call(getAlert, { params: { id: found.id } })
    return actions.map(({ kind, state: how, output }) => [kind, how, output])
  }

  async function runs(): Promise<string[]> {
    const history = await admin.call(listAgentHistory, { params: { agent_id: agentId }, query: {} })
    return history.map(({ command }) => command)
  }

  async function measuredAt(): Promise<string[]> {
    const to = Math.ceil(Date.now() / 1000)
    const query = { from: to - 600, to, resolution: 0 as const }
    const { series } = await admin.call(getCheckSamples, { params: { id: diskCheck }, query })
    return (series[0]?.points ?? []).map(([seconds]) => new Date(seconds * 1000).toISOString())
  }
})

const bell = (page: Page, open: number) =>
  page.getByRole('button', { name: open === 0 ? 'Alerts: none open' : new RegExp(`^Alerts: ${open} open`) })

/** A default template with a script that lists the full disk, and another one when the alert resolves. */
async function addTemplate(admin: Session, disk: SmallDisk): Promise<void> {
  const opened = await addScript(admin, { name: OPENED, script_body: `#!/bin/sh\nls ${disk.path}\n` })
  const over = await addScript(admin, { name: OVER, script_body: '#!/bin/sh\necho room again\n' })
  const { id } = await admin.call(createAlertTemplate, {
    body: {
      name: 'Full disks',
      action_type: 'script',
      action: opened.id,
      resolved_action_type: 'script',
      resolved_action: over.id,
    },
  })
  await admin.call(setDefaultTemplate, { body: { alert_template: id } })
}

const OPENED = 'Look who fills it'
const OVER = 'Say that it is over'
const BOTH = ['failure', 'resolved']
const MINUTE_MS = 60_000
const WEEKLY = {
  starts: '2026-01-04T02:00',
  minutes: 120,
  time_zone: 'Etc/UTC',
  recurs: 'weekly' as const,
  weekdays: [0],
  until: '2099-12-31T00:00',
}
