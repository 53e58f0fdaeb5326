import '../../../app/mantine-styles.ts'
import '../../../app/global.css'
import { getAgent, listAgents } from '@muster/contract/api/agents'
import { listClients } from '@muster/contract/api/clients'
import { getDashInfo, getVersion } from '@muster/contract/api/system'
import { getRemoteAccess, type TargetRemoteAccess, setRemoteAccess } from '@muster/contract/api/remote-access'
import { type Me, getMe } from '@muster/contract/api/users'
import { DEFAULT_REMOTE_RULES } from '@muster/rules/remote/remote-rules'
import { beforeEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { givenDashInfo, givenMe, givenSession, openConsole } from '../../../testing/test-console.tsx'
import { answer, fakeServer, refuse } from '../../../testing/test-server.ts'

beforeEach(() => givenSession({ token: 'abc', username: 'ada', name: 'Ada Winter' }))

const NO_SETTINGS = {
  forbidden: null,
  hours: null,
  consent: null,
  consent_seconds: null,
  banner: null,
  ask_purpose: null,
  record_terminals: null,
  record_desktops: null,
  enforced: false,
}
const INHERITED = {
  ...DEFAULT_REMOTE_RULES,
  ask_purpose: false,
  record_terminals: 'servers' as const,
  record_desktops: 'none' as const,
}
const OFFICE = { weekdays: [1, 2, 3, 4, 5], from: '08:00', to: '17:00' }

const QUIET = {
  agent_count: 3,
  maintenance_mode: false,
  maintenance_count: 0,
  failing_checks: { error: false, warning: false },
  block_policy_inheritance: false,
  custom_fields: [],
  tags: [],
  alert_template: null,
  server_policy: null,
  workstation_policy: null,
}

function givenServer(access: Partial<TargetRemoteAccess> = {}, me: Partial<Me> = {}) {
  const server = fakeServer()
  const site = { id: 1, name: 'Berlin', client: 1, client_name: 'Acme', ...QUIET }
  const asked: unknown[] = []
  const bodies: unknown[] = []
  const place = {
    name: 'Berlin',
    settings: NO_SETTINGS,
    inherited: INHERITED,
    enforced: [],
    not_enforced: { count: 0, hostnames: [] },
    modified: 'm1',
    ...access,
  }
  server.on(getMe, () => answer(getMe, givenMe(me)))
  server.on(getVersion, () => answer(getVersion, '0.1.0'))
  server.on(getDashInfo, () => answer(getDashInfo, givenDashInfo()))
  server.on(listClients, () => answer(listClients, [{ id: 1, name: 'Acme', sites: [site], ...QUIET }]))
  server.on(listAgents, () => answer(listAgents, []))
  server.on(getAgent, () => refuse('not_found', 'Gone.'))
  server.on(getRemoteAccess, ({ path }) => {
    asked.push(path)
    return answer(getRemoteAccess, place)
  })
  server.on(setRemoteAccess, ({ body }) => {
    bodies.push(body)
    return answer(setRemoteAccess, place)
  })
  return { server, asked, bodies }
}

test('hours of a site are set, and the dialog shows inherited values', async () => {
  const { asked, bodies } = givenServer({ inherited: { ...INHERITED, forbidden: true } })
  const { screen, at } = await openConsole('/?dialog=remote-access&item=site-1')
  await expect.element(screen.getByRole('dialog', { name: 'Remote access to Berlin' })).toBeVisible()
  expect(asked).toEqual(['/remoteaccess/site/1/'])
  await expect
    .element(screen.getByRole('combobox', { name: 'Remote tools' }))
    .toHaveValue('Inherited: forbidden')
  await screen.getByRole('combobox', { name: 'Hours' }).click()
  await screen.getByRole('option', { name: 'At these hours' }).click()
  await screen.getByRole('checkbox', { name: 'Friday' }).click()
  await screen.getByLabelText('From').fill('22:00')
  await screen.getByLabelText('To', { exact: true }).fill('06:00')
  await expect.element(screen.getByText('On the next day')).toBeVisible()
  await screen.getByRole('button', { name: 'Save' }).click()
  await expect.poll(at).not.toMatch(/dialog/)
  const hours = { weekdays: [1, 2, 3, 4], from: '22:00', to: '06:00' }
  expect(bodies).toEqual([{ ...NO_SETTINGS, hours, modified: 'm1' }])
})

test('invalid hours are shown at their field and not saved', async () => {
  givenServer({ settings: { ...NO_SETTINGS, hours: { ...OFFICE, weekdays: [1] } } })
  const { screen } = await openConsole('/?dialog=remote-access&item=agent-ABCDEFGH')
  await screen.getByRole('checkbox', { name: 'Monday' }).click()
  await expect.element(screen.getByText('Choose at least one day.')).toBeVisible()
  await expect.element(screen.getByRole('button', { name: 'Save' })).toBeDisabled()
})

test('the settings have the access of all machines', async () => {
  const { asked } = givenServer({ name: '' })
  const { screen } = await openConsole('/?dialog=remote-access')
  await expect.element(screen.getByRole('heading', { level: 2, name: 'Remote access' })).toBeVisible()
  expect(asked).toEqual(['/remoteaccess/default/all/'])
  await expect.element(screen.getByRole('combobox', { name: 'Hours' })).toHaveValue('Not set: at any time')
})

test('consent and the note are set, and the effect without a desktop is shown', async () => {
  const { bodies } = givenServer()
  const { screen, at } = await openConsole('/?dialog=remote-access&item=client-1')
  await screen.getByRole('combobox', { name: 'Person at the machine' }).click()
  await screen.getByRole('option', { name: 'Consent required' }).click()
  await expect.element(screen.getByText(/does not open/)).toBeVisible()
  await screen.getByLabelText('Time to respond').fill('4')
  await expect.element(screen.getByText('Enter 5 to 120 seconds.')).toBeVisible()
  await screen.getByLabelText('Time to respond').fill('45')
  await screen.getByRole('combobox', { name: "Note with the technician's name" }).click()
  await screen.getByRole('option', { name: 'Shown', exact: true }).click()
  await screen.getByRole('button', { name: 'Save' }).click()
  await expect.poll(at).not.toMatch(/dialog/)
  expect(bodies).toEqual([
    { ...NO_SETTINGS, consent: 'require', consent_seconds: 45, banner: true, modified: 'm1' },
  ])
})

test('settings are enforced, and those that a level above enforces cannot be changed', async () => {
  const { bodies } = givenServer({
    inherited: { ...INHERITED, consent: 'require' },
    settings: { ...NO_SETTINGS, consent: 'off' },
    enforced: ['consent', 'consent_seconds'],
  })
  const { screen, at } = await openConsole('/?dialog=remote-access&item=client-1')
  const consent = screen.getByRole('combobox', { name: 'Person at the machine' })
  await expect.element(consent).toHaveValue('Inherited: consent required')
  await expect.element(consent).toBeDisabled()
  await expect.element(screen.getByLabelText('Time to respond')).toBeDisabled()
  await expect.element(screen.getByText('Enforced by a level above').first()).toBeVisible()
  await screen.getByRole('checkbox', { name: 'Enforced' }).click()
  await expect.element(screen.getByText('Sites and machines cannot change what is set here.')).toBeVisible()
  await screen.getByRole('button', { name: 'Save' }).click()
  await expect.poll(at).not.toMatch(/dialog/)
  expect(bodies).toEqual([{ ...NO_SETTINGS, consent: 'off', enforced: true, modified: 'm1' }])
})

test('requiring a reason can be set', async () => {
  const { bodies } = givenServer()
  const { screen, at } = await openConsole('/?dialog=remote-access&item=client-1')
  const reason = screen.getByRole('combobox', { name: 'Reason' })
  await expect.element(reason).toHaveValue('Inherited: not asked for')
  await reason.click()
  await screen.getByRole('option', { name: 'Asked for', exact: true }).click()
  await screen.getByRole('button', { name: 'Save' }).click()
  await expect.poll(at).not.toMatch(/dialog/)
  expect(bodies).toEqual([{ ...NO_SETTINGS, ask_purpose: true, modified: 'm1' }])
})

test('recording is set for a client, and for one machine', async () => {
  const { bodies } = givenServer()
  const { screen, at } = await openConsole('/?dialog=remote-access&item=client-1')
  const terminals = screen.getByRole('combobox', { name: 'Record terminals' })
  await expect.element(terminals).toHaveValue('Inherited: servers')
  await screen.getByRole('combobox', { name: 'Record desktops' }).click()
  await screen.getByRole('option', { name: 'All machines' }).click()
  await screen.getByRole('button', { name: 'Save' }).click()
  await expect.poll(at).not.toMatch(/dialog/)
  expect(bodies).toEqual([{ ...NO_SETTINGS, record_desktops: 'all', modified: 'm1' }])
})

test('a role that may not manage remote access sees no settings', async () => {
  const { asked } = givenServer({}, { is_superuser: false, permissions: ['can_list_agents'] })
  const { screen } = await openConsole('/?dialog=remote-access&item=site-1')
  await expect.element(screen.getByText(/does not allow|may not/)).toBeVisible()
  expect(asked).toEqual([])
})

test('machines whose agents are too old to enforce rules are counted and named', async () => {
  const hostnames = ['db-1', '<b>web</b>', 'web-2', 'web-3', 'web-4']
  givenServer({ not_enforced: { count: 7, hostnames } })
  await openConsole('/?dialog=remote-access&item=site-1')
  await expect.element(page.getByText('7 machines do not enforce this')).toBeVisible()
  await expect.element(page.getByText('db-1, <b>web</b>, web-2, web-3, web-4 and 2 more.')).toBeVisible()
})
