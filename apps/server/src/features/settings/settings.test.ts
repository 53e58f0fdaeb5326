import { getDashInfo } from '@muster/contract/api/system'
import { editCoreSettings, getCoreSettings } from '@muster/contract/api/settings'
import type { Event } from '@muster/contract/events'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'

const DEFAULTS = {
  check_history_prune_days: 7,
  check_history_5min_prune_days: 90,
  check_history_hourly_prune_days: 730,
  agent_history_prune_days: 60,
  resolved_alerts_prune_days: 365,
  audit_log_prune_days: 365,
  metrics_interval: 60,
  enable_server_scripts: false,
  enable_server_webterminal: false,
}

async function asKeeper(server: TestServer) {
  return server.as(
    await server.given.user({ permissions: ['can_view_core_settings', 'can_edit_core_settings'] }),
  )
}

test('spec, retention: history is kept for 7 days, 90 days and 2 years by default', async () => {
  await using server = await createTestServer()
  const events: Event[] = []
  server.ctx.onEvent((event) => void events.push(event))
  const keeper = await asKeeper(server)
  const { body } = await keeper.call(getCoreSettings, {})
  expect(body).toMatchObject(DEFAULTS)
  const saved = await keeper.call(editCoreSettings, {
    body: { check_history_prune_days: 30, modified: body.modified },
  })
  expect(saved.body).toMatchObject({ ...DEFAULTS, check_history_prune_days: 30 })
  expect((await keeper.call(getCoreSettings, {})).body).toEqual(saved.body)
  const audit = await server.ctx.db.selectFrom('audit_log').selectAll().orderBy('id').execute()
  expect(audit.at(-1)).toMatchObject({
    action: 'modify',
    object_type: 'coresettings',
    message: 'Changed the retention of history: every sample for 30 days',
    before_value: '{"check_history_prune_days":7}',
    after_value: '{"check_history_prune_days":30}',
  })
  expect(events).toContainEqual({ type: 'settings.changed', ids: ['check_history_prune_days'] })
})

test('saving unchanged settings changes nothing', async () => {
  await using server = await createTestServer()
  const keeper = await asKeeper(server)
  const before = (await keeper.call(getCoreSettings, {})).body
  expect((await keeper.call(editCoreSettings, { body: DEFAULTS })).body).toEqual(before)
  expect(await server.ctx.db.selectFrom('audit_log').selectAll().execute()).toEqual([])
})

test('invalid retentions are refused, each with its reason', async () => {
  await using server = await createTestServer()
  const keeper = await asKeeper(server)
  const refuse = async (body: object) => (await keeper.call(editCoreSettings, { body })).error
  expect(await refuse({ check_history_prune_days: 91 })).toMatchObject({
    code: 'invalid',
    detail: 'Coarser data must be kept at least as long as finer data.',
    fields: { check_history_5min_prune_days: ['Use at least 91 days, as for raw samples.'] },
  })
  expect(await refuse({ check_history_hourly_prune_days: 89 })).toMatchObject({
    fields: { check_history_hourly_prune_days: ['Use at least 90 days, as for 5-minute averages.'] },
  })
  expect(await refuse({ check_history_prune_days: 0 })).toMatchObject({
    fields: { check_history_prune_days: ['At least one day.'] },
  })
  expect(await refuse({ check_history_hourly_prune_days: 3651 })).toMatchObject({
    fields: { check_history_hourly_prune_days: ['At most 3650 days.'] },
  })
  for (const wrong of [1.5, '7', null, -1, 1e300])
    expect(await refuse({ check_history_prune_days: wrong })).toMatchObject({ code: 'invalid' })
  expect((await keeper.call(getCoreSettings, {})).body).toMatchObject(DEFAULTS)
})

test('scripts on the server are off by default, and only a superuser may switch them on or off', async () => {
  await using server = await createTestServer()
  const keeper = await asKeeper(server)
  const on = { body: { enable_server_scripts: true } }
  expect(await keeper.call(editCoreSettings, on)).toMatchObject({
    status: 403,
    error: { detail: 'Only a superuser may switch scripts on the server on or off.' },
  })
  expect((await keeper.call(getCoreSettings, {})).body.enable_server_scripts).toBe(false)
  const root = server.as(await server.given.user({ superuser: true }))
  await root.call(editCoreSettings, on)
  expect((await root.call(getDashInfo, {})).body.server_scripts_enabled).toBe(true)
  // Saving the rest of the form sends the current value again.
  const days = { check_history_prune_days: 9, enable_server_scripts: true }
  expect((await keeper.call(editCoreSettings, { body: days })).status).toBe(200)
  const audit = await server.ctx.db.selectFrom('audit_log').select('message').orderBy('id').execute()
  expect(audit.map(({ message }) => message)).toEqual([
    'Switched scripts on the server on',
    'Changed the retention of history: every sample for 9 days',
  ])
})

test('the second of two concurrent saves is refused', async () => {
  await using server = await createTestServer()
  const keeper = await asKeeper(server)
  const { modified } = (await keeper.call(getCoreSettings, {})).body
  await keeper.call(editCoreSettings, { body: { check_history_prune_days: 8, modified } })
  const { error } = await keeper.call(editCoreSettings, { body: { check_history_prune_days: 9, modified } })
  expect(error).toMatchObject({ code: 'changed_meanwhile' })
})

test('a user with read access cannot change them', async () => {
  await using server = await createTestServer()
  const reader = server.as(await server.given.user({ permissions: ['can_view_core_settings'] }))
  expect((await reader.call(getCoreSettings, {})).status).toBe(200)
  expect((await reader.call(editCoreSettings, { body: { check_history_prune_days: 8 } })).status).toBe(403)
})
