import { getDashInfo } from '@muster/contract/api/system'
import { getMe, savePreferences } from '@muster/contract/api/users'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { readPreferences, DEFAULT_PREFERENCES } from './queries.ts'

test('a new user gets the defaults', async () => {
  await using server = await createTestServer()
  const { body } = await server.as(await server.given.user()).call(getDashInfo, {})
  expect(body).toMatchObject({
    dark_mode: true,
    show_community_scripts: true,
    dbl_click_action: 'editagent',
    url_action: null,
    default_agent_tbl_tab: 'mixed',
    client_tree_sort: 'alphafail',
    client_tree_splitter: 20,
    dash_info_color: 'info',
    dash_positive_color: 'positive',
    dash_negative_color: 'negative',
    dash_warning_color: 'warning',
    clear_search_when_switching: true,
    date_format: '',
    default_date_format: 'MMM-DD-YYYY - HH:mm',
    hosted: false,
    token_is_expired: false,
    setup_open: true,
  })
})

test('saving one preference keeps the others, and every user has their own', async () => {
  await using server = await createTestServer()
  const ada = server.as(await server.given.user())
  const eve = server.as(await server.given.user())
  await ada.call(savePreferences, { body: { client_tree_splitter: 33 } })
  const { body } = await ada.call(savePreferences, { body: { agent_dblclick_action: 'takecontrol' } })
  expect(body).toEqual({
    ...DEFAULT_PREFERENCES,
    client_tree_splitter: 33,
    agent_dblclick_action: 'takecontrol',
  })
  expect((await ada.call(getDashInfo, {})).body).toMatchObject({
    client_tree_splitter: 33,
    dbl_click_action: 'takecontrol',
  })
  expect((await eve.call(getDashInfo, {})).body.client_tree_splitter).toBe(20)
})

test('two concurrent saves of different preferences both succeed', async () => {
  await using server = await createTestServer()
  const ada = server.as(await server.given.user())
  await Promise.all([
    ada.call(savePreferences, { body: { dark_mode: false } }),
    ada.call(savePreferences, { body: { client_tree_splitter: 40 } }),
    ada.call(savePreferences, { body: { compact_rows: false } }),
  ])
  expect((await ada.call(getDashInfo, {})).body).toMatchObject({
    dark_mode: false,
    client_tree_splitter: 40,
    compact_rows: false,
  })
})

test.each([
  [{ dash_info_color: 'no colour' }, 'dash_info_color'],
  [{ loading_bar_color: '#12345' }, 'loading_bar_color'],
  [{ client_tree_splitter: 20.5 }, 'client_tree_splitter'],
  [{ client_tree_splitter: 500 }, 'client_tree_splitter'],
  [{ default_agent_tbl_tab: 'printers' }, 'default_agent_tbl_tab'],
  [{ date_format: 'x'.repeat(61) }, 'date_format'],
  [{ url_action: 'docs' }, 'url_action'],
  [{ dark_mode: 'yes' }, 'dark_mode'],
])('%j is refused at its field', async (body, field) => {
  await using server = await createTestServer()
  const ada = server.as(await server.given.user())
  // Wrong on purpose.
  const { status, error } = await ada.call(savePreferences, { body: body as object })
  expect(status).toBe(400)
  expect(error.fields).toHaveProperty(field)
})

test.each(['red', 'deep-purple-3', 'warning', '#aabbcc'])('the colour %s is taken', async (color) => {
  await using server = await createTestServer()
  const ada = server.as(await server.given.user())
  const { body } = await ada.call(savePreferences, { body: { loading_bar_color: color } })
  expect(body.loading_bar_color).toBe(color)
})

test('an invalid stored value counts as not chosen', () => {
  const stored = JSON.stringify({ dark_mode: false, client_tree_sort: 'by size', gone: 1 })
  expect(readPreferences(stored)).toEqual({ ...DEFAULT_PREFERENCES, dark_mode: false })
})

test('a user sees their name and permissions', async () => {
  await using server = await createTestServer()
  const user = await server.given.user({ username: 'ada', permissions: ['can_list_agents'] })
  expect((await server.as(user).call(getMe, {})).body).toEqual({
    id: user.id,
    username: 'ada',
    name: null,
    is_superuser: false,
    permissions: ['can_list_agents'],
    passkeys: 0,
    recovery_codes: 0,
    password_min_length: 10,
    totp: false,
    totp_may_wait: true,
  })
  const root = await server.given.user({ superuser: true })
  expect((await server.as(root).call(getMe, {})).body.permissions).toContain('can_manage_accounts')
})
