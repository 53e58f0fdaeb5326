import { createAlertChannel } from '@muster/contract/api/alert-channels'
import { createAlertTemplate, setDefaultTemplate } from '@muster/contract/api/alert-templates'
import { changeAlerts, createAlert } from '@muster/contract/api/alerts'
import { listAgentHistory } from '@muster/contract/api/runs'
import { expect } from '@playwright/test'
import { startMachines } from '../support/machines.ts'
import { type Post, startHookReceiver } from '../support/receivers.ts'
import { addClient, addScript, makeToken } from '../support/seed.ts'
import { signIn } from '../support/sign-in.ts'
import { startServer } from '../support/start-server.ts'
import { test } from '../support/story.ts'
import { LONG_PATIENCE_MS } from '../../tools/patience.ts'

// Several processes need PostgreSQL and NATS: on the default deployment there is nothing to prove.
const deployments = process.env['MUSTER_TEST_POSTGRES'] === undefined ? [] : ['PostgreSQL and NATS']
const ALERTS = 40
/** Jobs that a process runs at once: those sent but not recorded when it was killed are sent again. */
const IN_HAND = 8

for (const name of deployments) {
  test(`two servers on ${name}, one of them killed while it notifies: every notice, script and webhook once`, async ({
    server: one,
    admin,
    deployment,
  }) => {
    await using two = await startServer({ env: { ...deployment.env, MUSTER_DATA: one.dataFolder } })
    const onTwo = await signIn(two.url, one.admin)
    const acme = await addClient(admin, 'Acme')
    using fleet = await startMachines(onTwo, [{ hostname: 'alpha', token: await makeToken(admin, acme) }])
    const agent = fleet.machines[0]?.agentId ?? ''
    await using notices = await startHookReceiver()
    await using actions = await startHookReceiver()
    await admin.call(createAlertChannel, {
      body: { name: 'Tickets', settings: { kind: 'webhook', url: notices.url }, rules: {} },
    })
    const over = await addScript(admin, { name: 'It is over', script_body: 'echo over' })
    const template = await admin.call(createAlertTemplate, {
      body: {
        name: 'Everything',
        action_type: 'rest',
        action_rest: { url: actions.url },
        resolved_action_type: 'script',
        resolved_action: over.id,
      },
    })
    await admin.call(setDefaultTemplate, { body: { alert_template: template.id } })

    const ids = await test.step('both raise alerts, and one is killed in the middle', async () => {
      const raised: number[] = []
      for (let index = 0; index < ALERTS; index++) {
        const session = index % 2 === 0 || !one.isRunning ? onTwo : admin
        const body = { message: `Pump ${index} stands`, severity: 'error' as const, agent }
        raised.push((await session.call(createAlert, { body })).id)
        if (index === ALERTS - 5) await one.kill()
      }
      return raised
    })

    await test.step('the other one goes on: every notification is sent, and every failure action run', async () => {
      await expect.poll(() => alertsOf(notices.posts, 'opened').size, PATIENT).toBe(ALERTS)
      await expect.poll(() => alertsOf(actions.posts, 'opened').size, PATIENT).toBe(ALERTS)
    })

    await test.step('the alerts are resolved: a notification is sent and the script runs for each', async () => {
      await onTwo.call(changeAlerts, { body: { bulk_action: 'resolve', alerts: ids } })
      await expect.poll(() => alertsOf(notices.posts, 'resolved').size, PATIENT).toBe(ALERTS)
      const done = async () => (await runs()).filter(({ state }) => state === 'done').length
      await expect.poll(done, PATIENT).toBe(ALERTS)
    })

    await test.step('each of them once', async () => {
      expect(await runs()).toHaveLength(ALERTS)
      for (const { posts } of [notices, actions]) {
        const deliveries = posts.map(({ headers }) => headers['muster-delivery'])
        // A repeated delivery has the same id, by which a receiver recognises it.
        const distinct = [...new Map(posts.map((post, index) => [deliveries[index], post])).values()]
        expect(posts.length - distinct.length).toBeLessThanOrEqual(IN_HAND)
        const sent = distinct.flatMap(newsOf)
        expect(sent).toHaveLength(new Set(sent).size)
      }
    })
    two.expectCleanLog()

    function runs() {
      return onTwo.call(listAgentHistory, { params: { agent_id: agent }, query: {} })
    }
  })
}

/** `opened 12`, one for each alert of a message. */
function newsOf({ body }: Post): string[] {
  // As the server writes it without a template: of one alert, or of several.
  const message = JSON.parse(body) as { kind: string; alert?: { id: number }; alerts?: News[] }
  const alerts: News[] = message.alerts ?? [{ kind: message.kind, alert: message.alert ?? { id: 0 } }]
  return alerts.map(({ kind, alert }) => `${kind} ${alert.id}`)
}

interface News {
  kind: string
  alert: { id: number }
}

function alertsOf(posts: readonly Post[], kind: string): Set<string> {
  return new Set(posts.flatMap(newsOf).filter((news) => news.startsWith(kind)))
}

/** Jobs of the killed process are released a minute later. */
const PATIENT = { timeout: LONG_PATIENCE_MS }
