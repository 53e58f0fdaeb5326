import { expect } from '@playwright/test'
import { addClient } from '../support/seed.ts'
import { test } from '../support/story.ts'

const PATHS = ['/webterm']

for (const path of PATHS) {
  test(`${path} says honestly that its tool is not there yet`, async ({ admin, openConsole }) => {
    await addClient(admin, 'Acme')
    const page = await openConsole({ as: admin, path })
    await expect(page.getByRole('heading', { name: 'This tool is not here yet' })).toBeVisible()
    await expect(page).toHaveURL(path)
    await page.getByRole('link', { name: 'Go to the dashboard' }).click()
    await expect(page).toHaveURL('/')
  })
}
