import { getAgent } from '@muster/contract/api/agents'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer } from '../../testing/test-server.ts'
import { givenDashboard, testDetail } from '../dashboard/test-dashboard.ts'

const AGENT = 'alpha0000000'
const more = () => page.getByRole('button', { name: /^More \(\d+\)$/ })

async function givenTabs(width: number) {
  const { server, open } = await givenDashboard()
  server.on(getAgent, () => answer(getAgent, testDetail()))
  await page.viewport(width, 800)
  await open(`/agents/${AGENT}`)
  await expect.element(page.getByRole('tab', { name: 'Summary' })).toBeVisible()
}

test('tabs that do not fit are in a menu, in their order, and one of them is shown once chosen', async () => {
  await givenTabs(760)
  await more().click()
  await expect.element(page.getByRole('menuitem', { name: 'Audit' })).toBeVisible()
  const names = page
    .getByRole('menuitem')
    .elements()
    .map(({ textContent }) => textContent)
  expect(names.slice(-3)).toEqual(['History', 'Notes', 'Audit'])
  await expect.element(more()).toHaveAttribute('aria-expanded', 'true')
  await page.getByRole('menuitem', { name: 'Audit' }).click()
  const audit = page.getByRole('tab', { name: 'Audit', selected: true })
  await expect.element(audit).toBeVisible()
  await expect.element(audit).not.toHaveAttribute('data-out')
  // Now the first ones are out of view.
  await more().click()
  await expect.element(page.getByRole('menuitem', { name: 'Summary' })).toBeVisible()
})

test('all tabs that fit need no menu', async () => {
  await givenTabs(1900)
  await expect.element(page.getByRole('tab', { name: 'Audit' })).toBeVisible()
  await expect.element(more()).not.toBeInTheDocument()
})
