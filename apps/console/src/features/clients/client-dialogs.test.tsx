import { createClient, deleteClient, deleteSite, editSite } from '@muster/contract/api/clients'
import { listCustomFields } from '@muster/contract/api/custom-fields'
import { beforeEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { givenSession, openConsole } from '../../testing/test-console.tsx'
import { givenFrame, testClient } from '../../testing/test-frame.ts'
import { answer, refuse } from '../../testing/test-server.ts'

beforeEach(async () => {
  givenSession({ token: 'abc', username: 'ada', name: 'Ada Winter' })
  // Lists close when what they belong to is out of view.
  await page.viewport(1440, 2400)
})

const ACME = testClient(1, 'Acme', { 1: 'Berlin', 2: 'Munich' }, 5)
const BOREALIS = testClient(2, 'Borealis', { 3: 'Office' })

function givenServer() {
  const server = givenFrame({ clients: [ACME, BOREALIS] })
  server.on(listCustomFields, () => answer(listCustomFields, []))
  return server
}

const AT = '/agents/abcdefgh12?dialog='

test('a taken name is shown at its field, and input is kept', async () => {
  const server = givenServer()
  const detail = 'A client named "Acme" already exists.'
  const body = { detail, code: 'conflict', fields: { 'client.name': [detail] }, request_id: 'r' }
  server.on(createClient, () => new Response(JSON.stringify(body), { status: 409 }))
  const { screen } = await openConsole(`${AT}add-client`)
  const name = screen.getByRole('textbox', { name: 'Name' })
  await expect.element(screen.getByRole('button', { name: 'Add client', exact: true })).toBeDisabled()
  await name.fill('Acme')
  await screen.getByRole('textbox', { name: 'First site' }).fill('Berlin')
  await screen.getByRole('button', { name: 'Add client', exact: true }).click()
  await expect.element(name).toBeInvalid()
  await expect.element(name).toHaveValue('Acme')
  await expect.element(name).toHaveFocus()
  expect(screen.getByText(detail).elements()).toHaveLength(1)
  expect(server.calls(createClient)[0]?.body).toEqual({ client: { name: 'Acme' }, site: { name: 'Berlin' } })
})

test('a bar in a name is refused before anything is sent', async () => {
  givenServer()
  const { screen } = await openConsole(`${AT}edit-client&item=1`)
  await screen.getByRole('textbox', { name: 'Name' }).fill('A|B')
  await userEvent.keyboard('{Tab}')
  await expect.element(screen.getByText('A name may not contain "|".')).toBeVisible()
  await expect.element(screen.getByRole('button', { name: 'Save' })).toBeDisabled()
})

test('a site moves to another client, and the dialog lists what moves with it', async () => {
  const server = givenServer()
  server.on(editSite, () => answer(editSite, BOREALIS.sites[0]!))
  const { screen } = await openConsole(`${AT}edit-site&item=1`)
  // The dialog gives the keyboard to the name; a list that is open then would close.
  await expect.element(screen.getByRole('textbox', { name: 'Name' })).toHaveFocus()
  await screen.getByRole('combobox', { name: 'Client' }).click()
  await screen.getByRole('option', { name: 'Borealis' }).click()
  await expect.element(screen.getByText('Moves the site and its 5 machines out of Acme.')).toBeVisible()
  await screen.getByRole('button', { name: 'Save' }).click()
  await expect.element(screen.getByText('Site saved.')).toBeVisible()
  expect(server.calls(editSite)[0]?.body).toEqual({ site: { name: 'Berlin', client: 2 } })
})

test('a client with machines is deleted once their new site and its name are given', async () => {
  const server = givenServer()
  server.on(deleteClient, () => answer(deleteClient, null))
  const { screen, at } = await openConsole(`${AT}remove-client&item=1`)
  const remove = screen.getByRole('button', { name: 'Delete' })
  await screen.getByRole('textbox', { name: 'Type "Acme" to confirm' }).fill('acme')
  await expect.element(remove).toBeDisabled()
  await screen.getByRole('combobox', { name: 'Move machines to' }).click()
  // Sites of the client itself are not offered.
  await expect.element(screen.getByRole('option', { name: 'Berlin' })).not.toBeInTheDocument()
  await screen.getByRole('option', { name: 'Office' }).click()
  await remove.click()
  await expect.element(screen.getByText('Deleted Acme.')).toBeVisible()
  expect(server.calls(deleteClient)[0]?.search.get('move_to_site')).toBe('3')
  expect(at()).not.toContain('dialog')
})

test('the last site of a client stays, in the words of the server', async () => {
  const server = givenServer()
  server.on(deleteSite, () => refuse('conflict', '"Office" is the only site of "Borealis".'))
  const { screen } = await openConsole(`${AT}remove-site&item=3`)
  await expect.element(screen.getByText(/Add another site first/)).toBeVisible()
  await screen.getByRole('textbox', { name: 'Type "Office" to confirm' }).fill('Office')
  await userEvent.keyboard('{Enter}')
  await expect.element(screen.getByRole('alert').getByText(/"Office" is the only site/)).toBeVisible()
})

test('a dialog of a deleted item says so', async () => {
  givenServer()
  const { screen } = await openConsole(`${AT}edit-site&item=99`)
  await expect.element(screen.getByText(/No such site/)).toBeVisible()
})
