import type { Page } from '@playwright/test'
import type { Credentials } from './sign-in.ts'

/** Fills in and sends the form of the sign-in page, as a person does. */
export async function sendPassword(page: Page, { username, password }: Credentials): Promise<void> {
  await page.getByRole('textbox', { name: 'User name' }).fill(username)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

export async function readStorage(page: Page): Promise<Record<string, string>> {
  return page.evaluate<Record<string, string>>('({ ...localStorage })')
}

/** Keys of the signed-in user, as the specification names them. */
const SESSION_KEYS = new Set(['user_name', 'name', 'access_token', 'sso_provider', 'provider_id', 'next'])

/** The part of local storage that says who is signed in. */
export async function readSession(page: Page): Promise<Record<string, string>> {
  const entries = Object.entries(await readStorage(page))
  return Object.fromEntries(entries.filter(([key]) => SESSION_KEYS.has(key)))
}

export async function writeStorage(page: Page, values: Record<string, string>): Promise<void> {
  await page.evaluate(`Object.assign(localStorage, ${JSON.stringify(values)})`)
}
