import type { DashInfo } from '@muster/contract/api/system'
import { editCoreSettings, getCoreSettings } from '@muster/contract/api/settings'
import type { Me } from '@muster/contract/api/users'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer, refuse } from '../../testing/test-server.ts'
import { givenDashboard } from '../dashboard/test-dashboard.ts'
import { testSettings } from './test-settings.ts'

const ANSWER = testSettings()
const { modified } = ANSWER
// Sent by each section.
const HISTORY = {
  check_history_prune_days: 7,
  check_history_5min_prune_days: 90,
  check_history_hourly_prune_days: 730,
  agent_history_prune_days: 60,
  resolved_alerts_prune_days: 365,
  audit_log_prune_days: 0,
}
const GENERAL = {
  companyname: '',
  password_min_length: 10,
  block_local_user_logon: false,
  enable_server_scripts: false,
  enable_server_webterminal: false,
}
const main = () => page.getByRole('main')
const field = (name: string) => main().getByRole('textbox', { name, exact: true })
const save = () => main().getByRole('button', { name: 'Save' })

async function givenSettings(section: string, me: Partial<Me> = {}, info: Partial<DashInfo> = {}) {
  const { server, open } = await givenDashboard({ me, info })
  server.on(getCoreSettings, () => answer(getCoreSettings, ANSWER))
  server.on(editCoreSettings, () => answer(editCoreSettings, ANSWER))
  const { router } = await open(`/settings/${section}`)
  return { server, router }
}

test('the days for which history is kept are changed', async () => {
  const { server } = await givenSettings('retention')
  await expect.element(field('Raw data')).toHaveValue('7 days')
  await expect.element(save()).toBeDisabled()
  await field('Raw data').fill('30')
  await save().click()
  await expect.element(page.getByText('Settings saved.')).toBeVisible()
  expect(server.calls(editCoreSettings)[0]?.body).toEqual({
    ...HISTORY,
    check_history_prune_days: 30,
    modified,
  })
})

test('records are kept for a number of days, or forever when the field is empty', async () => {
  const { server } = await givenSettings('retention')
  await expect.element(field('Command history')).toHaveValue('60 days')
  await expect.element(field('Audit log')).toHaveValue('')
  await expect.element(field('Audit log')).toHaveAttribute('placeholder', 'Keep forever')
  await field('Audit log').fill('4000')
  await expect.element(main().getByText('At most 3650 days.')).toBeVisible()
  await expect.element(save()).toBeDisabled()
  await field('Audit log').fill('400')
  await field('Resolved alerts').fill('')
  await expect.element(field('Resolved alerts')).toHaveAttribute('placeholder', 'Keep forever')
  await field('Command history').fill('0')
  await save().click()
  await expect.element(page.getByText('Settings saved.')).toBeVisible()
  expect(server.calls(editCoreSettings)[0]?.body).toEqual({
    ...HISTORY,
    agent_history_prune_days: 0,
    resolved_alerts_prune_days: 0,
    audit_log_prune_days: 400,
    modified,
  })
})

test('how often machines measure themselves is changed', async () => {
  const { server } = await givenSettings('monitoring')
  await expect.element(field('Metrics interval')).toHaveValue('60 s')
  await field('Metrics interval').fill('5')
  await expect.element(main().getByText('Enter 10 to 3600 seconds.')).toBeVisible()
  await expect.element(save()).toBeDisabled()
  await field('Metrics interval').fill('30')
  await save().click()
  await expect.element(page.getByText('Settings saved.')).toBeVisible()
  expect(server.calls(editCoreSettings)[0]?.body).toEqual({
    availability_alerts_servers: true,
    availability_alerts_workstations: false,
    metrics_interval: 30,
    modified,
  })
})

test('conflicting days are shown at their field before saving', async () => {
  await givenSettings('retention')
  await field('Raw data').fill('120')
  await expect.element(main().getByText('Use at least 120 days, as for raw samples.')).toBeVisible()
  await expect.element(save()).toBeDisabled()
  await field('Raw data').fill('0')
  await expect.element(main().getByText('Enter 1 to 3650 days.')).toBeVisible()
  await field('Raw data').fill('')
  await expect.element(main().getByText('Enter 1 to 3650 days.')).toBeVisible()
  await expect.element(save()).toBeDisabled()
})

test('a conflict is shown and the form can reload', async () => {
  const { server } = await givenSettings('retention')
  const sentence = 'The settings were changed by another user. Reload them and try again.'
  server.on(editCoreSettings, () => refuse('changed_meanwhile', sentence))
  await field('Hourly averages').fill('900')
  const newer = { ...ANSWER, check_history_hourly_prune_days: 800, modified: '2026-11-21T11:00:00.000Z' }
  server.on(getCoreSettings, () => answer(getCoreSettings, newer))
  await save().click()
  await expect.element(main().getByText(sentence)).toBeVisible()
  await main().getByRole('button', { name: 'Reload' }).click()
  await expect.element(field('Hourly averages')).toHaveValue('800 days')
})

test('a superuser switches scripts on the server on; to others the switch is closed', async () => {
  const { server } = await givenSettings('general')
  await main()
    .getByRole('switch', { name: /^Scripts on the server/ })
    .click()
  await save().click()
  await expect.element(page.getByText('Settings saved.')).toBeVisible()
  expect(server.calls(editCoreSettings)[0]?.body).toEqual({
    ...GENERAL,
    enable_server_scripts: true,
    modified,
  })
})

test('a superuser limits password sign-in to superusers', async () => {
  const { server } = await givenSettings('general')
  await main().getByRole('switch', { name: 'Password sign-in for superusers only' }).click()
  await save().click()
  await expect.element(page.getByText('Settings saved.')).toBeVisible()
  expect(server.calls(editCoreSettings)[0]?.body).toEqual({
    ...GENERAL,
    block_local_user_logon: true,
    modified,
  })
})

test('the minimum length of passwords is changed', async () => {
  const { server } = await givenSettings('general')
  await field('Minimum password length').fill('9')
  await expect.element(main().getByText('Enter 10 to 64 characters.')).toBeVisible()
  await field('Minimum password length').fill('14')
  await save().click()
  await expect.element(page.getByText('Settings saved.')).toBeVisible()
  expect(server.calls(editCoreSettings)[0]?.body).toEqual({ ...GENERAL, password_min_length: 14, modified })
})

test('the settings of a hosted server have no switches for its own machine', async () => {
  await givenSettings('general', {}, { hosted: true })
  await expect.element(field('Your company')).toBeVisible()
  await expect.element(main().getByRole('switch', { name: /^Scripts on the server/ })).not.toBeInTheDocument()
  await expect.element(main().getByRole('switch', { name: /^Web terminal/ })).not.toBeInTheDocument()
})

test('only superusers can enable server scripts', async () => {
  await givenSettings('general', {
    is_superuser: false,
    permissions: ['can_view_core_settings', 'can_edit_core_settings', 'can_list_clients', 'can_list_agents'],
  })
  await expect.element(field('Your company')).toBeEnabled()
  await expect.element(main().getByRole('switch', { name: /^Scripts on the server/ })).toBeDisabled()
})

test('a read-only role cannot change settings', async () => {
  await givenSettings('retention', {
    is_superuser: false,
    permissions: ['can_view_core_settings', 'can_list_clients', 'can_list_agents'],
  })
  await expect.element(field('Raw data')).toBeDisabled()
  await expect
    .element(main().getByText('Your role does not allow you to change these settings', { exact: false }))
    .toBeVisible()
})

test('the recording of terminals, its retention and its size limit are changed', async () => {
  const { server } = await givenSettings('recordings')
  await main().getByRole('combobox', { name: 'Record terminals on' }).click()
  await page.getByRole('option', { name: 'All machines' }).click()
  await field('Keep recordings for').fill('0')
  await expect.element(main().getByText('Enter 1 to 3650 days.')).toBeVisible()
  await field('Keep recordings for').fill('30')
  await field('Max. size per terminal').fill('2000')
  await expect.element(main().getByText('Enter 1 to 1000 MB.')).toBeVisible()
  await field('Max. size per terminal').fill('200')
  await field('Max. size per desktop').fill('500')
  await save().click()
  await expect.element(page.getByText('Settings saved.')).toBeVisible()
  expect(server.calls(editCoreSettings)[0]?.body).toEqual({
    record_terminals: 'all',
    recording_keep_days: 30,
    recording_max_mb: 200,
    desktop_recording_max_mb: 500,
    modified,
  })
})

test('servers and workstations alert by default, or not', async () => {
  const { server } = await givenSettings('monitoring')
  await expect.element(main().getByRole('switch', { name: /^Alert when a server is overdue/ })).toBeChecked()
  await main()
    .getByRole('switch', { name: /^Alert when a workstation is overdue/ })
    .click({ force: true })
  await save().click()
  await expect.element(page.getByText('Settings saved.')).toBeVisible()
  expect(server.calls(editCoreSettings)[0]?.body).toMatchObject({
    availability_alerts_servers: true,
    availability_alerts_workstations: true,
  })
})

test('the company that users at machines read is changed', async () => {
  const { server } = await givenSettings('general')
  await field('Your company').fill('Nordwind IT')
  await save().click()
  await expect.element(page.getByText('Settings saved.')).toBeVisible()
  expect(server.calls(editCoreSettings)[0]?.body).toEqual({
    ...GENERAL,
    companyname: 'Nordwind IT',
    modified,
  })
})
