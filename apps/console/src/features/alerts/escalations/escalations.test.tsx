import {
  createEscalationChain,
  deleteEscalationChain,
  editEscalationChain,
  type EscalationChain,
  listEscalationChains,
  listEscalationTargets,
} from '@muster/contract/api/escalations'
import { listOnCallSchedules, type OnCallSchedule } from '@muster/contract/api/on-call'
import type { Me } from '@muster/contract/api/users'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer, refuse } from '../../../testing/test-server.ts'
import { givenDashboard } from '../../dashboard/test-dashboard.ts'
import { testSchedule, USERS } from '../on-call/test-schedule.ts'

const LIST = '/?dialog=escalation-chains'
const dialog = () => page.getByRole('dialog')

function testChain(more: Partial<EscalationChain> = {}): EscalationChain {
  return {
    id: 1,
    name: 'Night',
    steps: [
      { after_minutes: 0, users: [1], schedules: [], channels: [] },
      { after_minutes: 15, users: [], schedules: [3], channels: [4] },
    ],
    repeat_minutes: 10,
    repeat_times: 2,
    mail_channel: null,
    step_names: [['Ada'], ['Servers', 'Pager']],
    used_by: ['Strict'],
    modified: 'm1',
    ...more,
  }
}

async function givenChains(
  chains: EscalationChain[] = [],
  { me = {}, schedules = [] }: { me?: Partial<Me>; schedules?: OnCallSchedule[] } = {},
) {
  const { server, open } = await givenDashboard({ me })
  server.on(listEscalationChains, () => answer(listEscalationChains, chains))
  server.on(listOnCallSchedules, () => answer(listOnCallSchedules, schedules))
  server.on(listEscalationTargets, () =>
    answer(listEscalationTargets, {
      users: USERS,
      schedules: [{ id: 3, name: 'Servers' }],
      channels: [
        { id: 4, name: 'Pager', kind: 'webhook' },
        { id: 5, name: 'Mail', kind: 'email' },
      ],
    }),
  )
  server.on(createEscalationChain, () => answer(createEscalationChain, testChain()))
  server.on(editEscalationChain, () => answer(editEscalationChain, testChain()))
  server.on(deleteEscalationChain, () => answer(deleteEscalationChain, null))
  return { server, open }
}

test('a chain shows its steps, repetition and templates; deleting asks first', async () => {
  const { server, open } = await givenChains([testChain()])
  await open(LIST)
  await expect.element(dialog().getByText('At once: Ada')).toBeVisible()
  await expect.element(dialog().getByText('After 15 min: Servers, Pager')).toBeVisible()
  await expect
    .element(dialog().getByText('Repeats the last step every 10 min, 2 times · used by Strict'))
    .toBeVisible()
  await dialog().getByRole('button', { name: 'Delete Night' }).click()
  server.on(deleteEscalationChain, () =>
    refuse('conflict', 'The alert template "Strict" uses it. Change the template first.'),
  )
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect.element(page.getByText(/The alert template "Strict" uses it/)).toBeVisible()
})

test('a new chain is sent in full; each step says who is on call', async () => {
  const { server, open } = await givenChains([], { schedules: [testSchedule({ id: 3, name: 'Servers' })] })
  await open('/?dialog=escalation-chain&item=new')
  await page.getByRole('textbox', { name: 'Name' }).fill('Night')
  const first = page.getByRole('region', { name: 'Step 1' })
  await first.getByRole('combobox', { name: 'On-call schedules' }).click()
  await page.getByRole('option', { name: 'Servers' }).click()
  await expect.element(first.getByText('Servers: Now: Ada')).toBeVisible()
  await page.getByRole('button', { name: 'Add step' }).click()
  const second = page.getByRole('region', { name: 'Step 2' })
  await expect.element(second.getByText('Step 2: after 15 min')).toBeVisible()
  await expect.element(page.getByRole('button', { name: 'Add chain' })).toBeDisabled()
  await second.getByRole('combobox', { name: 'Users' }).click()
  await page.getByRole('option', { name: 'Bob (no e-mail address)' }).click()
  const after = second.getByRole('textbox', { name: 'Notify after' })
  await after.fill('0')
  await expect.element(page.getByRole('button', { name: 'Add chain' })).toBeDisabled()
  await after.fill('20')
  await page.getByRole('switch', { name: 'Repeat the last step' }).click({ force: true })
  await page.getByRole('textbox', { name: 'At most' }).fill('5')
  await page.getByRole('combobox', { name: 'E-mail channel for users' }).click()
  await expect.element(page.getByRole('option', { name: 'Pager' })).not.toBeInTheDocument()
  await page.getByRole('option', { name: 'Mail' }).click()
  await page.getByRole('button', { name: 'Add chain' }).click()
  await expect
    .poll(() => server.calls(createEscalationChain).at(-1)?.body)
    .toEqual({
      name: 'Night',
      steps: [
        { after_minutes: 0, users: [], schedules: [3], channels: [] },
        { after_minutes: 20, users: [2], schedules: [], channels: [] },
      ],
      repeat_minutes: 15,
      repeat_times: 5,
      mail_channel: 5,
    })
})

test('a stored chain is edited, with steps removed', async () => {
  const { server, open } = await givenChains([testChain()])
  await open('/?dialog=escalation-chain&item=1')
  await page.getByRole('button', { name: 'Remove step 2' }).click()
  await page.getByRole('switch', { name: 'Repeat the last step' }).click({ force: true })
  await page.getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(() => server.calls(editEscalationChain).at(-1)?.body)
    .toEqual({
      name: 'Night',
      steps: [{ after_minutes: 0, users: [1], schedules: [], channels: [] }],
      repeat_minutes: 0,
      repeat_times: 0,
      mail_channel: null,
      modified: 'm1',
    })
})

test('a read-only role changes nothing', async () => {
  const { open } = await givenChains([testChain()], {
    me: { is_superuser: false, permissions: ['can_list_alerttemplates', 'can_list_clients'] },
  })
  await open(LIST)
  await expect.element(dialog().getByText('At once: Ada')).toBeVisible()
  expect(
    dialog()
      .getByRole('button', { name: /^(Edit|Delete) Night|New chain/ })
      .elements(),
  ).toHaveLength(0)
})
