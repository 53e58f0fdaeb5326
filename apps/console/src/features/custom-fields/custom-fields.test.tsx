import { editAgent, getAgent } from '@muster/contract/api/agents'
import { editClient } from '@muster/contract/api/clients'
import {
  type CustomField,
  createCustomField,
  deleteCustomField,
  editCustomField,
  listCustomFields,
} from '@muster/contract/api/custom-fields'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer } from '../../testing/test-server.ts'
import { CLIENTS, givenDashboard, testDetail } from '../dashboard/test-dashboard.ts'

const dialog = () => page.getByRole('dialog')

function field(id: number, more: Partial<CustomField> = {}): CustomField {
  return {
    id,
    order: id,
    model: 'agent',
    type: 'text',
    options: [],
    name: 'Room',
    required: false,
    default_value_string: '',
    default_value_bool: false,
    default_values_multiple: [],
    hide_in_ui: false,
    hide_in_summary: false,
    modified: 'm1',
    ...more,
  }
}

const ROOM = field(1, { default_value_string: 'Attic' })
const TAGS = field(2, { type: 'multiple', name: 'Tags', options: ['red', 'blue'] })
const VIP = field(3, { type: 'checkbox', name: 'VIP' })

async function givenFields(fields: CustomField[]) {
  const { server, open } = await givenDashboard()
  server.on(listCustomFields, () => answer(listCustomFields, fields))
  server.on(createCustomField, () => answer(createCustomField, ROOM))
  server.on(editCustomField, () => answer(editCustomField, ROOM))
  server.on(deleteCustomField, () => answer(deleteCustomField, null))
  return { server, open }
}

test('fields are listed by their owner type, and a new one is added', async () => {
  const { server, open } = await givenFields([ROOM, field(4, { model: 'site', name: 'Door' })])
  const { at } = await open('/?dialog=custom-fields&item=site')
  await expect.element(dialog().getByText('Door')).toBeVisible()
  await expect.element(dialog().getByText('Room')).not.toBeInTheDocument()
  await dialog().getByRole('tab', { name: 'Machines' }).click()
  await expect.element(dialog().getByText('Text · default: Attic')).toBeVisible()
  await dialog().getByRole('button', { name: 'New field' }).click()
  await expect.poll(at).toContain('item=new.agent')
  await dialog().getByRole('textbox', { name: 'Name' }).fill('Plan')
  await dialog().getByRole('combobox', { name: 'Type' }).click()
  await page.getByRole('option', { name: 'Single choice' }).click()
  await dialog().getByRole('button', { name: 'Add choice' }).click()
  await userEvent.keyboard('gold')
  await dialog().getByRole('button', { name: 'Add field' }).click()
  await expect.element(page.getByText('Field added.')).toBeVisible()
  expect(server.calls(createCustomField)[0]?.body).toMatchObject({
    model: 'agent',
    type: 'single',
    name: 'Plan',
    options: ['gold'],
  })
})

test('a required field needs a default before it can be saved', async () => {
  const { open } = await givenFields([field(1)])
  await open('/?dialog=custom-field&item=1')
  await dialog()
    .getByRole('checkbox', { name: /Required/ })
    .click()
  await expect.element(dialog().getByRole('button', { name: 'Save' })).toBeDisabled()
  await dialog().getByRole('textbox', { name: 'Default' }).fill('x')
  await expect.element(dialog().getByRole('button', { name: 'Save' })).toBeEnabled()
})

test('a field with a default is not required, and has no star', async () => {
  const { open } = await givenFields([
    field(1, { name: 'Room', required: true, default_value_string: 'Attic' }),
    field(2, { name: 'Desk', required: true }),
  ])
  await open('/?dialog=edit-agent&item=alpha0000000')
  await expect.element(dialog().getByText('Default: Attic')).toBeVisible()
  const labels = () => Array.from(document.querySelectorAll('label'), (label) => label.textContent)
  expect(labels()).toEqual(expect.arrayContaining(['Room', 'Desk *']))
})

test('a field is moved up, and deleted only after a typed yes', async () => {
  const { server, open } = await givenFields([ROOM, TAGS])
  await open('/?dialog=custom-fields&item=agent')
  await expect.element(dialog().getByRole('button', { name: 'Move Room up' })).toBeDisabled()
  await dialog().getByRole('button', { name: 'Move Tags up' }).click()
  expect(server.calls(editCustomField)[0]?.body).toEqual({ order: 0 })
  await dialog().getByRole('button', { name: 'Delete Room' }).click()
  const question = page.getByRole('dialog', { name: 'Delete Room?' })
  await expect.element(question.getByRole('button', { name: 'Delete' })).toBeDisabled()
  await question.getByRole('textbox').fill('yes')
  await question.getByRole('button', { name: 'Delete' }).click()
  await expect.element(page.getByText('Field deleted.')).toBeVisible()
})

test('spec, custom fields: a machine’s fields are edited, and changed values are sent by kind', async () => {
  const { server, open } = await givenFields([
    ROOM,
    TAGS,
    VIP,
    field(9, { name: 'Secret', hide_in_ui: true }),
  ])
  server.on(editAgent, () => answer(editAgent, testDetail({ modified: 'm2' })))
  const { at } = await open('/?dialog=edit-agent&item=alpha0000000')
  await expect.element(dialog().getByText('Default: Attic')).toBeVisible()
  await expect.element(dialog().getByText('Secret')).not.toBeInTheDocument()
  await dialog().getByRole('textbox', { name: 'Room' }).fill('Cellar')
  await dialog().getByRole('checkbox', { name: 'VIP' }).click()
  // The machine has tags of its own beside this field.
  await dialog()
    .getByRole('region', { name: 'Custom fields' })
    .getByRole('combobox', { name: 'Tags' })
    .click()
  await page.getByRole('option', { name: 'blue' }).click()
  await dialog().getByRole('button', { name: 'Save' }).click()
  await expect.poll(at).toBe('/')
  expect(server.calls(editAgent)[0]?.body).toEqual({
    modified: 'm1',
    custom_fields: [
      { field: 1, string_value: 'Cellar' },
      { field: 2, multiple_value: ['blue'] },
      { field: 3, bool_value: true },
    ],
  })
})

test('a client’s fields are edited with its name', async () => {
  const { server, open } = await givenFields([
    field(1, { model: 'client', type: 'number', name: 'Contract' }),
  ])
  server.on(editClient, () => answer(editClient, CLIENTS[0]!))
  await open('/?dialog=edit-client&item=1')
  const contract = dialog().getByRole('textbox', { name: 'Contract' })
  await contract.fill('many')
  await dialog().getByRole('textbox', { name: 'Name' }).click()
  await expect.element(dialog().getByText('Contract must be a number such as 42 or 0.5.')).toBeVisible()
  await contract.fill('42')
  await dialog().getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(() => server.calls(editClient)[0]?.body)
    .toMatchObject({
      custom_fields: [{ field: 1, string_value: '42' }],
    })
})

test('the summary of a machine shows its fields, except hidden ones', async () => {
  const { server, open } = await givenFields([ROOM])
  const value = { agent: 'alpha0000000', type: 'text' as const, hide_in_summary: false }
  server.on(getAgent, () =>
    answer(
      getAgent,
      testDetail({
        custom_fields: [
          { ...value, id: 1, field: 1, name: 'Room', value: '<b>Cellar</b>' },
          { ...value, id: 2, field: 2, name: 'Tags', type: 'multiple', value: ['red', 'blue'] },
          { ...value, id: 3, field: 3, name: 'Secret', value: 'x', hide_in_summary: true },
        ],
      }),
    ),
  )
  await open('/agents/alpha0000000')
  const card = page.getByRole('region', { name: 'Custom fields' })
  await expect.element(card.getByText('<b>Cellar</b>')).toBeVisible()
  await expect.element(card.getByText('red, blue')).toBeVisible()
  await expect.element(card.getByText('Secret')).not.toBeInTheDocument()
})
