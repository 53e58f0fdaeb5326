import { type AgentName, createInstaller, listAgents } from '@muster/contract/api/agents'
import { getMe } from '@muster/contract/api/users'
import { beforeEach, expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import type { z } from 'zod'
import { queryKey } from '../../app/api/query-key.ts'
import { givenMe, givenSession, openConsole } from '../../testing/test-console.tsx'
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

function givenServer() {
  const server = givenFrame({ clients: [ACME] })
  const fleet = { machines: [machine(1, 'PC-1')] }
  server.on(listAgents, () => answer(listAgents, fleet.machines))
  server.on(createInstaller, () =>
    answer(createInstaller, {
      cmd: "curl -fsS 'https://muster.example/agent/install.sh' | sh",
      url: 'https://muster.example',
      token: 'secret',
      expires: '2026-11-22T10:00:00.000Z',
      uses: 100,
      package: null,
    }),
  )
  return { server, fleet }
}

const AT = '/agents/abcdefgh1?dialog=install-agent'

test('the line says how long it is good, and shows the machine when it is here', async () => {
  const { server, fleet } = givenServer()
  const { screen, queryClient } = await openConsole(`${AT}&item=Site|2`)
  const make = screen.getByRole('button', { name: 'Create install command' })
  await expect.element(make).toHaveFocus()
  await userEvent.keyboard('{Enter}')
  await expect.element(screen.getByText(/curl -fsS/)).toBeVisible()
  await expect.element(screen.getByText(/Valid for 24 h and 100 machines/)).toBeVisible()
  await expect.element(screen.getByText(/Waiting for/)).toBeVisible()
  expect(server.calls(createInstaller)[0]?.body).toMatchObject({ client: 1, site: 2, plat: 'linux' })
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

test('a role without permission cannot install agents', async () => {
  const { server } = givenServer()
  server.on(getMe, () =>
    answer(getMe, givenMe({ is_superuser: false, permissions: ['can_list_clients', 'can_list_agents'] })),
  )
  const { screen } = await openConsole(AT)
  const dialog = screen.getByRole('dialog', { name: 'Install agent' })
  await expect.element(dialog.getByText('Your role does not allow this action.')).toBeVisible()
})
