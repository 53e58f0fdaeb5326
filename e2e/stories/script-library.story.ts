import { createHash } from 'node:crypto'
import { listAgents } from '@muster/contract/api/agents'
import { listAgentHistory } from '@muster/contract/api/runs'
import { editScript } from '@muster/contract/api/scripts'
import { expect, type Page } from '@playwright/test'
import { follow } from '../support/dashboard.ts'
import { addClient, addScript, makeToken } from '../support/seed.ts'
import type { Session } from '../support/sign-in.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'
import { expectToast } from '../support/toasts.ts'
import { refusedWith } from '../support/watch-browser.ts'

const KEY = 'correct-horse-battery'
const BODY =
  'echo "host=$1 room=$2 key=$3"; printf %s "$3" | sha256sum | cut -c 1-16; printf "%s" "${#3} letters"'
const dialog = (page: Page) => page.getByRole('dialog').last()

async function findAgent(session: Session) {
  const [agent] = await session.call(listAgents, { query: {} })
  if (agent === undefined || !('client_id' in agent)) throw new Error('there is no machine')
  return agent
}

test('a script runs with a key and a field, and is restored to an earlier version', async ({
  admin,
  openConsole,
  expected,
}) => {
  // The dialog shows an error: a variable has no value.
  expected.browser.push(refusedWith(400))
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  await using _agent = await startAgent({ server: admin.url, token })
  const { agent_id, hostname } = await findAgent(admin)
  const script = await addScript(admin, {
    name: 'Show what it is given',
    script_body: BODY,
    args: ['{{agent.hostname}}', '{{agent.Room}}', '{{global.API}}'],
    favorite: true,
  })
  const page = await openConsole({ as: admin, path: '/?dialog=key&item=new' })

  await test.step('store a key', async () => {
    await dialog(page).getByRole('textbox', { name: 'Name' }).fill('API')
    await dialog(page).getByRole('textbox', { name: 'Value' }).fill(KEY)
    await dialog(page).getByRole('button', { name: 'Add key' }).click()
    await expectToast(page, 'Key added.')
  })

  await test.step('a placeholder without a value shows an error before the script is sent', async () => {
    await follow(page, `/?dialog=run-script&item=${agent_id}.${script.id}`)
    await dialog(page).getByRole('button', { name: 'Run script', exact: true }).click()
    await expect(dialog(page)).toContainText(`{{agent.Room}} has no value for ${hostname}`)
  })

  await test.step('a field is made and filled in', async () => {
    await follow(page, '/?dialog=custom-field&item=new.agent')
    await dialog(page).getByRole('textbox', { name: 'Name' }).fill('Room')
    await dialog(page).getByRole('button', { name: 'Add field' }).click()
    await expectToast(page, 'Field added.')
    await follow(page, `/?dialog=edit-agent&item=${agent_id}`)
    await dialog(page).getByRole('textbox', { name: 'Room' }).fill('Attic 7')
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await expectToast(page, `${hostname} saved.`)
  })

  await test.step('the script runs with all of them; only the machine has seen the key', async () => {
    await follow(page, `/?dialog=run-script&item=${agent_id}.${script.id}`)
    await dialog(page).getByRole('button', { name: 'Run script', exact: true }).click()
    const digest = createHash('sha256').update(KEY).digest('hex').slice(0, 16)
    const output = page.getByRole('region', { name: 'Output' }).last()
    await expect(output).toContainText(`host=${hostname} room=Attic 7 key=••••••`)
    await expect(output).toContainText(digest)
    await expect(output).toContainText(`${KEY.length} letters`)
    const [run] = await admin.call(listAgentHistory, { params: { agent_id }, query: {} })
    expect(run?.args).toEqual([hostname, 'Attic 7', '••••••'])
  })

  await test.step('a parameter reaches the script as it was typed', async () => {
    const value = `it's "5 o'clock" $(date); & {more}`
    const { id } = await addScript(admin, {
      name: 'Show a parameter',
      script_body: 'printf "[%s] [%s]" "$MUSTER_PARAM_NOTE" "$MUSTER_PARAM_DAYS"',
      parameters: [
        { name: 'Note', type: 'text', required: true },
        { name: 'Days', type: 'number', default: '30' },
      ],
    })
    await follow(page, `/?dialog=run-script&item=${agent_id}.${id}`)
    await expect(dialog(page)).toContainText('Note needs a value.')
    await dialog(page).getByRole('textbox', { name: 'Note' }).fill(value)
    await dialog(page).getByRole('button', { name: 'Run script', exact: true }).click()
    await expect(page.getByRole('region', { name: 'Output' }).last()).toContainText(`[${value}] [30]`)
  })

  await test.step('a version is compared and taken back', async () => {
    await admin.call(editScript, { params: { id: script.id }, body: { script_body: 'echo broken' } })
    await follow(page, `/?dialog=script-versions&item=${script.id}`)
    await expect(dialog(page)).toContainText('echo broken')
    await expect(dialog(page)).toContainText('2 lines of code differ')
    await dialog(page).getByRole('button', { name: 'Restore version' }).click()
    await page
      .getByRole('dialog', { name: 'Restore this version?' })
      .getByRole('button', { name: 'Restore version' })
      .click()
    await expect(page.getByText('Version restored.')).toBeVisible()
    await expect(dialog(page)).toContainText('sha256sum')
  })

  await test.step('the built-in scripts are shown or hidden', async () => {
    await follow(page, '/scripts?find=Disk use')
    const builtIn = page.getByRole('row', { name: /Disk use.*Built in/ }).first()
    await expect(builtIn).toBeVisible()
    await page.getByText('Folders', { exact: true }).click()
    await expect(page.getByRole('treeitem', { name: /Disk use.*Built in/ }).first()).toBeVisible()
    await page.getByText('Table', { exact: true }).click()
    await page.getByRole('checkbox', { name: 'Community scripts' }).click()
    await expect(builtIn).not.toBeVisible()
  })
})
