import { createCheck } from '@muster/contract/api/checks'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { AGENT, givenChecks } from './test-checks.ts'

const add = (type: string) => `/agents/${AGENT}?pane=checks&dialog=add-check&item=${AGENT}.${type}`
const field = (name: string) => page.getByRole('textbox', { name, exact: true })
const toasts = () =>
  [...document.querySelectorAll('[aria-live] [data-tone=negative]')].map((toast) => toast.textContent)

test('an http check requires its fields, and shows no wrong errors', async () => {
  const { server, open } = await givenChecks()
  await open(add('http'))
  await field('Name').fill('Shop')
  await field('Address').fill('https://ada:secret@shop.example.org/')
  await userEvent.keyboard('{Tab}')
  await expect.element(page.getByText(/Remove the user name and password/)).toBeVisible()
  await field('Address').fill('https://shop.example.org/')
  await field('Expected status').fill('200, 204')
  await field('Required text').fill('(.*)')
  await field('Warning threshold').fill('800')
  await field('Error threshold').fill('500')
  await userEvent.keyboard('{Tab}')
  await expect.poll(toasts).toEqual(['Warning Threshold must be less than Error Threshold'])
  await field('Error threshold').fill('2000')
  await field('Certificate: warning').fill('30')
  await page.getByRole('button', { name: 'Add check' }).click()
  await expect.element(page.getByText(/Check added/)).toBeVisible()
  expect(server.calls(createCheck)[0]?.body).toMatchObject({
    settings: {
      check_type: 'http',
      url: 'https://shop.example.org/',
      expected_status: [200, 204],
      text_present: '(.*)',
      text_absent: null,
      warning_threshold: 800,
      error_threshold: 2000,
      cert_warning_days: 30,
      cert_error_days: 3,
    },
  })
})

test.each([
  [
    'tcp',
    { Name: 'Mail', 'Host name or address': 'mail.example.org', Port: '25' },
    { port: 25, error_threshold: 0 },
  ],
  ['dns', { Name: 'Web', 'Name to resolve': 'www.example.org' }, { record_type: 'A', resolver: null }],
])('a %s check needs no thresholds', async (type, fields, settings) => {
  const { server, open } = await givenChecks()
  await open(add(type))
  for (const [name, text] of Object.entries(fields)) await field(name).fill(text)
  await page.getByRole('button', { name: 'Add check' }).click()
  await expect.element(page.getByText(/Check added/)).toBeVisible()
  expect(server.calls(createCheck)[0]?.body).toMatchObject({ settings: { check_type: type, ...settings } })
})

test('a process check says before it is saved that at most is less than at least', async () => {
  const { server, open } = await givenChecks()
  await open(add('process'))
  await field('Process').fill('sshd')
  await field('At most').fill('2')
  await field('At least').fill('3')
  await userEvent.keyboard('{Tab}')
  await expect.element(page.getByText('Not less than 3.')).toBeVisible()
  await expect.element(page.getByRole('button', { name: 'Add check' })).toBeDisabled()
  await field('At least').fill('2')
  await userEvent.keyboard('{Tab}')
  await expect.element(page.getByText('Not less than 3.')).not.toBeInTheDocument()
  await page.getByRole('button', { name: 'Add check' }).click()
  await expect.element(page.getByText(/Check added/)).toBeVisible()
  expect(server.calls(createCheck)[0]?.body).toMatchObject({ settings: { min_count: 2, max_count: 2 } })
})

test('a journal check says what to look for', async () => {
  const { server, open } = await givenChecks()
  await open(add('journal'))
  await field('Name').fill('Disk errors')
  await field('Unit').fill('smartd.service')
  await page.getByRole('combobox', { name: 'Priority' }).click()
  await page.getByRole('option', { name: 'warning (4)' }).click()
  await field('Message').fill('(I/O error')
  await field('Minimum number of entries').fill('3')
  await page.getByRole('button', { name: 'Add check' }).click()
  await expect.element(page.getByText(/Check added/)).toBeVisible()
  expect(server.calls(createCheck)[0]?.body).toMatchObject({
    settings: {
      name: 'Disk errors',
      unit: 'smartd.service',
      priority: 'warning',
      event_message: '(I/O error',
      search_last_minutes: 60,
      number_of_events_b4_alert: 3,
      fail_when: 'contains',
    },
  })
})

test('an event log check takes * or a number as event ID, and refuses the rest', async () => {
  const { server, open } = await givenChecks({ agent: { plat: 'windows' } })
  await open(add('eventlog'))
  await field('Name').fill('Crashes')
  await expect.element(field('Event ID')).toHaveValue('*')
  for (const refused of ['70000', '-1', '1.5', '46a', '**', ' ']) {
    await field('Event ID').fill(refused)
    await userEvent.keyboard('{Tab}')
    await expect.element(page.getByText('Use * for every event, or a number from 0 to 65535.')).toBeVisible()
    await expect.element(page.getByRole('button', { name: 'Add check' })).toBeDisabled()
    await field('Event ID').fill('*')
  }
  await field('Event ID').fill(' 70 34 ')
  await field('Source').fill('Service Control Manager')
  await page.getByRole('button', { name: 'Add check' }).click()
  await expect.element(page.getByText(/Check added/)).toBeVisible()
  expect(server.calls(createCheck)[0]?.body).toMatchObject({
    settings: {
      log_name: 'Application',
      event_type: 'INFO',
      event_id_is_wildcard: false,
      event_id: 7034,
      event_source: 'Service Control Manager',
      event_message: null,
      search_last_days: 1,
    },
  })
})
