import { hostname } from 'node:os'
import { readFile, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { listAgents } from '@muster/contract/api/agents'
import { createCheck } from '@muster/contract/api/checks'
import { controlService } from '@muster/contract/api/services'
import { expect } from '@playwright/test'
import { givenPrograms } from '../faults/given-programs.ts'
import { machineRow } from '../support/dashboard.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'

const NAME = 'shop.service'

/** A systemd with one service: the machine that stories run on has none, or others that matter. */
async function givenService() {
  const programs = await givenPrograms({
    systemctl: `
case "$1" in
  show) echo "Id=${NAME}
LoadState=loaded
ActiveState=$(cat "$here/state")
SubState=
UnitFileState=enabled
MainPID=0" ;;
  start | restart) printf active >"$here/state" ;;
esac`,
  })
  const file = join(programs.path, 'state')
  await writeFile(file, 'active')
  return {
    env: { PATH: `${programs.path}${delimiter}${process.env.PATH}` },
    fail: () => writeFile(file, 'failed'),
    state: () => readFile(file, 'utf8'),
    [Symbol.asyncDispose]: () => programs[Symbol.asyncDispose](),
  }
}

test('a service that stops is the first line of the summary, with what preceded it and what repairs it', async ({
  admin,
  server,
  openConsole,
}) => {
  await using service = await givenService()
  const token = await makeToken(admin, await addClient(admin, 'Acme', 'Berlin'))
  await using agent = await startAgent({ server: server.url, token, env: service.env })
  const page = await openConsole({ as: admin })
  await machineRow(page, hostname()).click()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: hostname(), level: 1 })).toBeVisible()
  const [{ agent_id } = { agent_id: '' }] = await admin.call(listAgents, { query: {} })
  const checks = page.getByRole('region', { name: /^(Failing checks|Checks)$/ })

  await test.step('without checks it offers a policy, and one that passes is a line', async () => {
    await expect(checks.getByText('No checks yet.')).toBeVisible()
    await expect(checks.getByRole('button', { name: 'Assign policy' })).toBeVisible()
    await admin.call(createCheck, {
      body: {
        agent: agent_id,
        settings: { check_type: 'service', svc_name: NAME },
        run_interval: 10,
      },
    })
    await expect(checks.getByText('The check passes.')).toBeVisible()
  })

  await test.step('the service is restarted, and fails: its value is shown at once', async () => {
    await admin.call(controlService, { params: { agent_id, name: NAME }, body: { sv_action: 'restart' } })
    await service.fail()
    await expect(checks.getByRole('listitem')).toContainText(`${NAME} has failed`)
    await expect(checks.getByRole('listitem')).toContainText('warns unless running')
    await expect(page.getByRole('tab', { name: 'Checks 1 failing' })).toBeVisible()
  })

  await test.step('the restart that preceded stands beside the curve', async () => {
    const changed = page.getByRole('region', { name: 'What changed' })
    await expect(changed.getByText(`since Service ${NAME} was healthy`)).toBeVisible()
    await expect(changed.getByRole('listitem').filter({ hasText: /Restarted .*shop\.service/ })).toBeVisible()
    await expect(changed.getByRole('slider', { name: `Running of Service ${NAME}` })).toBeVisible()
    await expect(page.getByRole('region', { name: 'Last actions' })).toContainText(
      /Restarted .*shop\.service/,
    )
  })

  await test.step('health shows the machine of now', async () => {
    await expect(page.getByRole('button', { name: /^CPU \d+ %/ })).toBeVisible()
    await expect(page.getByRole('button', { name: /^Memory \d+ %/ })).toBeVisible()
  })

  await test.step('the action of the check repairs it, and it turns well', async () => {
    await checks.getByRole('button', { name: `Restart service: Service ${NAME}` }).click()
    await expect(checks.getByText('The check passes.')).toBeVisible()
    expect(await service.state()).toBe('active')
  })
  await agent.stop()
  agent.expectCleanLog()
})
