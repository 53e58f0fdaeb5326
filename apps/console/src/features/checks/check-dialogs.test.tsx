import { createCheck, editCheck, getCheck } from '@muster/contract/api/checks'
import { type Script, listScripts } from '@muster/contract/api/scripts'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer } from '../../testing/test-server.ts'
import { testScript } from '../scripts/test-script.ts'
import { AGENT, givenChecks, testCheck, testSamples } from './test-checks.ts'

const add = (type: string) => `/agents/${AGENT}?pane=checks&dialog=add-check&item=${AGENT}.${type}`
const EDIT = `/agents/${AGENT}?pane=checks&dialog=edit-check&item=1`
const field = (name: string) => page.getByRole('textbox', { name, exact: true })
const toasts = () =>
  [...document.querySelectorAll('[aria-live] [data-tone=negative]')].map((toast) => toast.textContent)

test('a CPU check is added with default values', async () => {
  const { server, open } = await givenChecks()
  const { at } = await open(add('cpuload'))
  await expect.element(field('Warning threshold')).toHaveValue('70 %')
  await expect.element(field('Warning threshold')).toHaveFocus()
  await expect
    .element(page.getByText('Warns after 10 min above 70 %, fails after 10 min above 90 %.'))
    .toBeVisible()
  await page.getByRole('button', { name: 'Add check' }).click()
  await expect.element(page.getByText('Check added. The first run starts in a moment.')).toBeVisible()
  expect(server.calls(createCheck)[0]?.body).toEqual({
    agent: AGENT,
    settings: { check_type: 'cpuload', warning_threshold: 70, error_threshold: 90 },
    fails_b4_alert: 5,
    run_interval: 0,
    depends_on: null,
  })
  expect(at()).not.toContain('dialog')
})

test.each([
  ['cpuload', '95', '90', 'Warning Threshold must be less than Error Threshold'],
  ['memory', '0', '0', 'Warning Threshold or Error Threshold need to be set'],
  ['diskspace', '5', '10', 'Warning Threshold must be more than Error Threshold'],
])('thresholds of %s that cannot work: a toast on leaving them, and a text that stays', async (...given) => {
  const [type, warning, error, message] = given
  const { server, open } = await givenChecks()
  await open(add(type))
  await field('Warning threshold').fill(warning)
  await field('Error threshold').fill(error)
  await userEvent.keyboard('{Tab}')
  await expect.poll(toasts).toEqual([message])
  const dialog = page.getByRole('dialog')
  await expect.element(dialog.getByText(message)).toBeVisible()
  await expect.element(page.getByRole('button', { name: 'Add check' })).toBeDisabled()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await expect.poll(toasts).toEqual([])
  await expect.element(dialog.getByText(message)).toBeVisible()
  expect(server.calls(createCheck)).toEqual([])
})

test('saving with Enter shows the errors, too', async () => {
  const { server, open } = await givenChecks()
  await open(add('cpuload'))
  await field('Warning threshold').fill('95')
  await userEvent.keyboard('{Enter}')
  await expect.poll(toasts).toEqual(['Warning Threshold must be less than Error Threshold'])
  expect(server.calls(createCheck)).toEqual([])
})

test('a disk check offers the disks of the machine, and takes any other', async () => {
  const disk = {
    device: '/dev/sda1',
    mount: '/srv',
    fstype: 'ext4',
    total: 20 * 1024 ** 3,
    used: 15 * 1024 ** 3,
    free: 5 * 1024 ** 3,
    percent: 75,
  }
  const facts = { disks: [disk] }
  // The dialog reads no other facts.
  const { server, open } = await givenChecks({ agent: { facts: facts as never } })
  await open(add('diskspace'))
  const name = page.getByRole('combobox', { name: 'Disk' }).or(field('Disk'))
  // It has the keyboard, and covers nothing yet.
  await expect.element(name.first()).toHaveFocus()
  await expect.element(page.getByRole('option')).not.toBeInTheDocument()
  await name.first().click()
  await page.getByRole('option', { name: /srv.*5 GB free of 20 GB/ }).click()
  await page.getByRole('button', { name: 'Add check' }).click()
  await expect.element(page.getByText(/Check added/)).toBeVisible()
  expect(server.calls(createCheck)[0]?.body).toMatchObject({
    settings: { disk: '/srv', threshold_unit: 'percent', warning_threshold: 25, error_threshold: 10 },
  })
})

test("a script check starts with the script's defaults", async () => {
  const script: Script = {
    id: 7,
    name: 'Queue length',
    description: 'Counts jobs.',
    category: '',
    shell: 'shell',
    script_type: 'userdefined',
    args: ['--all'],
    env_vars: ['QUEUE=main'],
    parameters: [],
    filename: '',
    syntax: '',
    default_timeout: 45,
    supported_platforms: [],
    favorite: false,
    hidden: false,
    run_as_user: false,
    server_approval: null,
  }
  const { server, open } = await givenChecks()
  server.on(listScripts, () => answer(listScripts, [script]))
  await open(add('script'))
  await page.getByRole('combobox', { name: 'Script' }).click()
  await page.getByRole('option', { name: 'Queue length' }).click()
  await expect.element(field('Arguments 1')).toHaveValue('--all')
  await field('Exit codes for warning').fill('1, 2')
  await page.getByRole('button', { name: 'Add metric' }).click()
  await field('Name of metric 1').fill('queue')
  await field('Error threshold of metric 1').fill('0')
  await page.getByRole('button', { name: 'Add metric' }).click()
  await field('Name of metric 2').fill('freezer')
  await field('Warning threshold of metric 2').fill('-15')
  await page.getByRole('button', { name: 'Add check' }).click()
  await expect.element(page.getByText(/Check added/)).toBeVisible()
  expect(server.calls(createCheck)[0]?.body).toMatchObject({
    settings: {
      script: 7,
      script_args: ['--all'],
      env_vars: ['QUEUE=main'],
      timeout: 45,
      warning_return_codes: [1, 2],
      metric_thresholds: [
        { name: 'queue', warning_threshold: null, error_threshold: 0, reverse: false },
        { name: 'freezer', warning_threshold: -15, error_threshold: null, reverse: false },
      ],
    },
  })
})

test.each([
  ['ping', { Name: 'Router', 'Host name or address': '192.0.2.1' }],
  ['service', { Service: 'cron.service' }],
  ['process', { Process: 'sshd' }],
  ['file', { Path: '/var/log/syslog' }],
  ['journal', { Name: 'Disk errors' }],
  ['eventlog', { Name: 'Failed sign-ins' }],
])('a %s check requires its subject', async (type, fields) => {
  const { server, open } = await givenChecks()
  await open(add(type))
  const save = page.getByRole('button', { name: 'Add check' })
  await expect.element(save).toBeDisabled()
  for (const [name, text] of Object.entries(fields)) await field(name).fill(text)
  await save.click()
  await expect.element(page.getByText(/Check added/)).toBeVisible()
  expect(server.calls(createCheck)[0]?.body).toMatchObject({
    settings: { check_type: type, alert_severity: 'warning' },
  })
})

test('an edit is sent with the revision of the opened form', async () => {
  const { server, open } = await givenChecks({ checks: [testCheck()] })
  await open(EDIT)
  const save = page.getByRole('button', { name: 'Save' })
  await expect.element(save).toBeDisabled()
  await field('Error threshold').fill('95')
  await save.click()
  await expect.element(page.getByText('Check saved.')).toBeVisible()
  expect(server.calls(editCheck)[0]?.body).toMatchObject({
    settings: { warning_threshold: 70, error_threshold: 95 },
    modified: 'm1',
  })
})

test('a conflict shows the changes and continues from them', async () => {
  const { state, server, open } = await givenChecks({ checks: [testCheck()] })
  await open(EDIT)
  await field('Error threshold').fill('95')
  state.checks = [testCheck({ run_interval: 60, modified: 'm2' })]
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.element(page.getByText('Another user has changed this check')).toBeVisible()
  await expect.element(page.getByText('Interval: empty → 60')).toBeVisible()
  await page.getByRole('button', { name: 'Use the new values' }).click()
  await expect.element(field('Interval')).toHaveValue('60 s')
  await expect.element(field('Error threshold')).toHaveValue('95 %')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.element(page.getByText('Check saved.')).toBeVisible()
  expect(server.calls(editCheck)[1]?.body).toMatchObject({ run_interval: 60, modified: 'm2' })
})

test('a form that is open stays as it is when the check changes elsewhere', async () => {
  const { state, open } = await givenChecks({ checks: [testCheck()] })
  const { queryClient } = await open(EDIT)
  await field('Error threshold').fill('95')
  state.checks = [testCheck({ readable_desc: 'Another', modified: 'm2' })]
  await queryClient.invalidateQueries({ queryKey: [`${getCheck.method} ${getCheck.path}`] })
  await expect.element(field('Error threshold')).toHaveValue('95 %')
  await expect.element(page.getByRole('dialog', { name: 'Edit CPU load' })).toBeVisible()
})

test('the form previews its thresholds on history, updated on each change', async () => {
  const samples = testSamples([10, 80, 80, 10, 95, 10])
  const { open } = await givenChecks({ checks: [testCheck({ run_interval: 60 })], samples })
  await open(EDIT)
  const preview = page.getByRole('region', { name: 'Preview of the thresholds' })
  await expect.element(preview.getByText(/: 2 alerts, 1 min in error, 2 min in warning$/)).toBeVisible()
  await field('Warning threshold').fill('5')
  await expect.element(preview.getByText(/: 1 alert, 1 min in error, 4 min/)).toBeVisible()
  await field('Warning threshold').fill('85')
  await field('Error threshold').fill('0')
  await expect.element(preview.getByText(/: 1 alert, 1 min in warning$/)).toBeVisible()
  await expect.element(preview.getByRole('slider')).toBeVisible()
})

test('a threshold is dragged on the graph', async () => {
  const samples = testSamples([10, 50, 10])
  const { open } = await givenChecks({ checks: [testCheck({ run_interval: 60 })], samples })
  await open(EDIT)
  const preview = page.getByRole('region', { name: 'Preview of the thresholds' })
  await expect.element(preview.getByText(/: no alerts$/)).toBeVisible()
  const graph = preview.getByRole('slider')
  await expect.poll(() => graph.element().querySelector('.u-over')).not.toBeNull()
  const over = graph.element().querySelector('.u-over')!
  const top = over.getBoundingClientRect().top - graph.element().getBoundingClientRect().top
  const y = (percent: number) => Math.round(top + (over.clientHeight * (100 - percent)) / 100)
  await userEvent.dragAndDrop(graph, graph, {
    sourcePosition: { x: 200, y: y(70) },
    targetPosition: { x: 200, y: y(40) },
  })
  await expect.element(preview.getByText(/: 1 alert, 1 min in warning$/)).toBeVisible()
  await expect.element(field('Warning threshold')).toHaveValue(expect.stringMatching(/^(39|40|41) %$/))
})

test('a deleted check shows a note', async () => {
  const { open } = await givenChecks()
  await open(EDIT)
  await expect.element(page.getByText(/No such check/)).toBeVisible()
})

test('a role without permission cannot edit checks by address', async () => {
  const { open } = await givenChecks({
    checks: [testCheck()],
    me: { is_superuser: false, permissions: ['can_list_agents', 'can_list_clients', 'can_list_checks'] },
  })
  await open(EDIT)
  await expect.element(page.getByText('Your role does not allow this action.')).toBeVisible()
})

test('a check can depend on a check of this or another machine', async () => {
  const router = testCheck({
    id: 7,
    settings: { check_type: 'ping', name: 'Router', ip: '192.0.2.1', alert_severity: 'error' },
  })
  const { server, open } = await givenChecks({ checks: [testCheck(), router] })
  await open(EDIT)
  const on = page.getByRole('combobox', { name: 'Depends on' }).or(field('Depends on')).first()
  await on.click()
  await expect
    .poll(() =>
      page
        .getByRole('option')
        .elements()
        .map((one) => one.textContent),
    )
    .toEqual(['Ping Router'])
  await page.getByRole('option', { name: 'Ping Router' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.element(page.getByText('Check saved.')).toBeVisible()
  expect(server.calls(editCheck)[0]?.body).toMatchObject({ depends_on: 7 })
})

test('the numbers of a script have previews of their own, by their names', async () => {
  const { points = [] } = testSamples([3, 12, 12, 3]).series[0] ?? {}
  const { points: sizes = [] } = testSamples([100, 100, 20, 100]).series[0] ?? {}
  const script = {
    check_type: 'script' as const,
    script: 1,
    script_args: [],
    env_vars: [],
    timeout: 90,
    info_return_codes: [],
    warning_return_codes: [],
    success_return_codes: [],
    metric_thresholds: [
      { name: 'queue', warning_threshold: 10, error_threshold: null, reverse: false },
      { name: 'free', warning_threshold: 50, error_threshold: null, reverse: true },
      { name: 'temp', warning_threshold: null, error_threshold: 15, reverse: false },
    ],
  }
  const samples = testSamples([], {
    series: [
      { name: 'metric:queue', unit: 'jobs', points },
      { name: 'metric:free', unit: 'MB', points: sizes },
    ],
  })
  const { server, open } = await givenChecks({
    checks: [testCheck({ run_interval: 60, settings: script, script_name: 'Queue' })],
    samples,
  })
  server.on(listScripts, () => answer(listScripts, [testScript({ id: 1, name: 'Queue' })]))
  await open(EDIT)
  const queue = page.getByRole('region', { name: 'Preview of the thresholds of queue' })
  const free = page.getByRole('region', { name: 'Preview of the thresholds of free' })
  await expect.element(queue.getByText(/: 1 alert, 2 min in warning$/)).toBeVisible()
  await expect.element(free.getByText(/: 1 alert, 1 min in warning$/)).toBeVisible()
  const temp = page.getByRole('region', { name: 'Preview of the thresholds of temp' })
  await expect.element(temp).toHaveTextContent('temp has no values yet. Without one, the check fails.')
  await page.getByRole('textbox', { name: 'Warning threshold of metric 1' }).fill('20')
  await expect.element(queue.getByText(/: no alerts$/)).toBeVisible()
  await expect.element(free.getByText(/: 1 alert, 1 min in warning$/)).toBeVisible()
})
