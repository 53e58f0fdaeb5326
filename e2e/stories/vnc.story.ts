import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { editCoreSettings } from '@muster/contract/api/settings'
import { expect, type Page } from '@playwright/test'
import { expectAccessible } from '../support/accessible.ts'
import { machineRow } from '../support/dashboard.ts'
import { TestDisplay } from '../support/display.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'

const screen = (page: Page) => page.getByRole('application', { name: 'Screen of the machine' })

/** Another address than the machine's own, as far as those who allow it are concerned. */
const NEIGHBOUR = '127.0.0.2'

/** Listens on a port of its own; answers it. */
async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a port has a number')
  return address.port
}

test('VNC to a port of a machine and to a neighbour: allowed, with its password; a refusal shows the reason', async ({
  admin,
  server,
  openConsole,
  expected,
}) => {
  // noVNC says itself that a password is wrong.
  expected.browser.push(/Failed when connecting: Security negotiation failed/)
  await using display = await TestDisplay.open({ size: '800x600' })
  const nonsense = createServer((socket) => socket.on('error', () => undefined).end('SSH-2.0-nonsense\r\n'))
  await using _nonsense = { [Symbol.asyncDispose]: async () => void nonsense.close() }
  const wrongPort = await listen(nonsense)
  const free = createServer()
  const port = await listen(free)
  await new Promise((resolve) => free.close(resolve))
  const passwords = join(tmpdir(), `muster-vnc-${port}`)
  await writeFile(passwords, 'sesame', { mode: 0o600 })
  const args = [
    '-display',
    display.name,
    '-localhost',
    '-rfbport',
    String(port),
    '-passwdfile',
    `rm:${passwords}`,
  ]
  const vnc = spawn('x11vnc', [...args, '-forever', '-quiet', '-norc'], { stdio: 'ignore' })
  await using _vnc = { [Symbol.asyncDispose]: async () => void vnc.kill('SIGKILL') }

  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  await using agent = await startAgent({ server: server.url, token })
  const page = await openConsole({ as: admin })
  const openVnc = async (to: number, host?: string) => {
    await machineRow(page, hostname()).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Manage' }).click()
    await page.getByRole('menuitem', { name: 'VNC', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'VNC' })
    if (host !== undefined) await dialog.getByRole('textbox', { name: 'Host' }).fill(host)
    await dialog.getByRole('textbox', { name: 'Port' }).fill(String(to))
    const [window] = await Promise.all([
      page.context().waitForEvent('page'),
      dialog.getByRole('button', { name: 'Open' }).click(),
    ])
    return window
  }
  const refused = await openVnc(port)
  await expect(refused).toHaveURL(new RegExp(`/webvnc/\\w+/${port}\\?host=localhost$`))
  await expect(refused.getByText(`VNC to localhost:${port} is not allowed.`)).toBeVisible()

  await admin.call(editCoreSettings, { body: { vnc_targets: ['localhost:1024-65535'] } })
  await refused.getByRole('button', { name: 'Reconnect' }).click()
  const password = refused.getByRole('textbox', { name: 'Password of the VNC server' })
  await password.fill('wrong')
  await expectAccessible(refused, 'asks')
  await password.press('Enter')
  await expect(refused.getByText(/^The VNC server refused the password/)).toBeVisible()
  await refused.getByRole('button', { name: 'Reconnect' }).click()
  await password.fill('sesame')
  await password.press('Enter')
  await expect(screen(refused)).toBeFocused()
  await expect(refused.getByText(`VNC to localhost:${port}`)).toBeVisible()
  await expect(screen(refused)).toHaveAttribute('width', '800')
  await refused.close()

  const behind = createServer((socket) => {
    const onward = connect(port, '127.0.0.1')
    for (const one of [socket, onward]) one.on('error', () => undefined)
    socket.pipe(onward).pipe(socket)
  })
  await using _behind = { [Symbol.asyncDispose]: async () => void behind.close() }
  const theirPort = await listen(behind, NEIGHBOUR)
  const neighbour = await openVnc(theirPort, NEIGHBOUR)
  await expect(neighbour.getByText(`VNC to ${NEIGHBOUR}:${theirPort} is not allowed.`)).toBeVisible()
  await admin.call(editCoreSettings, {
    body: { vnc_targets: ['localhost:1024-65535', `127.0.0.0/24:${theirPort}`] },
  })
  await neighbour.getByRole('button', { name: 'Reconnect' }).click()
  await neighbour.getByRole('textbox', { name: 'Password of the VNC server' }).fill('sesame')
  await neighbour.keyboard.press('Enter')
  await expect(screen(neighbour)).toBeFocused()
  await expect(screen(neighbour)).toHaveAttribute('width', '800')

  const wrong = await openVnc(wrongPort)
  await expect(wrong.getByText(`localhost:${wrongPort} is not a VNC server.`)).toBeVisible()
  agent.expectCleanLog()
})
