import { listClients } from '@muster/contract/api/clients'
import { getDashInfo } from '@muster/contract/api/system'
import { checkCredentials, confirmTotp, login, resetPassword, setupTotp } from '@muster/contract/api/sessions'
import { getMe } from '@muster/contract/api/users'
import { beforeEach, expect, test, vi } from 'vitest'
import { page as browser, userEvent } from 'vitest/browser'
import { storeNext } from '../../../app/session/session.ts'
import { givenDashInfo, givenMe, givenSession, openConsole } from '../../../testing/test-console.tsx'
import { answer, fakeServer, refuse } from '../../../testing/test-server.ts'

const WRONG = 'User name, password or code is wrong.'

beforeEach(() => givenSession(undefined))

/** A server whose user has TOTP; without a client, signing in ends at the initial setup. */
function givenServer() {
  const server = fakeServer()
  server.on(checkCredentials, () => answer(checkCredentials, { totp: true }))
  server.on(login, () => answer(login, { totp: true, token: 'new', username: 'ada', name: 'Ada Winter' }))
  server.on(getMe, () => answer(getMe, givenMe()))
  server.on(getDashInfo, () => answer(getDashInfo, givenDashInfo()))
  server.on(listClients, () => answer(listClients, []))
  return server
}

async function enterPassword({ screen }: Awaited<ReturnType<typeof openConsole>>) {
  await screen.getByRole('textbox', { name: 'User name' }).fill('ada')
  await screen.getByLabelText('Password', { exact: true }).fill('correct horse')
  await userEvent.keyboard('{Enter}')
}

test('the form is one that password managers fill', async () => {
  givenServer()
  const { screen } = await openConsole('/login')
  const username = screen.getByRole('textbox', { name: 'User name' })
  const password = screen.getByLabelText('Password', { exact: true })
  await expect.element(username).toHaveAttribute('autocomplete', 'username')
  await expect.element(password).toHaveAttribute('autocomplete', 'current-password')
  await expect.element(password).toHaveAttribute('type', 'password')
  expect(username.element().closest('form')).toBe(password.element().closest('form'))
  await expect.element(username).toHaveFocus()
})

test('the eye shows the password and hides it again', async () => {
  givenServer()
  const { screen } = await openConsole('/login')
  const password = screen.getByLabelText('Password', { exact: true })
  await password.fill('secret')
  await screen.getByRole('button', { name: 'Show password' }).click()
  await expect.element(password).toHaveAttribute('type', 'text')
})

test('password, then code: the session is stored and the remembered page opens', async () => {
  const server = givenServer()
  storeNext('/setup')
  const page = await openConsole('/login')
  await enterPassword(page)
  const code = page.screen.getByRole('textbox', { name: 'Code' })
  await expect.element(code).toHaveAttribute('autocomplete', 'one-time-code')
  expect(localStorage.getItem('access_token')).toBeNull()
  await code.fill('123 456')
  await expect.element(page.screen.getByRole('heading', { name: 'Welcome to Muster' })).toBeVisible()
  expect(server.calls(login)[0]?.body).toEqual({
    username: 'ada',
    password: 'correct horse',
    twofactor: '123456',
  })
  expect(localStorage.getItem('access_token')).toBe('new')
  expect(localStorage.getItem('user_name')).toBe('ada')
  expect(localStorage.getItem('name')).toBe('Ada Winter')
  expect(localStorage.getItem('next')).toBeNull()
  expect(server.calls(getMe)[0]?.headers.authorization).toBe('Token new')
})

test('a code is sent once, when its sixth digit is there', async () => {
  const server = givenServer()
  const page = await openConsole('/login')
  await enterPassword(page)
  const code = page.screen.getByRole('textbox', { name: 'Code' })
  await code.fill('12345')
  expect(server.calls(login)).toHaveLength(0)
  await code.fill('123456')
  await expect.element(page.screen.getByRole('heading', { name: 'Welcome to Muster' })).toBeVisible()
  expect(server.calls(login)).toHaveLength(1)
})

test('a wrong password says so and keeps the user name', async () => {
  const server = givenServer()
  server.on(checkCredentials, () => refuse('bad_credentials', WRONG))
  const page = await openConsole('/login')
  await enterPassword(page)
  await expect.element(page.screen.getByRole('alert')).toHaveTextContent(WRONG)
  await expect.element(page.screen.getByRole('textbox', { name: 'User name' })).toHaveValue('ada')
})

test('a wrong code says so, and the next one can be typed at once', async () => {
  const server = givenServer()
  server.on(login, () => refuse('bad_credentials', WRONG))
  const page = await openConsole('/login')
  await enterPassword(page)
  const code = page.screen.getByRole('textbox', { name: 'Code' })
  await code.fill('000000')
  await expect.element(page.screen.getByRole('alert')).toHaveTextContent(WRONG)
  await expect.element(code).toHaveValue('')
  await expect.element(code).toHaveFocus()
})

test('too many attempts show a countdown before the next one', async () => {
  const server = givenServer()
  server.on(checkCredentials, () =>
    refuse('too_many_requests', 'Too many failed attempts. Try again in 2 seconds.', { 'retry-after': '2' }),
  )
  const page = await openConsole('/login')
  await enterPassword(page)
  const button = page.screen.getByRole('button', { name: 'Sign in', exact: true })
  await expect.element(page.screen.getByText('Try again in 2 s.')).toBeVisible()
  await expect.element(button).toBeDisabled()
  await expect.element(page.screen.getByText('Try again in 1 s.')).toBeVisible()
  await expect.element(button).toBeEnabled()
})

test('an unreachable server is shown in the form', async () => {
  const server = givenServer()
  server.on(checkCredentials, () => {
    throw new TypeError('Failed to fetch')
  })
  const page = await openConsole('/login')
  await enterPassword(page)
  await expect.element(page.screen.getByText('The server cannot be reached.')).toBeVisible()
})

test('a user without TOTP gets to its setup, with key and QR code', async () => {
  const server = givenServer()
  server.on(checkCredentials, () =>
    answer(checkCredentials, { totp: false, token: 'new', username: 'ada', name: null }),
  )
  server.on(setupTotp, () =>
    answer(setupTotp, {
      username: 'ada',
      totp_key: 'ABCDEFGHIJKL',
      qr_url: 'otpauth://totp/ada?secret=ABCDEFGHIJKL',
    }),
  )
  server.on(getMe, () => answer(getMe, givenMe({ totp: false, totp_may_wait: true })))
  server.on(confirmTotp, () => answer(confirmTotp, { recovery_codes: ['abcde-fghjk', 'mnpqr-stuvw'] }))
  storeNext('/setup')
  const page = await openConsole('/login')
  await enterPassword(page)
  await expect
    .element(page.screen.getByRole('img', { name: 'QR code for your authenticator app' }))
    .toBeVisible()
  await expect.element(page.screen.getByText('ABCD EFGH IJKL')).toBeVisible()
  await expect.element(page.screen.getByRole('button', { name: 'Not now' })).toBeVisible()
  await page.screen.getByRole('textbox', { name: 'Code' }).fill('123456')
  await expect.element(page.screen.getByRole('heading', { name: 'Save your recovery codes' })).toBeVisible()
  expect(server.calls(confirmTotp)[0]?.body).toEqual({ twofactor: '123456' })
  const codes = page.screen.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
  expect(codes.elements().map(({ textContent }) => textContent)).toEqual(['abcde-fghjk', 'mnpqr-stuvw'])
  await page.screen.getByRole('button', { name: 'Continue' }).click()
  // The session goes on, where the user wanted to go.
  await expect.element(page.screen.getByRole('heading', { name: 'Welcome to Muster' })).toBeVisible()
  expect(localStorage.getItem('access_token')).toBe('new')
})

test('recovery codes are saved as a file and printed', async () => {
  const page = await openConfirmed()
  const save = vi.spyOn(URL, 'createObjectURL')
  await page.screen.getByRole('button', { name: 'Download' }).click()
  const [blob] = save.mock.calls[0] ?? []
  expect(blob instanceof Blob ? await blob.text() : '').toContain('abcde-fghjk\nmnpqr-stuvw')
  const print = vi.spyOn(window, 'print').mockReturnValue()
  await page.screen.getByRole('button', { name: 'Print' }).click()
  expect(print).toHaveBeenCalledOnce()
})

/** The set-up page after the first code. */
async function openConfirmed() {
  givenSession({ token: 'abc', username: 'ada' })
  const server = givenServer()
  server.on(setupTotp, () =>
    answer(setupTotp, { username: 'ada', totp_key: 'ABCD', qr_url: 'otpauth://totp/ada' }),
  )
  server.on(confirmTotp, () => answer(confirmTotp, { recovery_codes: ['abcde-fghjk', 'mnpqr-stuvw'] }))
  const page = await openConsole('/totp_setup')
  await page.screen.getByRole('textbox', { name: 'Code' }).fill('123456')
  await expect.element(page.screen.getByRole('heading', { name: 'Save your recovery codes' })).toBeVisible()
  return page
}

test('without the app, a recovery code signs in, and the number left is shown', async () => {
  const server = givenServer()
  server.on(login, () =>
    answer(login, { totp: true, token: 'new', username: 'ada', name: null, recovery_codes_left: 9 }),
  )
  const page = await openConsole('/login')
  await enterPassword(page)
  await page.screen.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.screen.getByRole('textbox', { name: 'Recovery code' }).fill('ABCDE-fghjk')
  await userEvent.keyboard('{Enter}')
  await expect.element(page.screen.getByText('Recovery code used. 9 left.')).toBeVisible()
  expect(server.calls(login)[0]?.body).toMatchObject({ twofactor: 'ABCDE-fghjk' })
  expect(localStorage.getItem('access_token')).toBe('new')
})

test('a wrong recovery code says so, and a code of the app can be used instead', async () => {
  const server = givenServer()
  server.on(login, () => refuse('bad_credentials', WRONG))
  const page = await openConsole('/login')
  await enterPassword(page)
  await page.screen.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.screen.getByRole('textbox', { name: 'Recovery code' }).fill('abcde-fghjk')
  await userEvent.keyboard('{Enter}')
  await expect.element(page.screen.getByRole('alert')).toHaveTextContent(WRONG)
  await page.screen.getByRole('button', { name: 'Use a code of the authenticator app' }).click()
  await expect.element(page.screen.getByRole('textbox', { name: 'Code', exact: true })).toBeVisible()
})

test('where TOTP may not wait, there is no way past it but signing out', async () => {
  givenSession({ token: 'abc', username: 'ada' })
  const server = givenServer()
  server.on(setupTotp, () =>
    answer(setupTotp, { username: 'ada', totp_key: 'ABCD', qr_url: 'otpauth://totp/ada' }),
  )
  server.on(getMe, () => answer(getMe, givenMe({ totp: false, totp_may_wait: false })))
  const { screen } = await openConsole('/totp_setup')
  await expect.element(screen.getByRole('link', { name: 'Sign out' })).toBeVisible()
  await expect.element(screen.getByRole('button', { name: 'Not now' })).not.toBeInTheDocument()
})

test('a finished TOTP setup shows a note', async () => {
  givenSession({ token: 'abc', username: 'ada' })
  const server = givenServer()
  server.on(setupTotp, () => answer(setupTotp, false))
  const { screen } = await openConsole('/totp_setup')
  await expect.element(screen.getByText(/already set up/)).toBeVisible()
})

// Last: its notification covers the buttons of another test.
test('a required password change comes before everything else', async () => {
  const server = givenServer()
  server.on(checkCredentials, () =>
    answer(checkCredentials, { totp: false, token: 'new', username: 'ada', must_change_password: true }),
  )
  server.on(getMe, () => answer(getMe, givenMe({ totp: false })))
  server.on(setupTotp, () => answer(setupTotp, false))
  server.on(resetPassword, () => answer(resetPassword, null))
  const page = await openConsole('/login')
  await enterPassword(page)
  const { screen } = page
  await expect.element(screen.getByRole('heading', { name: 'Change your password' })).toBeVisible()
  expect(page.at()).toBe('/change_password')
  await browser.viewport(390, 844)
  const signOut = screen.getByRole('link', { name: 'Sign out' })
  await expect.poll(() => signOut.element().getBoundingClientRect().height).toBeGreaterThanOrEqual(44)
  await screen.getByLabelText('Current password').fill('correct horse')
  await screen.getByLabelText('New password', { exact: true }).fill('kites fly over there')
  await screen.getByLabelText('Repeat new password').fill('kites fly over here')
  const change = screen.getByRole('button', { name: 'Change password' })
  await expect.element(change).toBeDisabled()
  await screen.getByLabelText('Repeat new password').fill('kites fly over there')
  await change.click()
  await expect.element(screen.getByRole('heading', { name: 'Two-factor sign-in' })).toBeVisible()
  expect(server.calls(resetPassword).map(({ body }) => body)).toEqual([
    { current_password: 'correct horse', password: 'kites fly over there' },
  ])
})
