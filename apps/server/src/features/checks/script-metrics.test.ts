import type { Measured } from '@muster/contract/agent/checks'
import { listAlerts } from '@muster/contract/api/alerts'
import { type Check, type CheckSettings, createCheck, getCheck } from '@muster/contract/api/checks'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { TestAgent } from '../agents/test-agent.ts'

type Ended = Extract<Measured, { check_type: 'script' }>
type Threshold = Extract<CheckSettings, { check_type: 'script' }>['metric_thresholds'][number]

/** A connected machine, and a script check with these thresholds. */
async function prepare(...metric_thresholds: Threshold[]) {
  const server = await createTestServer()
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

const TOO_WARM: Threshold = { name: 'temp', warning_threshold: 0, error_threshold: 15, reverse: false }

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
