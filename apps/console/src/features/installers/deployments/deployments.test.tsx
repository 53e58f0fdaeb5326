import {
  createDeployment,
  deleteDeployment,
  type Deployment,
  listDeployments,
  type ListedDeployment,
} from '@muster/contract/api/deployments'
import type { Me } from '@muster/contract/api/users'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer } from '../../../testing/test-server.ts'
import { givenDashboard } from '../../dashboard/test-dashboard.ts'

const UID = '3f2b9a54-0d5e-4d1c-9f5b-0f6f2c8a7b10'
const LINK: Deployment = {
  id: 1,
  uid: UID,
  client: 1,
  client_name: 'Acme',
  site: 1,
  site_name: 'Berlin',
  mon_type: 'workstation',
  plat: 'windows',
  goarch: 'amd64',
  expiry: '2099-01-01T10:00:00.000Z',
  created: '2026-11-21T10:00:00.000Z',
  created_by: 'ada',
  install_flags: { rdp: true, ping: false, power: false },
  uses_left: 997,
  url: `https://muster.example/clients/${UID}/deploy/`,
  cmd: `iex (New-Object Net.WebClient).DownloadString('https://muster.example/clients/${UID}/deploy/')`,
}
const LIST = '/?dialog=deployments'
const dialog = () => page.getByRole('dialog')

async function givenDeployments(deployments: ListedDeployment[] = [], me: Partial<Me> = {}) {
  const { server, open } = await givenDashboard({ me })
  server.on(listDeployments, () => answer(listDeployments, deployments))
  server.on(createDeployment, () => answer(createDeployment, LINK))
  server.on(deleteDeployment, () => answer(deleteDeployment, null))
  return { server, open }
}

test('an empty list explains deployments, and one is created for a site', async () => {
  const { server, open } = await givenDeployments()
  const { at } = await open(`${LIST}&node=Site|1`)
  await expect.element(dialog().getByText(/installs agents at one site until it expires/)).toBeVisible()
  await dialog().getByRole('button', { name: 'New deployment' }).click()
  await expect.poll(at).toContain('dialog=deployment')
  await expect.element(dialog().getByRole('radio', { name: 'Windows' })).toBeChecked()
  await dialog().getByRole('radio', { name: 'Workstation' }).click()
  await dialog().getByRole('checkbox', { name: 'Allow Remote Desktop' }).click()
  await dialog().getByRole('checkbox', { name: 'Never sleep on mains power' }).click()
  await dialog().getByLabelText('Expires').fill('2099-02-03T04:05')
  await dialog().getByRole('button', { name: 'Create deployment' }).click()
  await expect.element(page.getByText('Deployment created.')).toBeVisible()
  await expect.poll(at).toContain('dialog=deployments')
  expect(server.calls(createDeployment)[0]?.body).toEqual({
    site: 1,
    plat: 'windows',
    agenttype: 'workstation',
    expires: new Date('2099-02-03T04:05').toISOString(),
    uses: 1000,
    rdp: true,
    ping: false,
    power: true,
  })
})

test('settings of Windows are offered for Windows only', async () => {
  const { open } = await givenDeployments()
  await open('/?dialog=deployment&item=Site|1')
  await dialog().getByText('Linux', { exact: true }).click()
  await expect.element(dialog().getByText('Windows settings')).not.toBeInTheDocument()
})

test('a deployment expires in the future', async () => {
  const { open } = await givenDeployments()
  await open('/?dialog=deployment&item=Site|1')
  await dialog().getByLabelText('Expires').fill('2020-02-03T04:05')
  await expect.element(dialog().getByRole('button', { name: 'Create deployment' })).toBeDisabled()
  await expect.element(dialog().getByText('Missing or invalid: Expires')).toBeVisible()
})

test('a row names site, flags and remaining machines, and deleting asks first', async () => {
  const { server, open } = await givenDeployments([
    LINK,
    { ...LINK, id: 2, site_name: 'Munich', expiry: '2020-01-01T10:00:00.000Z' },
  ])
  await open(LIST)
  await expect.element(dialog().getByText('Acme › Berlin')).toBeVisible()
  await expect.element(dialog().getByText('Windows · Workstation · Remote Desktop').first()).toBeVisible()
  await expect
    .element(
      dialog()
        .getByText(/997 machines left/)
        .first(),
    )
    .toBeVisible()
  await expect.element(dialog().getByText(/^Expired/)).toBeVisible()
  await expect.element(dialog().getByRole('button', { name: 'Copy link of Acme › Berlin' })).toBeVisible()
  await dialog().getByRole('button', { name: 'Delete deployment of Acme › Munich' }).click()
  await page
    .getByRole('dialog', { name: 'Delete this deployment?' })
    .getByRole('button', { name: 'Delete' })
    .click()
  await expect.element(page.getByText('Deployment deleted.')).toBeVisible()
  expect(server.calls(deleteDeployment)[0]?.path).toBe('/clients/deployments/2/')
})

test('a double click copies the link', async () => {
  const { open } = await givenDeployments([LINK])
  await open(LIST)
  await dialog().getByText('Acme › Berlin').dblClick()
  await expect.element(page.getByText('Link copied.')).toBeVisible()
  await dialog().getByRole('button', { name: 'Copy command of Acme › Berlin' }).click()
  await expect.element(page.getByText('Command copied.')).toBeVisible()
})

test('a user who may only list deployments sees no links, and cannot create or delete them', async () => {
  const { open } = await givenDeployments([{ ...LINK, uid: null, url: null, cmd: null }], {
    is_superuser: false,
    permissions: ['can_list_deployments', 'can_list_clients', 'can_list_agents'],
  })
  await open(LIST)
  await expect.element(dialog().getByText('Acme › Berlin')).toBeVisible()
  await expect.element(dialog().getByRole('button', { name: /Delete deployment/ })).not.toBeInTheDocument()
  await expect.element(dialog().getByRole('button', { name: 'New deployment' })).not.toBeInTheDocument()
  await expect.element(dialog().getByRole('button', { name: /^Copy/ })).not.toBeInTheDocument()
  await expect
    .element(dialog().getByText('Links are shown to users who may manage deployments.'))
    .toBeVisible()
})
