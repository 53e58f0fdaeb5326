import { type AgentName, createInstaller, listAgents } from '@muster/contract/api/agents'
import { type AgentPackage, buildPackage, listPackages } from '@muster/contract/api/installers'
import { getDashInfo } from '@muster/contract/api/system'
import { getMe } from '@muster/contract/api/users'
import { beforeEach, expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import type { z } from 'zod'
import { queryKey } from '../../app/api/query-key.ts'
import { givenDashInfo, givenMe, givenSession, openConsole } from '../../testing/test-console.tsx'
import { givenFrame, testClient } from '../../testing/test-frame.ts'
import { answer } from '../../testing/test-server.ts'

beforeEach(() => givenSession({ token: 'abc', username: 'ada', name: 'Ada Winter' }))

const ACME = testClient(1, 'Acme', { 1: 'Berlin', 2: 'Munich' })
const machine = (id: number, hostname: string): z.infer<typeof AgentName> => ({
  id,
  agent_id: `abcdefgh${id}`,
  hostname,
  client: 'Acme',
  site: 'Munich',
})

const MSI: AgentPackage = {
  platform: 'windows',
  arch: 'x64',
  format: 'msi',
  build: { state: 'building', progress: 'Downloading Node' },
}
const READY: AgentPackage = {
  ...MSI,
  build: {
    state: 'ready',
    file: 'muster-agent-0.1.0-x64.msi',
    path: '/agent/packages/windows/x64/msi',
    sha256: 'ab'.repeat(32),
    bytes: 35_000_000,
    signed: false,
  },
}

function givenServer() {
  const server = givenFrame({ clients: [ACME] })
  const fleet = { machines: [machine(1, 'PC-1')] }
  const packages: { list: AgentPackage[] } = { list: [] }
  server.on(listAgents, () => answer(listAgents, fleet.machines))
  server.on(createInstaller, () =>
    answer(createInstaller, {
      cmd: `echo 'header = "Authorization: Enrol secret"' | sh -c 's=$(curl -sS -K - "$0"); printf "%s\\n" "$s" | sh' 'https://muster.example/agent/install.sh'`,
      url: 'https://muster.example',
      token: 'secret',
      expires: '2026-11-22T10:00:00.000Z',
      uses: 100,
      package: packages.list[0] ?? null,
    }),
  )
  server.on(listPackages, () => answer(listPackages, packages.list))
  server.on(buildPackage, () => answer(buildPackage, MSI))
  return { server, fleet, packages }
}

const AT = '/agents/abcdefgh1?dialog=install-agent'

test('the line says how long it is good, and shows the machine when it is here', async () => {
  const { server, fleet } = givenServer()
  const { screen, queryClient } = await openConsole(`${AT}&item=Site|2`)
  const make = screen.getByRole('button', { name: 'Create install command' })
  await expect.element(make).toHaveFocus()
  await userEvent.keyboard('{Enter}')
  await expect.element(screen.getByText(/curl -sS/)).toBeVisible()
  await expect.element(screen.getByText(/Valid for 24 h and 100 machines/)).toBeVisible()
  await expect.element(screen.getByText(/Waiting for/)).toBeVisible()
  expect(server.calls(createInstaller)[0]?.body).toMatchObject({ client: 1, site: 2, plat: 'windows' })
  fleet.machines = [machine(1, 'PC-1'), machine(2, 'PC-12')]
  // As the live link does it.
  await queryClient.invalidateQueries({ queryKey: queryKey(listAgents) })
  await expect.element(screen.getByText('PC-12 is here')).toBeVisible()
  await expect.element(screen.getByText('PC-1 is here')).not.toBeInTheDocument()
  await expect
    .element(screen.getByRole('link', { name: 'Open PC-12' }))
    .toHaveAttribute('href', '/agents/abcdefgh2')
})

test('a data folder is a whole path', async () => {
  const { server } = givenServer()
  const { screen } = await openConsole(`${AT}&item=Site|1`)
  await screen.getByText('Linux', { exact: true }).click()
  await screen.getByRole('checkbox', { name: /Test mode/ }).click()
  const folder = screen.getByRole('textbox', { name: 'Data folder' })
  await folder.fill('~/muster')
  await userEvent.keyboard('{Tab}')
  await expect.element(screen.getByText(/Enter the full path/)).toBeVisible()
  await expect.element(screen.getByRole('button', { name: 'Create install command' })).toBeDisabled()
  await folder.fill('/tmp/muster')
  await screen.getByRole('button', { name: 'Create install command' }).click()
  await expect.element(screen.getByText(/Ctrl\+C stops it/)).toBeVisible()
  expect(server.calls(createInstaller)[0]?.body).toMatchObject({ data_folder: '/tmp/muster' })
})

test('Windows comes first, by a PowerShell command with settings of the machine', async () => {
  const { server } = givenServer()
  const { screen } = await openConsole(`${AT}&item=Site|1`)
  await expect.element(screen.getByRole('radio', { name: 'Windows' })).toBeChecked()
  await expect.element(screen.getByRole('radio', { name: 'PowerShell command' })).toBeChecked()
  await screen.getByRole('checkbox', { name: 'Allow Remote Desktop' }).click()
  await screen.getByRole('button', { name: 'Create install command' }).click()
  await expect.element(screen.getByText(/Paste this command into PowerShell/)).toBeVisible()
  expect(server.calls(createInstaller)[0]?.body).toMatchObject({ plat: 'windows', rdp: true, ping: false })
})

test('the MSI shows its build, then a download with its hash, and that it is unsigned', async () => {
  const { server, packages } = givenServer()
  packages.list = [MSI]
  const { screen, queryClient } = await openConsole(`${AT}&item=Site|1`)
  await screen.getByText('MSI package', { exact: true }).click()
  await expect.element(screen.getByText('Windows settings')).not.toBeInTheDocument()
  await screen.getByText('ARM64', { exact: true }).click()
  await screen.getByRole('button', { name: 'Create install command' }).click()
  await expect.element(screen.getByText(/Downloading Node/)).toBeVisible()
  expect(server.calls(createInstaller)[0]?.body).toMatchObject({ installMethod: 'manual', goarch: 'arm64' })
  packages.list = [READY]
  // As an event of the server does it.
  await queryClient.invalidateQueries({ queryKey: queryKey(listPackages) })
  const download = screen.getByRole('link', { name: 'Download' })
  await expect.element(download).toHaveAttribute('href', '/agent/packages/windows/x64/msi')
  await expect.element(screen.getByText('muster-agent-0.1.0-x64.msi')).toBeVisible()
  await expect.element(screen.getByText(/^Unsigned/)).toBeVisible()
  await expect.element(screen.getByText('abababababababab…')).toBeVisible()
})

test('a failed build says why, and is started again', async () => {
  const { server, packages } = givenServer()
  packages.list = [{ ...MSI, build: { state: 'failed', error: 'wixl is missing. Install it.' } }]
  const { screen } = await openConsole(`${AT}&item=Site|1`)
  await screen.getByRole('button', { name: 'Create install command' }).click()
  await expect.element(screen.getByText('wixl is missing. Install it.')).toBeVisible()
  packages.list = [MSI]
  await screen.getByRole('button', { name: 'Build package' }).click()
  await expect.element(screen.getByText(/The command waits for it/)).toBeVisible()
  expect(server.calls(buildPackage)[0]?.body).toEqual({ platform: 'windows', arch: 'x64', format: 'msi' })
})

test('macOS and Linux have their own methods', async () => {
  const { server } = givenServer()
  const { screen } = await openConsole(`${AT}&item=Site|1`)
  await screen.getByText('macOS', { exact: true }).click()
  await screen.getByText('.tar.xz package', { exact: true }).click()
  await expect.element(screen.getByText('Apple silicon')).toBeVisible()
  await screen.getByText('Linux', { exact: true }).click()
  await screen.getByText('.rpm package', { exact: true }).click()
  await screen.getByRole('button', { name: 'Create install command' }).click()
  await expect.element(screen.getByText(/Copy the package to the machine/)).toBeVisible()
  expect(server.calls(createInstaller)[0]?.body).toMatchObject({
    plat: 'linux',
    installMethod: 'manual',
    format: 'rpm',
  })
})

test('a role without permission cannot install agents', async () => {
  const { server } = givenServer()
  server.on(getMe, () =>
    answer(getMe, givenMe({ is_superuser: false, permissions: ['can_list_clients', 'can_list_agents'] })),
  )
  const { screen } = await openConsole(AT)
  const dialog = screen.getByRole('dialog', { name: 'Install agent' })
  await expect.element(dialog.getByText('Your role does not allow this action.')).toBeVisible()
})

test.each([
  ['https://muster.example:8420', /TLS encrypts the connection/],
  ['http://192.0.2.7:8420', /Others on the network can read what is sent/],
  ['http://127.0.0.1:8420', /MUSTER_HOST=0\.0\.0\.0/],
])('before a command for %s is created, the dialog explains address and TLS', async (agent_url, text) => {
  const { server } = givenServer()
  server.on(getDashInfo, () => answer(getDashInfo, givenDashInfo({ agent_url })))
  const { screen } = await openConsole(AT)
  await expect.element(screen.getByText(text)).toBeVisible()
  await expect.element(screen.getByText(agent_url)).toBeVisible()
  await expect.element(screen.getByRole('combobox', { name: 'Site' })).toHaveFocus()
  await expect.element(screen.getByRole('button', { name: 'Create install command' })).toBeVisible()
  expect(server.calls(createInstaller)).toEqual([])
})
