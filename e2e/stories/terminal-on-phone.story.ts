import { hostname } from 'node:os'
import { listAgents } from '@muster/contract/api/agents'
import { expect, type Page } from '@playwright/test'
import { expectAccessible } from '../support/accessible.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'

const screen = (page: Page) => page.locator('.xterm-rows')

test('a terminal on a phone: the key bar interrupts a command and completes a name', async ({
  admin,
  server,
  openConsole,
}) => {
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  await using _agent = await startAgent({ server: server.url, token })
  const listMachines = () => admin.call(listAgents, { query: {} })
  await expect.poll(async () => (await listMachines()).length).toBe(1)
  const [machine] = await listMachines()
  const page = await openConsole({
    as: admin,
    path: `/remotebackground/${machine?.agent_id}?agentPlatform=linux&hostname=${hostname()}`,
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  })
  const bar = page.getByRole('toolbar', { name: 'Terminal keys' })
  await expect(bar).toBeInViewport({ ratio: 1 })
  await expect(screen(page)).toContainText(/[$#] *$/)
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await expectAccessible(page, `terminal on a phone, ${colorScheme}`)
  }
  await page.keyboard.type("PS1='next> '\nsleep 1000\n")
  await expect(screen(page)).toContainText('sleep 1000')
  await bar.getByRole('button', { name: 'Ctrl' }).tap()
  await page.keyboard.type('c')
  await expect(screen(page)).toContainText(/\^C\s*next>\s*$/)
  await page.keyboard.type('echo done-$((40 + 2)) ')
  await bar.getByRole('button', { name: 'Pipe' }).tap()
  await page.keyboard.type(' cat\n')
  await expect(screen(page)).toContainText('done-42')
})
