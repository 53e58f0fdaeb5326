import { listAgents } from '@muster/contract/api/agents'
import type { DashInfo } from '@muster/contract/api/core'
import { getHistoryOutput, testScript } from '@muster/contract/api/history'
import {
  type ScriptContent,
  type ScriptDetail,
  getScript,
  getScriptVersion,
  listScriptVersions,
  restoreScriptVersion,
  testScriptOnServer,
} from '@muster/contract/api/scripts'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer, refuse } from '../../app/test-server.ts'
import { MACHINES, answerMachines, givenDashboard } from '../dashboard/test-dashboard.ts'
import { testScript as givenScript } from './test-script.ts'

const AT = '2026-11-21T10:00:00.000Z'
const NOW: ScriptDetail = {
  ...givenScript({ args: ['-v'] }),
  script_body: 'echo one\necho new\n',
  script_hash: 'x',
  modified: AT,
}
const OLD: ScriptContent = { ...NOW, args: [], script_body: 'echo one\necho old\n' }
const dialog = () => page.getByRole('dialog')

async function givenVersions(info: Partial<DashInfo> = {}) {
  const { server, open } = await givenDashboard({ info })
  server.on(getScript, () => answer(getScript, NOW))
  server.on(listScriptVersions, () =>
    answer(listScriptVersions, [
      { id: 2, username: 'ada', saved_at: AT },
      { id: 1, username: 'grace', saved_at: '2026-11-20T10:00:00.000Z' },
    ]),
  )
  server.on(getScriptVersion, () =>
    answer(getScriptVersion, { id: 1, username: 'grace', saved_at: AT, content: OLD }),
  )
  server.on(restoreScriptVersion, () => answer(restoreScriptVersion, NOW))
  return { server, open }
}

test('6 versions with diff: an older version is compared with what the script is now, and taken back', async () => {
  const { server, open } = await givenVersions()
  const { at } = await open(`/?dialog=script-versions&item=${NOW.id}`)
  await expect.element(dialog().getByText('2 lines of code differ from what it is now.')).toBeVisible()
  await expect.element(dialog().getByText('removed: echo old')).toBeInTheDocument()
  await expect.element(dialog().getByText('added: echo new')).toBeInTheDocument()
  await expect.element(dialog().getByText('Arguments: empty → -v')).toBeVisible()
  await dialog().getByRole('button', { name: 'Take this version back' }).click()
  await page.getByRole('button', { name: 'Take it back' }).click()
  await expect.element(page.getByText('The version is taken back.')).toBeVisible()
  expect(server.calls(restoreScriptVersion)[0]?.body).toEqual({ modified: AT })
  await expect.poll(at).toContain('dialog=script&')
})

test('6 test run: code is tested as it is in the editor; what the server refuses is said there', async () => {
  const { server, open } = await givenVersions()
  const names = [{ id: 1, agent_id: 'alpha0000000', hostname: 'alpha', client: 'Acme', site: 'Berlin' }]
  server.on(listAgents, (received) =>
    received.search.get('detail') === 'false'
      ? answer(listAgents, names)
      : answerMachines(received, MACHINES),
  )
  server.on(testScript, () => refuse('invalid', '{{global.X}} has no value for alpha.'))
  server.on(getHistoryOutput, () => refuse('not_found', 'There is no such entry in the history.'))
  await open(`/?dialog=script&item=${NOW.id}`)
  await dialog().getByRole('button', { name: 'Test', exact: true }).click()
  const test = page.getByRole('dialog', { name: 'Test the script' })
  await test.getByRole('combobox', { name: 'Machine' }).click()
  await page.getByRole('option', { name: /alpha/ }).click()
  await test.getByRole('button', { name: 'Run', exact: true }).click()
  await expect.element(test.getByText('{{global.X}} has no value for alpha.')).toBeVisible()
  expect(server.calls(testScript)[0]?.body).toMatchObject({
    code: NOW.script_body,
    shell: NOW.shell,
    args: ['-v'],
    wait: false,
  })
})

test('where scripts run on the server, code is tested there: how it ended, and both outputs', async () => {
  const { server, open } = await givenVersions({ server_scripts_enabled: true })
  server.on(testScriptOnServer, () =>
    answer(testScriptOnServer, {
      retcode: 4,
      reason: '',
      execution_time: 0.25,
      stdout: 'hello\n',
      stderr: 'trouble\n',
    }),
  )
  await open(`/?dialog=script&item=${NOW.id}`)
  await dialog().getByRole('button', { name: 'Test', exact: true }).click()
  const test = page.getByRole('dialog', { name: 'Test the script' })
  await test.getByRole('combobox', { name: 'Where' }).click()
  await page.getByRole('option', { name: 'The Muster server itself' }).click()
  await test.getByRole('button', { name: 'Run', exact: true }).click()
  const result = test.getByRole('region', { name: 'Test on the server' })
  await expect.element(result.getByText(/^exit code 4 · 0.3 s/)).toBeVisible()
  await expect.element(result.getByText('hello')).toBeVisible()
  await expect.element(result.getByText('trouble')).toBeVisible()
  const { script_body: code, shell } = NOW
  expect(server.calls(testScriptOnServer)[0]?.body).toEqual({
    code,
    shell,
    args: ['-v'],
    env_vars: [],
    timeout: NOW.default_timeout,
  })
  expect(server.calls(testScript)).toEqual([])
  server.on(testScriptOnServer, () =>
    answer(testScriptOnServer, {
      retcode: null,
      reason: 'It was ended after 90 s.',
      execution_time: 90,
      stdout: '',
      stderr: '',
    }),
  )
  await test.getByRole('button', { name: 'Run again' }).click()
  await expect.element(result.getByText(/^It was ended after 90 s\./)).toBeVisible()
})
