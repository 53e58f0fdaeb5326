import { listCustomFields } from '@muster/contract/api/custom-fields'
import {
  type Session,
  type SignInRecord,
  createRecoveryCodes,
  listOwnSessions,
  listOwnSignIns,
  resetPassword,
  resetTotp,
  setupTotp,
} from '@muster/contract/api/sessions'
import { getMe, type Preferences, savePreferences } from '@muster/contract/api/users'
import { beforeEach, expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { givenMe, givenSession, openConsole } from '../../testing/test-console.tsx'
import { givenFrame } from '../../testing/test-frame.ts'
import { answer, refuse } from '../../testing/test-server.ts'

beforeEach(() => givenSession({ token: 'abc', username: 'ada', name: 'Ada Winter' }))

// An address whose own screen asks for little.
const AT = '/agents/abcdefgh12?dialog='

test('preferences are saved when something changed and is valid', async () => {
  const server = givenFrame()
  // The body is what the dialog sent.
  server.on(savePreferences, ({ body }) =>
    answer(savePreferences, { ...SAVED, ...(body as Partial<Preferences>) }),
  )
  const { screen, at } = await openConsole(`${AT}preferences`)
  const save = screen.getByRole('button', { name: 'Save' })
  await expect.element(save).toBeDisabled()
  await screen.getByRole('textbox', { name: 'Positive' }).fill('ruby')
  await expect.element(screen.getByText(/Enter a name such as/)).toBeVisible()
  await expect.element(save).toBeDisabled()
  await screen.getByRole('textbox', { name: 'Positive' }).fill('teal-7')
  await save.click()
  await expect.element(screen.getByText('Preferences saved.')).toBeVisible()
  expect(server.calls(savePreferences)[0]?.body).toMatchObject({
    dash_positive_color: 'teal-7',
    date_format: '',
  })
  expect(at()).toBe('/settings/preferences')
  await expect.element(save).toBeDisabled()
  await expect.element(screen.getByRole('textbox', { name: 'Positive' })).toHaveValue('teal-7')
})

test('leaving with changes asks, and keeps them by default', async () => {
  const server = givenFrame()
  server.on(listCustomFields, () => answer(listCustomFields, []))
  const { screen, at } = await openConsole(`${AT}add-client`)
  await screen.getByRole('textbox', { name: 'Name' }).fill('Borealis')
  await screen.getByRole('button', { name: 'Cancel' }).click()
  const question = screen.getByRole('dialog', { name: 'Discard your changes?' })
  await expect.element(question).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await expect.element(question).not.toBeInTheDocument()
  await expect.element(screen.getByRole('textbox', { name: 'Name' })).toHaveValue('Borealis')
  await screen.getByRole('button', { name: 'Cancel' }).click()
  await screen.getByRole('button', { name: 'Discard' }).click()
  await expect.element(screen.getByRole('dialog')).not.toBeInTheDocument()
  expect(at()).not.toContain('dialog')
})

test('a new password has the minimum length of the server', async () => {
  const server = givenFrame()
  server.on(getMe, () => answer(getMe, givenMe({ password_min_length: 14 })))
  server.on(resetPassword, () => answer(resetPassword, null))
  const { screen } = await openConsole(`${AT}reset-password`)
  await expect.element(screen.getByText('At least 14 characters')).toBeVisible()
  await screen.getByLabelText('Current password or code').fill('battery staple')
  await screen.getByLabelText('New password', { exact: true }).fill('kites fly hig')
  await screen.getByLabelText('Repeat new password').fill('kites fly high')
  await expect.element(screen.getByText('A password has at least 14 characters.')).toBeVisible()
  await screen.getByLabelText('New password', { exact: true }).fill('kites fly high')
  await screen.getByRole('button', { name: 'Save' }).click()
  await expect.element(screen.getByText('Password changed. Your other sessions have ended.')).toBeVisible()
})

test("the server's error is shown at its field, and input is kept", async () => {
  const server = givenFrame()
  server.on(resetPassword, () => refuse('invalid', 'This password is known from a leak.'))
  const { screen } = await openConsole(`${AT}reset-password`)
  await screen.getByLabelText('Current password or code').fill('battery staple')
  await screen.getByLabelText('New password', { exact: true }).fill('correct horse')
  await screen.getByLabelText('Repeat new password').fill('correct horse')
  await screen.getByRole('button', { name: 'Save' }).click()
  await expect.element(screen.getByRole('alert')).toHaveTextContent('This password is known from a leak.')
  await expect.element(screen.getByLabelText('New password', { exact: true })).toHaveValue('correct horse')
})

test('a session that runs out during a write asks for the password over the page', async () => {
  const server = givenFrame()
  server.on(resetPassword, () => refuse('session_expired', 'Your session has expired. Sign in again.'))
  const { screen, at } = await openConsole(`${AT}reset-password`)
  await screen.getByLabelText('Current password or code').fill('battery staple')
  await screen.getByLabelText('New password', { exact: true }).fill('correct horse')
  await screen.getByLabelText('Repeat new password').fill('correct horse')
  await screen.getByRole('button', { name: 'Save' }).click()
  await expect.element(screen.getByRole('dialog', { name: 'Your session has expired' })).toBeVisible()
  expect(at()).toBe(`${AT}reset-password`)
})

test('resetting two-factor sign-in asks for the current password or a code', async () => {
  const server = givenFrame()
  server.on(resetTotp, ({ body }) =>
    'current_password' in (body as object)
      ? refuse('invalid', 'The current password is wrong.')
      : answer(resetTotp, null),
  )
  server.on(setupTotp, () => answer(setupTotp, false))
  const { screen, at } = await openConsole(`${AT}reset-2fa`)
  const reset = screen.getByRole('button', { name: 'Reset two-factor', exact: true })
  await expect.element(reset).toBeDisabled()
  await screen.getByLabelText('Current password or code').fill('battery staple')
  await reset.click()
  await expect.element(screen.getByText('The current password is wrong.')).toBeVisible()
  await screen.getByLabelText('Current password or code').fill('123 456')
  await reset.click()
  await expect.poll(at).toContain('/totp_setup')
  expect(server.calls(resetTotp).map(({ body }) => body)).toEqual([
    { current_password: 'battery staple' },
    { twofactor: '123 456' },
  ])
})

test('recovery codes are counted, and replaced in exchange for the password', async () => {
  const server = givenFrame()
  server.on(getMe, () => answer(getMe, givenMe({ recovery_codes: 3 })))
  server.on(createRecoveryCodes, () =>
    answer(createRecoveryCodes, { recovery_codes: ['abcde-fghjk', 'mnpqr-stuvw'] }),
  )
  const { screen } = await openConsole(`${AT}recovery-codes`)
  await expect.element(screen.getByText('3 of 10 recovery codes left.')).toBeVisible()
  await screen.getByLabelText('Current password').fill('battery staple')
  await screen.getByRole('button', { name: 'Create new codes' }).click()
  await expect.element(screen.getByRole('dialog', { name: 'Save your recovery codes' })).toBeVisible()
  await expect.element(screen.getByText('mnpqr-stuvw')).toBeVisible()
  expect(server.calls(createRecoveryCodes)[0]?.body).toEqual({ current_password: 'battery staple' })
})

test('without two-factor sign-in the recovery codes lead to its set-up', async () => {
  const server = givenFrame()
  server.on(getMe, () => answer(getMe, givenMe({ totp: false, recovery_codes: 0 })))
  const { screen } = await openConsole(`${AT}recovery-codes`)
  await expect.element(screen.getByRole('link', { name: 'Set up two-factor' })).toBeVisible()
})

test("the user's sessions are listed, the current one first", async () => {
  const server = givenFrame()
  server.on(listOwnSessions, () =>
    answer(listOwnSessions, [
      givenOpenSession('a', { source: '198.51.100.7' }),
      givenOpenSession('b', { current: true }),
    ]),
  )
  const { screen } = await openConsole(`${AT}sessions`)
  await expect.element(screen.getByText('198.51.100.7')).toBeVisible()
  const rows = screen.getByRole('dialog', { name: 'Sessions' }).getByRole('listitem').elements()
  expect(rows.map((row) => row.textContent?.includes('this session'))).toEqual([true, false])
  expect(screen.getByRole('button', { name: 'End session', exact: true }).elements()).toHaveLength(1)
})

test("the user's own sign-ins are listed with reason, method, client and address", async () => {
  const server = givenFrame()
  server.on(listOwnSignIns, () =>
    answer(listOwnSignIns, [
      givenSignIn(3, {}),
      givenSignIn(2, { succeeded: false, reason: 'wrong_code', user_agent: '<b>probe</b>' }),
      givenSignIn(1, { succeeded: false, method: null, user_agent: null, source: '198.51.100.7' }),
    ]),
  )
  const { screen } = await openConsole(AT.replace('?dialog=', ''))
  await screen.getByRole('button', { name: 'Account of Ada Winter' }).click()
  await screen.getByRole('menuitem', { name: 'Sign-in history' }).click()
  const dialog = screen.getByRole('dialog', { name: 'Sign-in history' })
  await expect.element(dialog.getByText('Failed: right password, wrong code')).toBeVisible()
  const rows = dialog.getByRole('listitem').elements()
  const texts = rows.map(({ textContent }) => textContent ?? '')
  expect(texts[0]).toMatch(/^Signed in.* · password and code · Firefox 140 on Linux · 127\.0\.0\.1$/)
  expect(texts[1]).toContain('<b>probe</b>')
  expect(texts[2]).toMatch(/^Failed[^·:]*\d.* · 198\.51\.100\.7$/)
  expect(dialog.getByText(/The latest 100/).query()).toBeNull()
})

test.each([
  [100, 'The latest 100. The audit log has the older ones.'],
  [0, 'No sign-ins yet. Successful and failed ones are listed here.'],
])('a history of %i sign-ins says what is missing', async (length, text) => {
  const server = givenFrame()
  const signIns = Array.from({ length }, (_, id) => givenSignIn(id + 1, {}))
  server.on(listOwnSignIns, () => answer(listOwnSignIns, signIns))
  const { screen } = await openConsole(`${AT}sign-ins`)
  await expect.element(screen.getByText(text)).toBeInTheDocument()
})

const SAVED: Preferences = {
  dark_mode: true,
  show_community_scripts: true,
  agent_dblclick_action: 'editagent',
  url_action: null,
  default_agent_tbl_tab: 'mixed',
  client_tree_sort: 'alphafail',
  client_tree_splitter: 20,
  loading_bar_color: 'red',
  dash_info_color: 'info',
  dash_positive_color: 'positive',
  dash_negative_color: 'negative',
  dash_warning_color: 'warning',
  clear_search_when_switching: true,
  date_format: '',
  compact_rows: true,
  agent_columns: [],
  show_agent_version: false,
  start_page: 'dashboard',
  first_steps_hidden: false,
  terminal_font_size: 13,
  terminal_theme: 'dark',
}

function givenSignIn(id: number, more: Partial<SignInRecord>): SignInRecord {
  return {
    id,
    time: '2026-11-21T08:00:00.000Z',
    succeeded: true,
    reason: null,
    method: 'code',
    source: '127.0.0.1',
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    ...more,
  }
}

function givenOpenSession(letter: string, more: Partial<Session>): Session {
  return {
    digest: letter.repeat(64),
    user: 'ada',
    created: '2026-11-21T08:00:00.000Z',
    expiry: '2026-11-21T20:00:00.000Z',
    last_used: '2026-11-21T09:00:00.000Z',
    source: '127.0.0.1',
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    current: false,
    ...more,
  }
}
