import type { Measured } from '@muster/contract/agent/checks'
import { listAlerts } from '@muster/contract/api/alerts'
import {
  type Check,
  type CheckSettings,
  createCheck,
  deleteCheck,
  editCheck,
  getCheck,
} from '@muster/contract/api/checks'
import { createPolicy } from '@muster/contract/api/policies'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { createAlertBench } from '../alerts/channels/test-alerts.ts'
import { LOOPBACK_CHANNELS } from '../alerts/channels/test-receiver.ts'
import { emailTo, openTestSmtp } from '../alerts/channels/test-smtp.ts'
import { TestAgent } from '../agents/test-agent.ts'
import { checkOf, contentOf } from '../policies/test-policies.ts'

type Ended = Extract<Measured, { check_type: 'script' }>
type Threshold = Extract<CheckSettings, { check_type: 'script' }>['metric_thresholds'][number]

/** A connected machine, and a script check with these thresholds. */
async function prepare(...metric_thresholds: Threshold[]) {
  const server = await createTestServer({ env: LOOPBACK_CHANNELS })
  const { url } = await server.listen()
  const site = await server.given.site()
  const machine = await TestAgent.enrol(server, url, site.id)
  await machine.connect({ agentTime: server.clock.now().toISOString() })
  const root = server.as(await server.given.user({ superuser: true }))
  const script = await server.given.script({ name: 'Freezer' })
  const settings = { check_type: 'script', script: script.id, metric_thresholds } as const
  const { body } = await root.call(createCheck, { body: { agent: machine.agentId, settings } })
  // Belongs to a machine, not to a policy.
  const check = body as Check
  return {
    server,
    machine,
    root,
    check,
    /** The state after a run that ended like this. */
    ran: async (end: Partial<Ended>) => {
      const { payload } = await machine.nextCommand(0)
      // The machine runs no other commands here.
      const [definition] = (payload.input as { put: { revision: string }[] }).put
      const ended: Ended = {
        check_type: 'script',
        outcome: 'exited',
        retcode: 0,
        stdout: '',
        stderr: '',
        execution_time: 0.1,
        metrics: [],
        ...end,
      }
      server.clock.advance(1)
      const result = {
        check_id: check.id,
        revision: definition?.revision ?? '',
        at: server.clock.now().toISOString(),
        measured: ended,
      }
      const seq = machine.report({ kind: 'checks', results: [result] })
      await machine.next((frame) => frame.type === 'ack' && frame.seq >= seq, 0)
      const { status, alert_severity, more_info } = (await root.call(getCheck, { params: { id: check.id } }))
        .body.check_result
      return { status, alert_severity, more_info }
    },
    alerts: async () => (await root.call(listAlerts, { body: {} })).body.alerts.map(({ message }) => message),
    async [Symbol.asyncDispose]() {
      machine.cut()
      await server[Symbol.asyncDispose]()
    },
  }
}

const TOO_WARM: Threshold = { name: 'temp', warning_threshold: null, error_threshold: 15, reverse: false }

test('a check whose metric never came fails, and its row and alert show the line that is no metric', async () => {
  await using prepared = await prepare(TOO_WARM)
  const { ran, alerts } = prepared
  const stdout = 'metric temp=1,500 C\n'
  const more_info =
    'temp has no value: line 1 is no metric: "metric temp=1,500 C". Use a decimal point, and nothing but a unit after the number.'
  expect(await ran({ stdout, bad_metric_lines: [{ line: 1, text: 'metric temp=1,500 C' }] })).toEqual({
    status: 'failing',
    alert_severity: 'error',
    more_info,
  })
  expect(await alerts()).toEqual([`Script Freezer: ${more_info}`])
  const metrics = [{ name: 'temp', value: 14.5, unit: 'C' }]
  expect(await ran({ stdout: 'metric temp=14,5 C\n', metrics })).toMatchObject({ status: 'passing' })
  // An older agent does not report such lines.
  expect(await ran({ stdout })).toMatchObject({
    status: 'failing',
    more_info: 'temp has no value. Let the script print a line "metric temp=VALUE".',
  })
})

test('0 and negative numbers are thresholds of a metric, of a machine and of a policy', async () => {
  const failed = { name: 'failed', warning_threshold: null, error_threshold: 0, reverse: false }
  const freezer = { name: 'freezer', warning_threshold: -15, error_threshold: null, reverse: false }
  await using prepared = await prepare(failed, freezer)
  const { ran, root, check } = prepared
  expect(check.settings).toMatchObject({ metric_thresholds: [failed, freezer] })
  const metrics = (jobs: number, degrees: number) => ({
    metrics: [
      { name: 'failed', value: jobs, unit: '' },
      { name: 'freezer', value: degrees, unit: '°C' },
    ],
  })
  expect(await ran(metrics(0, -18))).toMatchObject({ status: 'passing' })
  expect(await ran(metrics(0, -14))).toMatchObject({
    alert_severity: 'warning',
    more_info: 'freezer is -14 °C',
  })
  expect(await ran(metrics(1, -14))).toMatchObject({ alert_severity: 'error', more_info: 'failed is 1' })
  const { settings } = check
  const { body: policy } = await root.call(createPolicy, {
    body: { name: 'Freezers', content: contentOf([checkOf(settings)]) },
  })
  expect(policy.content.checks[0]?.settings).toMatchObject({ metric_thresholds: [failed, freezer] })
  const unset = { ...failed, error_threshold: null }
  const refused = await root.call(editCheck, {
    params: { id: check.id },
    body: { settings: { ...settings, metric_thresholds: [unset] } as CheckSettings },
  })
  expect(refused.error.fields).toEqual({
    'settings.metric_thresholds.0.warning_threshold': ['Warning Threshold or Error Threshold need to be set'],
  })
})

test('the mail of a silent script names its exit code, and that of its deleted check says so', async () => {
  await using smtp = await openTestSmtp()
  await using prepared = await prepare()
  const { server, machine, root, check, ran, alerts } = prepared
  await createAlertBench(server.ctx).channel(emailTo(smtp.port))
  const more_info = 'Exit code 1, no output'
  expect(await ran({ retcode: 1 })).toEqual({ status: 'failing', alert_severity: 'error', more_info })
  expect(await alerts()).toEqual([`Script Freezer: ${more_info}`])
  await server.ctx.jobs.drain()
  expect((await root.call(deleteCheck, { params: { id: check.id } })).status).toBe(200)
  await server.ctx.jobs.drain()
  const { hostname } = await server.ctx.db
    .selectFrom('agents')
    .select('hostname')
    .where('agent_id', '=', machine.agentId)
    .executeTakeFirstOrThrow()
  expect(smtp.mails.map(({ headers }) => headers.get('subject'))).toEqual([
    `Error on ${hostname}: Script Freezer: ${more_info}`,
    `Resolved on ${hostname}: Script Freezer: ${more_info} (The check was deleted)`,
  ])
  expect(smtp.mails[1]?.raw).toContain('Reason: The check was deleted.')
})
