import { endSession, listOwnSessions } from '@muster/contract/api/sessions'
import { getDashInfo } from '@muster/contract/api/system'
import { expect } from '@playwright/test'
import { addClient } from '../support/seed.ts'
import { readSession, sendPassword } from '../support/sign-in-page.ts'
import { type Session, signIn } from '../support/sign-in.ts'
import { test } from '../support/story.ts'
import { refusedWith } from '../support/watch-browser.ts'

test('a session that is ended on the server reaches its browser within a second', async ({
  admin,
  server,
  openConsole,
  expected,
}) => {
  expected.browser.push(refusedWith(401))
  await addClient(admin, 'Acme')
  const session = await signIn(server.url, server.admin)
  const page = await openConsole({ as: session, path: '/?node=Client|1' })
  await expect(page.getByRole('status').filter({ hasText: 'live' })).toBeVisible()
  await admin.call(endSession, { params: { digest: await digestOf(session) } })
  await expect(page).toHaveURL('/expired')
  await expect.poll(() => readSession(page)).toEqual({ next: '/?node=Client|1' })
})

test('a page opened with an ended session is remembered, and the sign-in returns to it', async ({
  admin,
  server,
  openConsole,
  expected,
}) => {
  expected.browser.push(refusedWith(401))
  await addClient(admin, 'Acme')
  for (const path of ['/?node=Client|1', '/policies/overview?node=Client|1', '/terminals?ids=a']) {
    const session = await signIn(server.url, server.admin)
    await admin.call(endSession, { params: { digest: await digestOf(session) } })
    const page = await openConsole({ as: session, path })
    await expect(page).toHaveURL('/expired')
    await expect.poll(() => readSession(page)).toEqual({ next: path })
    await page.getByRole('link', { name: 'Sign in' }).click()
    await sendPassword(page, server.admin)
    await page.getByRole('button', { name: 'Not now' }).click()
    await expect(page).toHaveURL(path)
    await page.close()
  }
})

test('a stolen token alone is worthless: without its cookie the browser is shown out', async ({
  admin,
  openConsole,
  expected,
}) => {
  expected.browser.push(refusedWith(401))
  await addClient(admin, 'Acme')
  const page = await openConsole({ as: { ...admin, cookies: new Map() } })
  await expect(page).toHaveURL('/expired')
})

test('the own sessions are listed, and another one can be ended', async ({
  admin,
  server,
  openConsole,
  expected,
}) => {
  expected.browser.push(refusedWith(401))
  await addClient(admin, 'Acme')
  const here = await openConsole({ as: admin })
  const other = await openConsole({ as: await signIn(server.url, server.admin) })
  await expect(other.getByRole('button', { name: 'Account of admin' })).toBeVisible()
  await here.getByRole('button', { name: 'Account of admin' }).click()
  await here.getByRole('menuitem', { name: 'Sessions' }).click()
  await expect(here).toHaveURL(/[?&]dialog=sessions/)
  const dialog = here.getByRole('dialog', { name: 'Sessions' })
  await expect(dialog.getByRole('button', { name: 'Close' }).last()).toBeFocused()
  await expect(dialog.getByRole('listitem')).toHaveCount(2)
  await expect(dialog.getByRole('listitem').first()).toContainText('this session')
  await dialog.getByRole('button', { name: 'End session', exact: true }).click()
  await expect(other).toHaveURL('/expired')
  await expect(dialog.getByRole('listitem')).toHaveCount(1)
})

test('sign-ins are listed, and a failed one appears while the list is open', async ({
  admin,
  server,
  openConsole,
  expected,
}) => {
  expected.browser.push(refusedWith(400))
  await addClient(admin, 'Acme')
  const here = await openConsole({ as: admin })
  await here.getByRole('button', { name: 'Account of admin' }).click()
  await here.getByRole('menuitem', { name: 'Sign-in history' }).click()
  const dialog = here.getByRole('dialog', { name: 'Sign-in history' })
  await expect(dialog.getByRole('listitem').first()).toContainText('Signed in')
  const other = await openConsole({ path: '/login' })
  await sendPassword(other, { username: 'admin', password: 'not it' })
  await expect(dialog.getByRole('listitem').first()).toContainText('Failed: wrong password')
  await expect(dialog.getByRole('listitem').first()).toContainText(
    /password · Chrome \d+ on Linux · 127\.0\.0\.1$/,
  )
  await sendPassword(other, server.admin)
  await expect(dialog.getByRole('listitem').first()).toContainText('Signed in')
})

test('all sessions can be ended at once, this one too', async ({ admin, server, openConsole, expected }) => {
  expected.browser.push(refusedWith(401))
  await addClient(admin, 'Acme')
  const here = await openConsole({ as: admin, path: '/?dialog=sessions' })
  const other = await openConsole({ as: await signIn(server.url, server.admin) })
  await expect(other.getByRole('button', { name: 'Account of admin' })).toBeVisible()
  await here.getByRole('button', { name: 'End all sessions' }).click()
  await here
    .getByRole('dialog', { name: 'End all sessions?' })
    .getByRole('button', { name: 'End all sessions' })
    .click()
  await expect(here).toHaveURL('/expired')
  await expect(other).toHaveURL('/expired')
})

test('a new password ends the other sessions and keeps this one', async ({
  admin,
  server,
  openConsole,
  expected,
}) => {
  expected.browser.push(refusedWith(401))
  await addClient(admin, 'Acme')
  const here = await openConsole({ as: admin, path: '/?dialog=reset-password' })
  const other = await openConsole({ as: await signIn(server.url, server.admin) })
  await expect(other.getByRole('button', { name: 'Account of admin' })).toBeVisible()
  const dialog = here.getByRole('dialog', { name: 'Change password' })
  const password = 'correct horse battery'
  await dialog.getByLabel('Current password', { exact: true }).fill(server.admin.password)
  await dialog.getByLabel('New password', { exact: true }).fill(password)
  await dialog.getByLabel('Repeat new password').fill(password)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  await expect(other).toHaveURL('/expired')
  await other.getByRole('link', { name: 'Sign in' }).click()
  await sendPassword(other, { username: 'admin', password })
  await expect(other).toHaveURL('/totp_setup')
})

test('in the grace after its end the page stays: one signs in again in place and loses nothing', async ({
  admin,
  server,
  openConsole,
  expected,
}) => {
  // Requests sent before the new session began are refused, and retried.
  expected.browser.push(refusedWith(401))
  await addClient(admin, 'Acme')
  const session = await signIn(server.url, server.admin)
  // Twelve hours cannot be waited for: the answer is what the server says in the grace.
  const info = await admin.call(getDashInfo, {})
  const page = await openConsole({ as: session, path: '/login' })
  await page.route('**/core/dashinfo/', (route) => {
    const isOld = route.request().headers()['authorization'] === `Token ${session.token}`
    return isOld ? route.fulfill({ json: { ...info, token_is_expired: true } }) : route.continue()
  })
  await page.goto('/?node=Client|1')
  const dialog = page.getByRole('dialog', { name: 'Your session has expired' })
  await expect(dialog).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeVisible()
  await expect(dialog.getByRole('textbox', { name: 'User name' })).toHaveValue('admin')
  await dialog.getByLabel('Password', { exact: true }).fill(server.admin.password)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await expect(dialog).toBeHidden()
  await expect(page).toHaveURL('/?node=Client|1')
  expect((await readSession(page))['access_token']).not.toBe(session.token)
})

/** The name of a session among those of its user. */
async function digestOf(session: Session): Promise<string> {
  const sessions = await session.call(listOwnSessions, {})
  const own = sessions.find(({ current }) => current)
  if (own === undefined) throw new Error('the list of sessions has not this one')
  return own.digest
}
