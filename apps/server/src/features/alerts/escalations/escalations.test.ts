import { editAlertTemplate, previewAlertTemplate } from '@muster/contract/api/alert-templates'
import { changeAlert, getAlert } from '@muster/contract/api/alerts'
import {
  createEscalationChain,
  deleteEscalationChain,
  editEscalationChain,
  type EscalationChainForm,
  listAlertNotifications,
  listEscalationChains,
  listEscalationTargets,
} from '@muster/contract/api/escalations'
import { createOnCallSchedule } from '@muster/contract/api/on-call'
import { turnOnPush } from '@muster/contract/api/push'
import { ChannelRules } from '@muster/contract/api/alert-channels'
import { expect, test } from 'vitest'
import { createAlertBench, webhookTo } from '../channels/test-alerts.ts'
import { trustTestCertificate } from '../channels/test-certificate.ts'
import { openTestReceiver } from '../channels/test-receiver.ts'
import { openTestSmtp } from '../channels/test-smtp.ts'
import { openTestBrowser } from '../push/test-browser.ts'
import { instant } from '../test-alerts.ts'
import { prepareTemplates } from '../templates/test-templates.ts'

const MINUTE = 60

/** A template with a chain, users with addresses, a mail channel without alerts of its own, and a schedule of Bob. */
async function prepare(change: Partial<EscalationChainForm> = {}, rules: Partial<ChannelRules> = {}) {
  await using stack = new AsyncDisposableStack()
  const smtp = stack.use(await openTestSmtp())
  const receiver = stack.use(await openTestReceiver())
  const templates = stack.use(await prepareTemplates())
  const { ctx, given, caller, server } = templates
  const bench = createAlertBench(ctx)
  const mail = await bench.channel(
    {
      kind: 'email',
      smtp_host: '127.0.0.1',
      smtp_port: smtp.port,
      smtp_security: 'none',
      smtp_auth: 'none',
      smtp_from_email: 'muster@example.com',
      recipients: ['team@example.com'],
    },
    // Only informational alerts of its own, and quiet all day.
    { severities: ['info'], quiet_from: '00:00', quiet_to: '23:59', quiet_except: [], ...rules },
    'Mail',
  )
  const hook = await bench.channel(webhookTo(receiver.url), { alert_types: ['availability'] }, 'Pager')
  const person = async (username: string, options: Parameters<typeof given.user>[0] = {}) => {
    const user = await given.user({ username, permissions: ['can_list_alerts'], ...options })
    await ctx.db
      .updateTable('users')
      .set({ email: `${username}@example.com` })
      .where('id', '=', user.id)
      .execute()
    return user
  }
  const ann = await person('ann')
  const bob = await person('bob')
  const { body: schedule } = await caller.call(createOnCallSchedule, {
    body: {
      name: 'Night',
      time_zone: 'UTC',
      rotates: 'daily',
      starts: '2026-02-01T09:00',
      members: [bob.id],
    },
  })
  const answer = await caller.call(createEscalationChain, {
    body: {
      name: 'Servers',
      steps: [
        { after_minutes: 0, users: [ann.id] },
        { after_minutes: 15, schedules: [schedule.id], channels: [hook.id] },
      ],
      repeat_minutes: 10,
      repeat_times: 2,
      ...change,
    },
  })
  const { body: chain } = answer
  const template = await templates.template({ escalation_chain: chain.id })
  await ctx.db
    .updateTable('clients')
    .set({ alert_template_id: template.id })
    .where('id', '=', templates.client.id)
    .execute()
  let seconds = 0
  const resources = stack.move()
  return {
    ...templates,
    smtp,
    receiver,
    bench,
    mail,
    hook,
    ann,
    bob,
    person,
    schedule,
    chain,
    template,
    /** Opens an alert of the check now. */
    fail: async (percent = 95) => {
      await templates.report(templates.check, [seconds, percent])
      await ctx.jobs.drain()
      const [alert] = (await templates.alerts()).toReversed()
      return alert?.id ?? 0
    },
    pass: async (minutes: number) => {
      seconds += minutes * MINUTE
      templates.go(seconds)
      await ctx.jobs.drain()
    },
    mails: () => smtp.mails.map(({ to }) => to.join()),
    read: async (id: number) => (await caller.call(getAlert, { params: { id } })).body,
    notifications: async (id: number) => (await caller.call(listAlertNotifications, { params: { id } })).body,
    act: (
      id: number,
      body: { type: 'acknowledge' | 'unacknowledge' | 'snooze' | 'resolve'; snooze_until?: string },
    ) => caller.call(changeAlert, { params: { id }, body }),
    server,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

test('a chain notifies step after step, repeats the last one, and ends', async () => {
  await using prepared = await prepare()
  const { fail, pass, mails, receiver, read, notifications } = prepared
  const id = await fail()
  expect(mails()).toEqual(['ann@example.com'])
  expect(prepared.smtp.mails[0]?.headers.get('subject')).toMatch(/^Error, escalated on PC-1: /)
  expect((await read(id)).escalation).toEqual({
    chain: 'Servers',
    state: 'running',
    next: { at: instant(15 * MINUTE), step: 2, recipients: ['bob (Night)', 'Pager'] },
  })
  await pass(14)
  expect(mails()).toHaveLength(1)
  await pass(1)
  expect(mails()).toEqual(['ann@example.com', 'bob@example.com'])
  expect(receiver.requests.map(({ body }) => (JSON.parse(body) as { kind: string }).kind)).toEqual([
    'escalated',
  ])
  await pass(10)
  await pass(10)
  expect((await read(id)).escalation).toEqual({ chain: 'Servers', state: 'done', next: null })
  await pass(600)
  expect(mails()).toHaveLength(4)
  expect(receiver.requests).toHaveLength(3)
  const sent = { chain: 'Servers', state: 'sent', reason: 'escalated' }
  expect((await notifications(id)).slice(0, 3)).toMatchObject([
    {
      ...sent,
      step: 1,
      recipient: 'ann',
      schedule: '',
      channel: 'Mail',
      at: instant(0),
      detail: '250 2.0.0',
    },
    { ...sent, step: 2, recipient: 'bob', schedule: 'Night', channel: 'Mail', at: instant(900) },
    { ...sent, step: 2, recipient: '', schedule: '', channel: 'Pager', detail: '200 OK' },
  ])
  const log = (await prepared.logText(id)).filter((line) => line.startsWith('escalated'))
  expect(log).toEqual([
    'escalated: Servers, step 1: ann, Mail',
    'escalated: Servers, step 2: bob, on call in Night, Mail; Pager',
    'escalated: Servers, step 2, repeated 1 of 2: bob, on call in Night, Mail; Pager',
    'escalated: Servers, step 2, repeated 2 of 2: bob, on call in Night, Mail; Pager',
  ])
})

test('acknowledging, snoozing and resolving stop a chain; an open alert starts it again', async () => {
  await using prepared = await prepare()
  const { fail, pass, mails, read, act } = prepared
  const id = await fail()
  await act(id, { type: 'acknowledge' })
  expect((await read(id)).escalation).toEqual({ chain: 'Servers', state: 'stopped', next: null })
  await pass(60)
  expect(mails()).toEqual(['ann@example.com'])
  await act(id, { type: 'unacknowledge' })
  await pass(0)
  expect(mails()).toEqual(['ann@example.com', 'ann@example.com'])
  await act(id, { type: 'snooze', snooze_until: instant(120 * MINUTE) })
  await pass(30)
  expect(mails()).toHaveLength(2)
  await pass(31)
  await prepared.sweep()
  await pass(0)
  expect(mails()).toHaveLength(3)
  await act(id, { type: 'resolve' })
  await pass(120)
  expect(mails()).toHaveLength(3)
  expect((await read(id)).escalation).toMatchObject({ state: 'stopped' })
})

test('a step that reaches nobody is recorded with its reasons, and the next one follows at once', async () => {
  await using prepared = await prepare()
  const { ctx, caller, chain, person, ann, bob, fail, mails, notifications, schedule } = prepared
  const other = await prepared.given.client()
  const limited = await person('lea', { clients: [other.id] })
  const gone = await person('max')
  await ctx.db.updateTable('users').set({ email: '' }).where('id', '=', ann.id).execute()
  const form = { name: 'Servers', repeat_minutes: 0, repeat_times: 0, mail_channel: null }
  const answer = await caller.call(editEscalationChain, {
    params: { id: chain.id },
    body: {
      ...form,
      steps: [
        { after_minutes: 0, users: [ann.id, limited.id, gone.id] },
        { after_minutes: 30, users: [bob.id], schedules: [schedule.id] },
      ],
    },
  })
  expect(answer.status).toBe(200)
  await ctx.db.deleteFrom('users').where('id', '=', gone.id).execute()
  const id = await fail()
  // Bob is named twice, and notified once.
  expect(mails()).toEqual(['bob@example.com'])
  expect(await notifications(id)).toMatchObject([
    { recipient: 'ann', state: 'failed', channel: '', detail: 'The user has no e-mail address.' },
    { recipient: 'lea', state: 'failed', detail: 'The user may not see this alert.' },
    { recipient: 'Deleted user', state: 'failed', detail: 'The user was deleted.' },
    { recipient: 'bob', state: 'sent', step: 2, schedule: '' },
  ])
})

test('a preview shows the steps of the chain with who is on call then, for its severities only', async () => {
  await using bench = await prepare()
  const { caller, machine, template, chain, given, server } = bench
  const preview = async (severity: 'error' | 'warning') => {
    const query = { agent: machine.agent_id, alert_type: 'check', severity } as const
    return (await caller.call(previewAlertTemplate, { query })).body.escalation
  }
  expect(await preview('warning')).toEqual({
    chain: 'Servers',
    steps: [
      { after_minutes: 0, recipients: ['ann'] },
      { after_minutes: 15, recipients: ['bob (Night)', 'Pager'] },
    ],
    repeat_minutes: 10,
    repeat_times: 2,
  })
  const change = (body: object) => caller.call(editAlertTemplate, { params: { id: template.id }, body })
  await change({ escalation_severities: ['error'] })
  expect(await preview('warning')).toBeNull()
  expect(await preview('error')).toMatchObject({ chain: chain.name })
  await change({ escalation_chain: null })
  expect(await preview('error')).toBeNull()
  const other = await given.client({ name: 'Other' })
  const stranger = server.as(
    await given.user({ permissions: ['can_list_alerttemplates', 'can_list_agents'], clients: [other.id] }),
  )
  const query = { agent: machine.agent_id, alert_type: 'check', severity: 'error' } as const
  expect((await stranger.call(previewAlertTemplate, { query })).status).toBe(404)
})

test('a channel that is off or of other clients sends nothing', async () => {
  await using prepared = await prepare({}, { enabled: false })
  const { ctx, hook, fail, pass, mails, receiver, notifications, client } = prepared
  const rules = ChannelRules.parse({ clients: [client.id + 1000] })
  await ctx.db
    .updateTable('alert_channels')
    .set({ rules: JSON.stringify(rules) })
    .where('id', '=', hook.id)
    .execute()
  const id = await fail()
  await pass(20)
  expect([mails(), receiver.requests.length]).toEqual([[], 0])
  expect((await notifications(id)).slice(0, 3)).toMatchObject([
    { recipient: 'ann', detail: 'No e-mail channel is enabled. Add one.' },
    { recipient: 'bob', detail: 'No e-mail channel is enabled. Add one.' },
    { recipient: '', channel: 'Pager', detail: 'The channel is for other clients.' },
  ])
})

test('an alert of another severity, and one in maintenance, does not escalate', async () => {
  await using prepared = await prepare()
  const { caller, template, fail, mails, read, report, check, ctx } = prepared
  const params = { id: template.id }
  await caller.call(editAlertTemplate, { params, body: { escalation_severities: ['error'] } })
  const id = await fail(80)
  expect([mails(), (await read(id)).escalation]).toEqual([[], null])
  // It becomes an error.
  await report(check, [1, 95])
  await ctx.jobs.drain()
  expect(mails()).toEqual(['ann@example.com'])
})

test('an end is sent to a channel that a chain notified, as PagerDuty needs it', async () => {
  await using prepared = await prepare()
  const { fail, pass, receiver, report, check, ctx } = prepared
  await fail()
  await pass(15)
  await report(check, [901, 10])
  await ctx.jobs.drain()
  expect(receiver.requests.map(({ body }) => (JSON.parse(body) as { kind: string }).kind)).toEqual([
    'escalated',
    'resolved',
  ])
})

test('a chain in use is not deleted; a shorter one ends', async () => {
  await using prepared = await prepare()
  const { caller, chain, ann, template, fail, pass, mails, read } = prepared
  const params = { id: chain.id }
  const [listed] = (await caller.call(listEscalationChains, {})).body
  expect(listed).toMatchObject({ step_names: [['ann'], ['Night', 'Pager']], used_by: ['Night'] })
  const refused = await caller.call(deleteEscalationChain, { params })
  expect([refused.status, refused.error.detail]).toEqual([
    409,
    'The alert template "Night" uses it. Change the template first.',
  ])
  const id = await fail()
  const steps = [{ after_minutes: 0, users: [ann.id] }]
  await caller.call(editEscalationChain, { params, body: { name: 'Servers', steps } })
  expect((await read(id)).escalation).toEqual({ chain: 'Servers', state: 'done', next: null })
  await pass(60)
  expect(mails()).toHaveLength(1)
  await caller.call(editAlertTemplate, { params: { id: template.id }, body: { escalation_chain: null } })
  expect((await caller.call(deleteEscalationChain, { params })).status).toBe(200)
  expect((await read(id)).escalation).toBeNull()
})

test('impossible chains are refused at their field', async () => {
  await using prepared = await prepare()
  const { caller, ann, hook, template } = prepared
  const refused = async (change: object) => {
    const body = { name: 'New', steps: [{ after_minutes: 0, users: [ann.id] }], ...change }
    const answer = await caller.call(createEscalationChain, { body })
    return [answer.status, ...Object.keys(answer.error.fields ?? {})]
  }
  expect(await refused({ steps: [] })).toEqual([400, 'steps'])
  expect(await refused({ steps: [{ after_minutes: 0 }] })).toEqual([400, 'steps.0.users'])
  expect(await refused({ steps: [{ after_minutes: 0, users: [2_000_000] }] })).toEqual([400, 'steps.0.users'])
  expect(await refused({ steps: [{ after_minutes: 0, schedules: [99] }] })).toEqual([
    400,
    'steps.0.schedules',
  ])
  expect(await refused({ steps: [{ after_minutes: 0, channels: [99] }] })).toEqual([400, 'steps.0.channels'])
  const twice = { after_minutes: 5, users: [ann.id] }
  expect(await refused({ steps: [twice, twice] })).toEqual([400, 'steps'])
  expect(await refused({ mail_channel: hook.id })).toEqual([400, 'mail_channel'])
  expect(await refused({ repeat_times: 1e9 })).toEqual([400, 'repeat_times'])
  expect(await refused({ name: 'Servers' })).toEqual([409, 'name'])
  const unknown = await caller.call(editAlertTemplate, {
    params: { id: template.id },
    body: { escalation_chain: 99 },
  })
  expect([unknown.status, Object.keys(unknown.error.fields ?? {})]).toEqual([400, ['escalation_chain']])
  const { body: targets } = await caller.call(listEscalationTargets, {})
  expect(targets.users.find(({ name }) => name === 'ann')).toMatchObject({ has_email: true, is_active: true })
  expect([targets.schedules.length, targets.channels.length]).toEqual([1, 2])
})

test('other users do not see the notifications of an alert outside of their scope', async () => {
  await using prepared = await prepare()
  const { server, given, fail } = prepared
  const id = await fail()
  const other = await given.client()
  const eve = server.as(await given.user({ permissions: ['can_list_alerts'], clients: [other.id] }))
  expect((await eve.call(listAlertNotifications, { params: { id } })).status).toBe(404)
})

test('a user with subscribed browsers is notified there too, with or without an e-mail address', async () => {
  using _trusted = trustTestCertificate()
  await using service = await openTestReceiver({ tls: true })
  await using prepared = await prepare()
  const { ann, bob, ctx, server, fail, pass, mails, notifications } = prepared
  const browsers = [ann, bob].map(({ username }) => openTestBrowser(`${service.url}/${username}`))
  for (const [index, user] of [ann, bob].entries())
    await server.as(user).call(turnOnPush, { body: browsers[index]!.subscription })
  // Only escalations: its own rules exclude the alert.
  const silent = JSON.stringify(ChannelRules.parse({ severities: ['info'] }))
  const pushes = ctx.db.updateTable('alert_channels').set({ rules: silent })
  await pushes.where('name', '=', 'Push notifications').execute()
  await ctx.db.updateTable('users').set({ email: '' }).where('id', '=', bob.id).execute()
  const id = await fail()
  expect(service.requests.map(({ path }) => path)).toEqual(['/hook/ann'])
  expect(browsers[0]?.read(service.requests[0]!.bytes)).toMatchObject({
    line: expect.stringMatching(/^Error, escalated on PC-1: /),
    path: `/alerts?alert=${id}`,
  })
  expect(mails()).toEqual(['ann@example.com'])
  await pass(15)
  expect(service.requests.map(({ path }) => path)).toEqual(['/hook/ann', '/hook/bob'])
  expect(mails()).toEqual(['ann@example.com'])
  const sent = (await notifications(id)).filter(({ channel }) => channel === 'Push notifications')
  expect(sent).toMatchObject([
    { recipient: 'ann', state: 'sent', detail: 'Delivered to 1 browser.' },
    { recipient: 'bob', schedule: 'Night', state: 'sent', detail: 'Delivered to 1 browser.' },
  ])
})
