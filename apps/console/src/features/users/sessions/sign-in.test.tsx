import { listClients } from '@muster/contract/api/clients'
import { getDashInfo } from '@muster/contract/api/system'
import { checkCredentials, confirmTotp, login, setupTotp } from '@muster/contract/api/sessions'
import { getMe } from '@muster/contract/api/users'
import { beforeEach, expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
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
  const button = page.screen.getByRole('button', { name: 'Sign in' })
  await expect.element(page.screen.getByText('Try again in 2 s.')).toBeVisible()
  await expect.element(button).toBeDisabled()
  await expect.element(page.screen.getByText('Try again in 1 s.')).toBeVisible()
  await expect.element(button, { timeout: 4_000 }).toBeEnabled()
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
  server.on(confirmTotp, () => answer(confirmTotp, null))
  storeNext('/setup')
  const page = await openConsole('/login')
  await enterPassword(page)
  await expect
    .element(page.screen.getByRole('img', { name: 'QR code for your authenticator app' }))
    .toBeVisible()
  await expect.element(page.screen.getByText('ABCD EFGH IJKL')).toBeVisible()
  await expect.element(page.screen.getByRole('button', { name: 'Not now' })).toBeVisible()
  await page.screen.getByRole('textbox', { name: 'Code' }).fill('123456')
  await expect.element(page.screen.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  expect(server.calls(confirmTotp)[0]?.body).toEqual({ twofactor: '123456' })
  expect(localStorage.getItem('access_token')).toBeNull()
  // The sign-in with a code that follows still leads to where one wanted to go.
  expect(localStorage.getItem('next')).toBe('/setup')
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
