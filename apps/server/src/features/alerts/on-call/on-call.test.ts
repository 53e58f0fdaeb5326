import {
  createOnCallSchedule,
  deleteOnCallSchedule,
  editOnCallSchedule,
  getOnCallSchedule,
  listOnCallSchedules,
} from '@muster/contract/api/on-call'
import { createEscalationChain, deleteEscalationChain } from '@muster/contract/api/escalations'
import { listAudit } from '@muster/contract/api/audit'
import type { Event } from '@muster/contract/events'
import { expect, test } from 'vitest'
import { createTestServer } from '../../../testing/test-server.ts'

// A Friday.
const NOW = '2026-11-27T12:00:00.000Z'

async function prepare() {
  const server = await createTestServer()
  server.clock.freeze(NOW)
  const { given, ctx } = server
  const events: Event[] = []
  ctx.onEvent((event) => void events.push(event))
  const root = server.as(await given.user({ superuser: true, username: 'root' }))
  const ada = await given.user({ username: 'ada' })
  const bob = await given.user({ username: 'bob' })
  const body = {
    name: 'Servers',
    time_zone: 'Europe/Zurich',
    rotates: 'weekly' as const,
    starts: '2026-11-23T09:00',
    members: [ada.id, bob.id],
  }
  return {
    server,
    given,
    events,
    root,
    ada,
    bob,
    body,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

test('a schedule says who is on call and until when, with overrides and without disabled users', async () => {
  await using prepared = await prepare()
  const { server, root, ada, bob, body, events } = prepared
  const { body: schedule } = await root.call(createOnCallSchedule, { body })
  const until = '2026-11-30T08:00:00.000Z'
  expect(schedule).toMatchObject({
    ...body,
    overrides: [],
    now: { user: ada.id, name: 'ada', until, is_override: false },
    used_by: [],
  })
  const params = { id: schedule.id }
  const override = { user: bob.id, from: '2026-11-27T10:00:00.000Z', to: '2026-11-27T14:00:00.000Z' }
  const { body: replaced } = await root.call(editOnCallSchedule, {
    params,
    body: { ...body, overrides: [override], modified: schedule.modified },
  })
  expect(replaced.now).toEqual({ user: bob.id, name: 'bob', until: override.to, is_override: true })
  server.clock.advance(3 * 3600)
  expect((await root.call(getOnCallSchedule, { params })).body.now.name).toBe('ada')
  await server.ctx.db.updateTable('users').set({ is_active: 0 }).where('id', '=', ada.id).execute()
  expect((await root.call(listOnCallSchedules, {})).body).toMatchObject([
    { now: { name: 'bob', until: null } },
  ])
  await server.ctx.db.deleteFrom('users').where('id', '=', ada.id).execute()
  const [left] = (await root.call(listOnCallSchedules, {})).body
  expect([left?.members, left?.users.map(({ name }) => name)]).toEqual([[ada.id, bob.id], ['bob']])
  // A schedule with a deleted member can still be saved.
  const { body: again } = await root.call(editOnCallSchedule, { params, body: { ...body, name: 'All' } })
  expect(again.name).toBe('All')
  await root.call(deleteOnCallSchedule, { params })
  expect((await root.call(getOnCallSchedule, { params })).status).toBe(404)
  expect(events.filter(({ type }) => type === 'on_call_schedule.changed').map(({ ids }) => ids)).toEqual(
    Array.from({ length: 4 }, () => [schedule.id]),
  )
  const { body: audit } = await root.call(listAudit, { body: {} })
  const rows = audit.audit_logs.filter(({ object_type }) => object_type === 'oncallschedule')
  expect(rows.map(({ message }) => message).toReversed()).toEqual([
    'Added the on-call schedule "Servers"',
    'Changed the on-call schedule "Servers"',
    'Changed the on-call schedule "All"',
    'Deleted the on-call schedule "All"',
  ])
})

test('impossible schedules are refused at their field', async () => {
  await using prepared = await prepare()
  const { root, ada, body } = prepared
  const refused = async (change: object) => {
    const answer = await root.call(createOnCallSchedule, { body: { ...body, ...change } })
    return [answer.status, ...Object.keys(answer.error.fields ?? {})]
  }
  expect(await refused({ time_zone: 'Mars/Base' })).toEqual([400, 'time_zone'])
  expect(await refused({ starts: '2026-02-31T09:00' })).toEqual([400, 'starts'])
  expect(await refused({ starts: '1900-01-01T09:00' })).toEqual([400, 'starts'])
  expect(await refused({ members: [] })).toEqual([400, 'members'])
  expect(await refused({ members: [2_000_000] })).toEqual([400, 'members'])
  expect(await refused({ members: [ada.id, ada.id] })).toEqual([400, 'members'])
  const override = { user: ada.id, from: NOW, to: NOW }
  expect(await refused({ overrides: [override] })).toEqual([400, 'overrides'])
  await root.call(createOnCallSchedule, { body })
  expect(await refused({})).toEqual([409, 'name'])
})

test('a schedule in use is not deleted, and an older version is not saved over a newer one', async () => {
  await using prepared = await prepare()
  const { root, body } = prepared
  const { body: schedule } = await root.call(createOnCallSchedule, { body })
  const { body: chain } = await root.call(createEscalationChain, {
    body: { name: 'Night', steps: [{ after_minutes: 0, schedules: [schedule.id] }] },
  })
  const params = { id: schedule.id }
  expect((await root.call(getOnCallSchedule, { params })).body.used_by).toEqual(['Night'])
  const refused = await root.call(deleteOnCallSchedule, { params })
  expect([refused.status, refused.error.detail]).toEqual([
    409,
    'The escalation chain "Night" uses it. Change the chain first.',
  ])
  await root.call(editOnCallSchedule, { params, body: { ...body, rotates: 'daily' } })
  const late = await root.call(editOnCallSchedule, { params, body: { ...body, modified: schedule.modified } })
  expect([late.status, late.error.code]).toEqual([409, 'changed_meanwhile'])
  await root.call(deleteEscalationChain, { params: { id: chain.id } })
  expect((await root.call(deleteOnCallSchedule, { params })).status).toBe(200)
})

test('the rights are those of alert templates; a limited role changes nothing', async () => {
  await using prepared = await prepare()
  const { server, given, body } = prepared
  const client = await given.client()
  const reader = server.as(await given.user({ permissions: ['can_list_alerttemplates'] }))
  const limited = server.as(
    await given.user({
      permissions: ['can_list_alerttemplates', 'can_manage_alerttemplates'],
      clients: [client.id],
    }),
  )
  const nobody = server.as(await given.user({ permissions: ['can_list_alerts'] }))
  expect((await reader.call(listOnCallSchedules, {})).status).toBe(200)
  for (const user of [reader, limited, nobody])
    expect((await user.call(createOnCallSchedule, { body })).status).toBe(403)
  expect((await nobody.call(listOnCallSchedules, {})).status).toBe(403)
})
