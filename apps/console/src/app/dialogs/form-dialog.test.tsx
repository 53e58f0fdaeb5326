import '../mantine-styles.ts'
import '../global.css'
import { listClients } from '@muster/contract/api/clients'
import { listCustomFields } from '@muster/contract/api/custom-fields'
import { beforeEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { givenDashInfo, givenMe, givenSession, openConsole } from '../../testing/test-console.tsx'
import { givenFrame, testClient } from '../../testing/test-frame.ts'
import { answer, fakeServer } from '../../testing/test-server.ts'
import { getDashInfo, getVersion } from '@muster/contract/api/system'
import { getMe } from '@muster/contract/api/users'

beforeEach(async () => {
  givenSession({ token: 'abc', username: 'ada', name: 'Ada Winter' })
  await page.viewport(1440, 900)
})

const ACME = testClient(1, 'Acme', { 1: 'Berlin' }, 5)
const AT = '/agents/abcdefgh12?dialog='

async function openDialog(dialog: string) {
  const server = givenFrame({ clients: [ACME] })
  server.on(listCustomFields, () => answer(listCustomFields, []))
  return (await openConsole(`${AT}${dialog}`)).screen
}

const topsOf = (elements: readonly Element[]) =>
  elements.map((element) => element.getBoundingClientRect().top)

test('a click below a required field that shows its error on blur is not lost', async () => {
  const screen = await openDialog('add-client')
  const name = screen.getByRole('textbox', { name: 'Name' })
  const site = screen.getByRole('textbox', { name: 'First site' })
  const cancel = screen.getByRole('button', { name: 'Cancel' })
  // A click waits until the dialog has come to rest.
  await name.click()
  const below = [site.element(), cancel.element()]
  const before = topsOf(below)
  await site.click()
  await expect.element(screen.getByText('A name is needed.').first()).toBeVisible()
  await expect.element(site).toHaveFocus()
  expect(topsOf(below)).toEqual(before)
  await name.click()
  expect(screen.getByText('A name is needed.').elements()).toHaveLength(2)
  expect(topsOf(below)).toEqual(before)
  await cancel.click()
  await expect.element(screen.getByRole('dialog')).not.toBeInTheDocument()
})

test('the button of the initial setup stays in place when a field shows its error', async () => {
  const server = fakeServer()
  server.on(getMe, () => answer(getMe, givenMe()))
  server.on(getDashInfo, () => answer(getDashInfo, givenDashInfo({ setup_open: true })))
  server.on(getVersion, () => answer(getVersion, '0.1.0'))
  server.on(listClients, () => answer(listClients, []))
  const { screen } = await openConsole('/setup')
  const finish = screen.getByRole('button', { name: 'Finish' })
  await screen.getByRole('textbox', { name: 'Client' }).click()
  const before = topsOf([finish.element()])
  await userEvent.keyboard('{Tab}')
  await expect.element(screen.getByText('A name is needed.')).toBeVisible()
  expect(topsOf([finish.element()])).toEqual(before)
})

test('a form lists the fields that keep its button disabled', async () => {
  const screen = await openDialog('add-client')
  const add = screen.getByRole('button', { name: 'Add client', exact: true })
  await expect.element(add).toBeDisabled()
  await expect.element(screen.getByText('Missing or invalid: Name, First site')).toBeVisible()
  await screen.getByRole('textbox', { name: 'Name' }).fill('Borealis')
  await expect.element(screen.getByText('Missing or invalid: First site')).toBeVisible()
  await screen.getByRole('textbox', { name: 'First site' }).fill('Office')
  await expect.element(add).toBeEnabled()
  await expect.element(screen.getByText(/Missing or invalid/)).not.toBeInTheDocument()
})

test('a form without changes says so', async () => {
  const screen = await openDialog('edit-client&item=1')
  await expect.element(screen.getByRole('button', { name: 'Save' })).toBeDisabled()
  await expect.element(screen.getByText('No changes to save.')).toBeVisible()
  await screen.getByRole('textbox', { name: 'Name' }).fill('Acme Dental')
  await expect.element(screen.getByRole('button', { name: 'Save' })).toBeEnabled()
  await expect.element(screen.getByText('No changes to save.')).not.toBeInTheDocument()
})
