import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { listDeployments } from '@muster/contract/api/deployments'
import { expect } from '@playwright/test'
import { chooseInMenu } from '../support/dashboard.ts'
import { addClient } from '../support/seed.ts'
import { test } from '../support/story.ts'

// The builder of packages is a stand-in; the build, its events, the download and the links are real.
test('install agents: Windows first, a package built on demand, and a deployment for everyone', async ({
  admin,
  openConsole,
}) => {
  const acme = await addClient(admin, 'Acme', 'Berlin')
  const page = await openConsole({ as: admin, path: `/?node=Site|${acme.sites[0]?.id}` })

  await test.step('the command for Windows, whose package is built meanwhile', async () => {
    await chooseInMenu(page, 'Tools', 'Install agent')
    await expect(page.getByRole('radio', { name: 'Windows' })).toBeChecked()
    await page.getByRole('button', { name: 'Create install command' }).click()
    const command = page.getByRole('group', { name: 'Install command' })
    await expect(command).toContainText('/agent/install.ps1')
    await expect(page.getByText(/^muster-agent-.*-x64\.msi$/)).toBeVisible()
    await expect(page.getByText(/^Unsigned/)).toBeVisible()
  })

  await test.step('the MSI is downloaded with the hash that the dialog shows', async () => {
    await page.getByRole('button', { name: 'New command' }).click()
    await page.getByText('MSI package').click()
    await page.getByRole('button', { name: 'Create install command' }).click()
    await expect(page.getByRole('group', { name: 'Install command' })).toContainText(
      /msiexec \/i .* \/qn SERVER=/,
    )
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ])
    const bytes = await readFile(await download.path())
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    await expect(page.getByText(`${sha256.slice(0, 16)}…`)).toBeVisible()
    expect(download.suggestedFilename()).toMatch(/^muster-agent-.*-x64\.msi$/)
    await page.getByRole('button', { name: 'Close' }).last().click()
  })

  await test.step('a deployment installs without a sign-in until it is deleted', async () => {
    await chooseInMenu(page, 'Tools', 'Deployments')
    await page.getByRole('button', { name: 'New deployment' }).click()
    await page.getByText('Linux', { exact: true }).click()
    await page.getByRole('button', { name: 'Create deployment' }).click()
    await expect(page.getByText('Acme › Berlin')).toBeVisible()
    const [link] = await admin.call(listDeployments, { query: {} })
    const script = await fetch(link?.url ?? '')
    expect([script.status, (await script.text()).slice(0, 9)]).toEqual([200, '#!/bin/sh'])
    await page.getByRole('button', { name: 'Delete deployment of Acme › Berlin' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await expect(page.getByText(/No deployments yet/)).toBeVisible()
    expect((await fetch(link?.url ?? '')).status).toBe(404)
  })
})
