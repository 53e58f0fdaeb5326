import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listAgents } from '@muster/contract/api/agents'
import { sendCommand } from '@muster/contract/api/runs'
import { expect, type Page } from '@playwright/test'
import { chooseAction, follow, machineRow } from '../support/dashboard.ts'
import { startMachines } from '../support/machines.ts'
import { addClient, makeToken } from '../support/seed.ts'
import type { Session } from '../support/sign-in.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'
import { SERVER_GONE } from '../support/watch-browser.ts'

const history = (page: Page) => page.getByRole('grid', { name: 'History' })
const output = (page: Page) => page.getByRole('region', { name: 'Output' }).last()

async function findAgentId(session: Session): Promise<string> {
  const [agent] = await session.call(listAgents, { query: {} })
  if (agent === undefined) throw new Error('there is no machine')
  return agent.agent_id
}

test('a command for an offline machine waits, says so, and runs when the machine is back', async ({
  admin,
  openConsole,
}) => {
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  using fleet = await startMachines(admin, [{ hostname: 'alpha', token }])
  const page = await openConsole({ as: admin })
  fleet.machines[0]?.disconnect()
  await expect(machineRow(page, 'alpha')).toContainText('away')
  await machineRow(page, 'alpha').click()
  await chooseAction(page, 'Send command')
  const dialog = page.getByRole('dialog', { name: /Send command to alpha/ })
  await expect(dialog).toContainText('alpha is offline.')
  await dialog.getByRole('textbox', { name: 'Command' }).fill('echo late but here')
  await dialog.getByRole('button', { name: 'Send command' }).click()
  await expect(dialog.getByRole('status')).toHaveText('waiting')
  await expect(dialog).toContainText(/Waiting until/)
  await expect(machineRow(page, 'alpha')).toContainText('1 pending action')
  fleet.machines[0]?.connect()
  await expect(dialog.getByRole('status')).toHaveText('done')
  await expect(output(page)).toHaveText('late but here')
  await expect(machineRow(page, 'alpha')).not.toContainText('pending action')
})

test('a command is cancelled while it waits, and while it runs with all that it has started', async ({
  admin,
  openConsole,
}) => {
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  await using agent = await startAgent({ server: admin.url, token })
  const params = { agent_id: await findAgentId(admin) }
  const late = join(agent.dataFolder, 'late')
  const cmd = `(sleep 3; touch ${late}) & echo started; sleep 600`
  const run = await admin.call(sendCommand, { params, body: { shell: 'sh', cmd, wait: false } })
  const path = `/?agent=${params.agent_id}&pane=history&entry=${run.id}`
  const page = await openConsole({ as: admin, path })
  await expect(output(page)).toHaveText('started')
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await expect(history(page).getByRole('row', { name: /sleep 600/ })).toContainText('cancelled')
  await expect(output(page)).toHaveText('started')

  await agent.stop()
  await expect(page.getByRole('row', { name: /away/ })).toBeVisible()
  const waiting = await admin.call(sendCommand, {
    params,
    body: { shell: 'sh', cmd: 'echo never', wait: false },
  })
  await follow(page, `/?agent=${params.agent_id}&pane=history&entry=${waiting.id}`)
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await expect(history(page).getByRole('row', { name: /echo never/ })).toContainText('cancelled')
  agent.start()
  await expect(page.getByRole('row', { name: /online/ })).toBeVisible()
  await expect(history(page).getByRole('row', { name: /echo never/ })).toContainText('cancelled')
  expect(await agent.stop()).toBe(0)
  agent.expectCleanLog()
})

test('a command runs on through a restart of the server, and its output is whole', async ({
  server,
  admin,
  openConsole,
  expected,
}) => {
  expected.browser.push(SERVER_GONE)
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  await using agent = await startAgent({ server: admin.url, token })
  const params = { agent_id: await findAgentId(admin) }
  const go = join(agent.dataFolder, 'go')
  const cmd = `echo before; while [ ! -e ${go} ]; do sleep 0.05; done; echo after; exit 7`
  const run = await admin.call(sendCommand, { params, body: { shell: 'sh', cmd, wait: false } })
  const path = `/?agent=${params.agent_id}&pane=history&entry=${run.id}`
  const page = await openConsole({ as: admin, path })
  await expect(output(page)).toHaveText('before')
  await server.stop()
  await writeFile(go, '')
  await server.start()
  await expect(history(page).getByRole('row', { name: /echo before/ })).toContainText('exit code 7')
  await expect(output(page)).toHaveText(/^before\nafter\n$/)
  expect(await agent.stop()).toBe(0)
  agent.expectCleanLog(/link|connect/)
})

test('a time limit ends a command, output over the limit loses its middle and not its end, errors stand apart', async ({
  admin,
  openConsole,
}) => {
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  await using agent = await startAgent({ server: admin.url, token })
  const params = { agent_id: await findAgentId(admin) }
  const send = (cmd: string, timeout = 60) =>
    admin.call(sendCommand, { params, body: { shell: 'sh', cmd, timeout } })
  const slow = await send('echo slow; sleep 60', 1)
  const path = `/?agent=${params.agent_id}&pane=history&entry=${slow.id}`
  const page = await openConsole({ as: admin, path })
  await expect(page.getByText('Timed out after 1 second.')).toBeVisible()
  await expect(history(page).getByRole('row', { name: /echo slow/ })).toContainText('failed')
  const large = await send('yes | head -c 3000000; echo "FATAL: disk /dev/sdb failed" >&2; exit 3')
  expect(large).toMatchObject({ retcode: 3, stderr: 'FATAL: disk /dev/sdb failed\n' })
  await follow(page, `/?agent=${params.agent_id}&pane=history&entry=${large.id}`)
  await expect(page.getByText('1 MB stored, 1.86 MB left out.')).toBeVisible()
  await expect(output(page)).toContainText('[1.86 MB left out here]')
  await page.getByRole('radiogroup', { name: 'Output stream' }).getByText('Errors').click()
  await expect(output(page)).toHaveText('FATAL: disk /dev/sdb failed')
  const mixed = await send('echo good; echo bad >&2')
  await follow(page, `/?agent=${params.agent_id}&pane=history&entry=${mixed.id}`)
  await page.getByRole('radiogroup', { name: 'Output stream' }).getByText('Errors').click()
  await expect(output(page)).toHaveText('bad')
  expect(await agent.stop()).toBe(0)
  agent.expectCleanLog()
})
