import {
  createMaintenanceWindow,
  deleteMaintenanceWindow,
  editMaintenanceWindow,
  listMaintenanceWindows,
} from '@muster/contract/api/maintenance'
import { PERMISSIONS } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import { deleteEndedWindows } from './jobs.ts'
import { ONCE, prepare, SUNDAYS } from './test-maintenance.ts'

test('a stale save is refused', async () => {
  await using world = await prepare()
  const { site, call } = world
  const window = await world.add([{ type: 'site', id: site.id }])
  const body = { reason: 'x', targets: [{ type: 'site' as const, id: site.id }], schedule: ONCE }
  const order = { params: { id: window.id }, body: { ...body, modified: window.modified } }
  expect((await call.call(editMaintenanceWindow, order)).body.reason).toBe('x')
  expect((await call.call(editMaintenanceWindow, order)).error.code).toBe('changed_meanwhile')
})

test('a user who sees a part sees only that part, and may not change the window', async () => {
  await using world = await prepare()
  const { site, other, server, given } = world
  const foreign = await given.site({ name: 'Secret' })
  const window = await world.add([
    { type: 'site', id: site.id },
    { type: 'site', id: foreign.id },
  ])
  const whole = await world.add([{ type: 'client', id: site.client_id }])
  await world.add([{ type: 'site', id: foreign.id }], ONCE, 'Hidden reason')
  const limited = server.as(await given.user({ permissions: PERMISSIONS, sites: [site.id] }))
  const { body, text } = await limited.call(listMaintenanceWindows, {})
  expect(body.map(({ id, targets, agent_count }) => [id, targets.length, agent_count])).toEqual([
    [window.id, 1, 1],
    [whole.id, 1, 1],
  ])
  expect(text).not.toMatch(/Secret|Hidden/)
  for (const { id } of body) {
    const answer = await limited.call(deleteMaintenanceWindow, { params: { id } })
    expect(answer.error.code).toBe('not_allowed')
  }
  const tries = [
    [{ type: 'site', id: other.id }, 'not_found'],
    [{ type: 'site', id: foreign.id }, 'not_found'],
    [{ type: 'client', id: foreign.client_id }, 'not_found'],
    [{ type: 'agent', id: world.far.agent_id }, 'not_found'],
    [{ type: 'client', id: site.client_id }, 'not_allowed'],
  ] as const
  for (const [target, code] of tries) {
    const order = { body: { targets: [target], schedule: ONCE } }
    expect((await limited.call(createMaintenanceWindow, order)).error.code).toBe(code)
  }
  const own = await limited.call(createMaintenanceWindow, {
    body: { targets: [{ type: 'site', id: site.id }], schedule: ONCE },
  })
  expect(own.status).toBe(200)
})

test.each([
  ['no target', { targets: [] }],
  ['a target of no kind', { targets: [{ type: 'planet', id: 1 }] }],
  ['a target that is text', { targets: [{ type: 'site', id: "1'; drop table agents" }] }],
  ['no schedule', { schedule: undefined }],
  ['a date that does not exist', { schedule: { ...ONCE, starts: '2026-02-30T02:00' } }],
  ['a date of long ago', { schedule: { ...ONCE, starts: '0001-01-01T00:00' } }],
  ['a time that is over', { schedule: { ...ONCE, starts: '2026-11-21T02:00' } }],
  ['a zone that is none', { schedule: { ...ONCE, time_zone: '../../etc/passwd' } }],
  ['no length, though it recurs', { schedule: { ...SUNDAYS, minutes: null } }],
  ['a length below a minute', { schedule: { ...ONCE, minutes: 0 } }],
  ['a length beyond a year', { schedule: { ...ONCE, minutes: 1e9 } }],
  ['a week without days', { schedule: { ...SUNDAYS, weekdays: [] } }],
  ['an eighth day', { schedule: { ...SUNDAYS, weekdays: [7] } }],
  ['a day of the month that is none', { schedule: { ...ONCE, recurs: 'monthly', month_days: [0] } }],
  ['an endless reason', { reason: 'x'.repeat(501) }],
])('%s is refused with a sentence', async (_name, wrong) => {
  await using world = await prepare()
  const good = { reason: '', targets: [{ type: 'site', id: world.site.id }], schedule: ONCE }
  const answer = await world.call.send({
    method: 'POST',
    url: '/maintenance/',
    payload: JSON.stringify({ ...good, ...wrong }),
    headers: { 'content-type': 'application/json' },
  })
  expect([answer.status, answer.error.code]).toEqual([400, 'invalid'])
  expect(
    Object.values(answer.error.fields ?? {})
      .flat()
      .join(' '),
  ).toMatch(/\w+ \w+/)
  expect((await world.call.call(listMaintenanceWindows, {})).body).toEqual([])
})

test('a repeated target counts once, and hostile text stays text', async () => {
  await using world = await prepare()
  const target = { type: 'site' as const, id: world.site.id }
  const window = await world.add([target, target], ONCE, '<img src=x onerror=alert(1)> \u0000')
  expect(window.targets).toHaveLength(1)
  expect(window.reason).toMatch(/^<img src=x onerror=alert\(1\)>/)
})

test('a window that ended a month ago leaves the list', async () => {
  await using world = await prepare()
  const { site, server } = world
  const target = [{ type: 'site' as const, id: site.id }]
  const single = await world.add(target)
  const recurring = await world.add(target, SUNDAYS)
  for (const [instant, left] of [
    ['2026-12-21T00:00:00Z', [single.id, recurring.id]],
    ['2026-12-23T00:00:00Z', [recurring.id]],
  ] as const) {
    server.clock.freeze(instant)
    await deleteEndedWindows(server.ctx)
    const rows = await server.ctx.db.selectFrom('maintenance_windows').select('id').orderBy('id').execute()
    expect(rows.map(({ id }) => id)).toEqual(left)
  }
})

test('every change is in the audit log, with before and after', async () => {
  await using world = await prepare()
  const { site, call, server } = world
  const window = await world.add([{ type: 'site', id: site.id }])
  const params = { id: window.id }
  const targets = [{ type: 'site' as const, id: site.id }]
  await call.call(editMaintenanceWindow, { params, body: { reason: 'Later', targets, schedule: ONCE } })
  await call.call(deleteMaintenanceWindow, { params })
  const rows = await server.ctx.db
    .selectFrom('audit_log')
    .select(['action', 'message', 'site_id', 'before_value', 'after_value'])
    .where('object_type', '=', 'maintenance')
    .orderBy('id')
    .execute()
  expect(rows.map(({ action, site_id }) => [action, site_id])).toEqual([
    ['add', site.id],
    ['modify', site.id],
    ['delete', site.id],
  ])
  expect(rows[1]?.before_value).toMatch(/New disks/)
  expect(rows[1]?.after_value).toMatch(/Later/)
})
