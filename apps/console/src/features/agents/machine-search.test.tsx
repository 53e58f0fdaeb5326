import { listSearchFields, searchAgents } from '@muster/contract/api/agent-search'
import { listAgents } from '@muster/contract/api/agents'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, refuse } from '../../testing/test-server.ts'
import { MACHINES, answerMachines, givenDashboard } from '../dashboard/test-dashboard.ts'

const field = () => page.getByRole('textbox', { name: 'Search machines' })
const row = (name: string) => page.getByRole('row', { name: new RegExp(name) })
const option = (name: string) => page.getByRole('option', { name: new RegExp(`^${name}`) })

test('an error is shown in the search field, and the machines of the last search stay', async () => {
  const { open } = await givenDashboard()
  await open('/?search=disk_fre<10%')
  const message = 'There is no field disk_fre. Did you mean disk_free?'
  await expect.element(page.getByRole('alert')).toHaveTextContent(message)
  await expect.element(field()).toHaveAttribute('aria-invalid', 'true')
  // Nothing was found before: the table says why it is empty.
  await expect.element(page.getByRole('tabpanel').getByText(message)).toBeVisible()
  await field().fill('desk')
  await expect.element(row('bravo')).toBeVisible()
  await expect.element(row('alpha')).not.toBeInTheDocument()
  await field().fill('desk or')
  await expect.element(page.getByRole('alert')).toHaveTextContent('Enter a term after "or".')
  await expect.element(row('bravo')).toBeVisible()
  await field().fill('desk or name:alpha')
  await expect.element(row('alpha')).toBeVisible()
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
})

test('fields and values are suggested, and the keyboard chooses', async () => {
  const { server, open } = await givenDashboard()
  server.on(listAgents, (received) =>
    answerMachines(received, [{ ...MACHINES[0]!, client_name: 'Borealis Ltd' }, ...MACHINES.slice(1)]),
  )
  const { at } = await open()
  await expect.element(row('alpha')).toBeVisible()
  await userEvent.keyboard('/')
  await userEvent.keyboard('cli')
  await expect.element(option('client:')).toBeVisible()
  await userEvent.keyboard('{Tab}')
  await expect.element(field()).toHaveValue('client:')
  await expect.element(option('"Borealis Ltd"')).toBeVisible()
  await userEvent.keyboard('{ArrowDown}{ArrowDown}')
  await expect.element(option('"Borealis Ltd"')).toHaveAttribute('aria-selected', 'true')
  await userEvent.keyboard('{Enter}')
  await expect.element(field()).toHaveValue('client:"Borealis Ltd" ')
  await expect.element(field()).toHaveFocus()
  await expect.element(row('bravo')).not.toBeInTheDocument()
  await userEvent.keyboard('is:off')
  await expect.element(option('offline')).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await expect.element(page.getByRole('listbox')).not.toBeInTheDocument()
  await expect.element(field()).toHaveValue('client:"Borealis Ltd" is:off')
  await userEvent.keyboard('line')
  await userEvent.keyboard('{Enter}')
  await expect.element(field()).not.toHaveFocus()
  await expect.poll(at).toContain('is:offline')
})

test('the server answers what rows do not have, and other terms need no further request', async () => {
  const { server, open } = await givenDashboard()
  const found = Promise.withResolvers<Response>()
  server.on(searchAgents, () => found.promise)
  server.on(listSearchFields, () =>
    answer(listSearchFields, [{ id: 7, name: 'Room', type: 'text', model: 'agent' }]),
  )
  await open('/?search=software:firefox<130')
  await expect.poll(() => server.calls(searchAgents)).toHaveLength(1)
  await expect.element(page.getByText(/No machines match/)).not.toBeInTheDocument()
  const ids = ['alpha0000000', 'charlie00000']
  found.resolve(answer(searchAgents, { ids, terms: [{ term: 'software:firefox<130', ids }] }))
  await expect.element(row('alpha')).toBeVisible()
  await expect.element(row('bravo')).not.toBeInTheDocument()
  await field().fill('software:firefox<130 -name:alpha room:""')
  await expect.element(row('alpha')).not.toBeInTheDocument()
  await expect.element(row('charlie')).toBeVisible()
  expect(server.calls(searchAgents).map(({ body }) => body)).toEqual([{ search: 'software:firefox<130' }])
  server.on(searchAgents, () => refuse('not_allowed', 'Your role does not allow you to search by patch.'))
  await field().fill('patch:critical')
  await expect
    .element(page.getByRole('alert'))
    .toHaveTextContent('Your role does not allow you to search by patch.')
  await expect.element(row('charlie')).toBeVisible()
})

test('the table takes the keyboard when it shows what was searched for, not before', async () => {
  const { server, open } = await givenDashboard()
  const found = Promise.withResolvers<Response>()
  server.on(searchAgents, () => found.promise)
  await open()
  await expect.element(row('alpha')).toBeVisible()
  await userEvent.keyboard('/')
  await userEvent.keyboard('software:firefox ')
  await expect.poll(() => server.calls(searchAgents)).toHaveLength(1)
  await userEvent.keyboard('{Enter}')
  await expect.element(field()).toHaveFocus()
  found.resolve(
    answer(searchAgents, {
      ids: ['bravo0000000'],
      terms: [{ term: 'software:firefox', ids: ['bravo0000000'] }],
    }),
  )
  await expect.element(page.getByRole('grid', { name: 'Machines' })).toHaveFocus()
  await userEvent.keyboard('{ArrowDown}')
  await expect.element(row('bravo')).toHaveAttribute('aria-selected', 'true')
})

test('the help lists every field', async () => {
  const { open } = await givenDashboard()
  await open()
  await page.getByRole('button', { name: 'Search help' }).click()
  const dialog = page.getByRole('dialog', { name: 'Search' })
  await expect.element(dialog.getByText(/disk_free<10%/)).toBeVisible()
  await expect.element(dialog.getByText(/Free space of a volume/)).toBeInTheDocument()
})
