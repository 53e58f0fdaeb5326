import { listEscalationTargets } from '@muster/contract/api/escalations'
import {
  createOnCallSchedule,
  deleteOnCallSchedule,
  editOnCallSchedule,
  listOnCallSchedules,
  type OnCallSchedule,
} from '@muster/contract/api/on-call'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer, refuse } from '../../../testing/test-server.ts'
import { givenDashboard } from '../../dashboard/test-dashboard.ts'
import { testSchedule, USERS } from './test-schedule.ts'

const LIST = '/?dialog=on-call-schedules'
const dialog = () => page.getByRole('dialog')

async function givenSchedules(schedules: OnCallSchedule[] = []) {
  const { server, open } = await givenDashboard({})
  server.on(listOnCallSchedules, () => answer(listOnCallSchedules, schedules))
  server.on(listEscalationTargets, () =>
    answer(listEscalationTargets, { users: USERS, schedules: [], channels: [] }),
  )
  server.on(createOnCallSchedule, () => answer(createOnCallSchedule, testSchedule()))
  server.on(editOnCallSchedule, () => answer(editOnCallSchedule, testSchedule()))
  server.on(deleteOnCallSchedule, () => answer(deleteOnCallSchedule, null))
  return { server, open }
}

test('each schedule says who is on call now, and until when', async () => {
  const { server, open } = await givenSchedules([
    testSchedule({ used_by: ['Night'] }),
    testSchedule({ id: 2, name: 'Network', members: [1, 2] }),
    testSchedule({ id: 3, name: 'Later', starts: '2090-01-02T09:00' }),
  ])
  await open(LIST)
  const rows = dialog().getByRole('listitem')
  await expect.element(rows.nth(0).getByText('Now: Ada')).toBeVisible()
  await expect
    .element(rows.nth(0).getByText('1 member, hands over every Monday at 09:00 (UTC)'))
    .toBeVisible()
  await expect.element(rows.nth(0).getByText('Used by Night')).toBeVisible()
  await expect.element(rows.nth(1).getByText(/Now: (Ada|Bob) until /)).toBeVisible()
  await expect.element(rows.nth(2).getByText(/Now: Nobody until 2 Jan 2090/)).toBeVisible()
  await dialog().getByRole('button', { name: 'Delete Servers' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect.poll(() => server.calls(deleteOnCallSchedule).length).toBe(1)
})

test('a new schedule is sent in full, with a preview of its shifts', async () => {
  const { server, open } = await givenSchedules()
  await open(LIST)
  await dialog().getByRole('button', { name: 'New schedule' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Servers')
  const preview = page.getByRole('region', { name: 'Preview' })
  await expect.element(preview.getByText('Choose members to see who is on call.')).toBeVisible()
  await page.getByRole('combobox', { name: 'Members' }).click()
  await page.getByRole('option', { name: 'Bob' }).click()
  await page.getByRole('option', { name: 'Ada' }).click()
  await page.getByLabelText('First shift').fill('2026-01-05T08:30')
  await expect.element(page.getByText('Hands over every Monday at 08:30')).toBeVisible()
  await expect.element(preview.getByText(/^Now: (Ada|Bob) until /)).toBeVisible()
  expect(preview.getByRole('listitem').elements()).toHaveLength(4)
  await page.getByRole('button', { name: 'Add override' }).click()
  await expect.element(page.getByRole('button', { name: 'Add schedule' })).toBeDisabled()
  const override = page.getByRole('group', { name: 'Override 1' })
  await override.getByRole('combobox', { name: 'User' }).click()
  await page.getByRole('option', { name: 'Ada' }).click()
  await override.getByLabelText('From').fill('2090-12-24T08:00')
  await override.getByLabelText('Until').fill('2090-12-23T08:00')
  await expect.element(page.getByRole('button', { name: 'Add schedule' })).toBeDisabled()
  await override.getByLabelText('Until').fill('2090-12-25T08:00')
  await page.getByRole('button', { name: 'Add schedule' }).click()
  await expect
    .poll(() => server.calls(createOnCallSchedule).at(-1)?.body)
    .toEqual({
      name: 'Servers',
      rotates: 'weekly',
      starts: '2026-01-05T08:30',
      time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      members: [2, 1],
      overrides: [
        {
          user: 1,
          from: new Date('2090-12-24T08:00').toISOString(),
          to: new Date('2090-12-25T08:00').toISOString(),
        },
      ],
    })
})

test('a conflict is shown and the form can reload', async () => {
  const schedules = [testSchedule()]
  const { server, open } = await givenSchedules(schedules)
  await open('/?dialog=on-call-schedule&item=1')
  await page.getByRole('textbox', { name: 'Name' }).fill('All')
  server.on(editOnCallSchedule, () => {
    schedules[0] = testSchedule({ name: 'Network', modified: 'm2' })
    return refuse('changed_meanwhile', '"Servers" was changed by another user. Reload it and try again.')
  })
  await page.getByRole('button', { name: 'Save' }).click()
  await dialog().getByRole('button', { name: 'Reload' }).click()
  await expect.element(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Network')
})
