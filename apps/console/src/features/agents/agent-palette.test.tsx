import { getAgent } from '@muster/contract/api/agents'
import { listScripts } from '@muster/contract/api/scripts'
import { afterEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { closePalette } from '../../app/shell/palette.ts'
import { answer } from '../../testing/test-server.ts'
import { givenDashboard, testDetail } from '../dashboard/test-dashboard.ts'
import { testScript } from '../../features/scripts/test-script.ts'

afterEach(closePalette)

const field = page.getByRole('combobox', { name: /^Find a machine/ })
const options = page.getByRole('option')
const labels = () => options.elements().map((option) => option.children[1]?.textContent)

async function givenMachine() {
  const { server, open } = await givenDashboard()
  server.on(listScripts, () => answer(listScripts, [testScript({ id: 7, name: 'Clean up' })]))
  const { at } = await open('/?agent=alpha0000000')
  await expect.element(page.getByRole('button', { name: 'Actions', exact: true })).toBeVisible()
  return { at, server }
}

async function type(text: string) {
  await userEvent.keyboard('{Control>}k{/Control}')
  await expect.element(field).toHaveFocus()
  if (text !== '') await userEvent.keyboard(text)
}

test('the palette begins with the actions of the selected machine, and knows other words for them', async () => {
  await givenMachine()
  await type('')
  await expect.element(options.first()).toHaveTextContent('Open machine page')
  expect(page.getByRole('listbox', { name: 'Results' }).element().textContent).toMatch(/^alpha/)
  await userEvent.keyboard('restart')
  await expect.poll(labels).toEqual(expect.arrayContaining(['Reboot now', 'Reboot later']))
  await userEvent.clear(field)
  await userEvent.keyboard('slow')
  await expect.poll(labels).toContain('Machines with a busy processor')
})

test('Enter runs a script on the selected machine, and Alt+Enter edits it', async () => {
  const { at } = await givenMachine()
  await type('clean')
  await expect.poll(() => labels()[0]).toBe('Run Clean up on alpha')
  await userEvent.keyboard('{Enter}')
  await expect.poll(at).toContain('dialog=run-script&item=alpha0000000.7')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  await type('clean')
  await expect.poll(() => labels()[0]).toBe('Run Clean up on alpha')
  await userEvent.keyboard('{Alt>}{Enter}{/Alt}')
  await expect.poll(at).toContain('dialog=script&item=7')
})

test('an open palette lists the actions of a machine once it has loaded', async () => {
  const { server, open } = await givenDashboard()
  const machine = Promise.withResolvers<Response>()
  server.on(getAgent, () => machine.promise)
  await open('/?agent=alpha0000000')
  await expect.element(page.getByRole('row', { name: /alpha/ })).toBeVisible()
  await type('send command')
  await expect.poll(() => labels()[0]).toBe('alpha')
  machine.resolve(answer(getAgent, testDetail()))
  await expect.poll(() => labels()[0]).toBe('Send command')
})

test('machines that were shown before are listed as recent', async () => {
  await givenMachine()
  await page.getByRole('treeitem', { name: /Acme/ }).click()
  await type('')
  await expect.element(page.getByText('Recent', { exact: true })).toBeVisible()
})

test('checked machines come first, with the actions on all of them', async () => {
  const { open } = await givenDashboard()
  const { at } = await open()
  for (const name of ['alpha', 'bravo']) await page.getByRole('checkbox', { name: `Select ${name}` }).click()
  await type('')
  await expect.poll(() => labels().slice(0, 4)).toEqual(['Copy names', 'Run a job', 'Tags', 'Maintenance'])
  expect(page.getByRole('listbox', { name: 'Results' }).element().textContent).toMatch(/^2 selected/)
  await userEvent.keyboard('script')
  await expect.poll(labels).toContain('Run a job')
  await options.filter({ hasText: 'Run a job' }).click()
  await expect.poll(at).toContain('dialog=new-job&item=checked')
})
