import { listAgents } from '@muster/contract/api/agents'
import type { DashInfo } from '@muster/contract/api/system'
import { getHistoryOutput, testScript } from '@muster/contract/api/runs'
import {
  type ScriptApproval,
  type ScriptContent,
  type ScriptDetail,
  approveScript,
  downloadScript,
  getScript,
  getScriptApproval,
  getScriptVersion,
  listScriptVersions,
  restoreScriptVersion,
  testScriptOnServer,
} from '@muster/contract/api/scripts'
import { listSnippets } from '@muster/contract/api/snippets'
import type { Me } from '@muster/contract/api/users'
import { MantineProvider } from '@mantine/core'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { render } from '../../ui/test-render.ts'
import { answer, refuse } from '../../testing/test-server.ts'
import { MACHINES, answerMachines, givenDashboard } from '../dashboard/test-dashboard.ts'
import { CodeDiff } from './CodeDiff.tsx'
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

async function givenVersions(info: Partial<DashInfo> = {}, me: Partial<Me> = {}) {
  const { server, open } = await givenDashboard({ info, me })
  server.on(listSnippets, () => answer(listSnippets, []))
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

test('an older version is compared with the current one, and restored', async () => {
  const { server, open } = await givenVersions()
  const { at } = await open(`/?dialog=script-versions&item=${NOW.id}`)
  await expect.element(dialog().getByText('2 lines of code differ from the current version.')).toBeVisible()
  await expect.element(dialog().getByRole('deletion')).toHaveTextContent('echo old')
  await expect.element(dialog().getByRole('insertion')).toHaveTextContent('echo new')
  await expect.element(dialog().getByText('Arguments: empty → -v')).toBeVisible()
  await dialog().getByRole('button', { name: 'Restore version' }).click()
  await page
    .getByRole('dialog', { name: 'Restore this version?' })
    .getByRole('button', { name: 'Restore version' })
    .click()
  await expect.element(page.getByText('Version restored.')).toBeVisible()
  expect(server.calls(restoreScriptVersion)[0]?.body).toEqual({ modified: AT })
  await expect.poll(at).toContain('dialog=script&')
})

test.each<[string, string, number, string[], string[]]>([
  ['', '', 0, [], []],
  ['a\nb', 'a\nb', 0, [], []],
  ['a\nb\nc', 'a\nx\nc', 2, ['b'], ['x']],
  ['a', 'a\nb', 1, [], ['b']],
  ['a\nb', 'b', 1, ['a'], []],
  ['a\r\nb', 'a\nb', 0, [], []],
  ['', 'new', 1, [], ['new']],
  ['a\nb\n', 'c\n', 3, ['a', 'b'], ['c']],
  ['a', 'a\n', 1, [], []],
])('the difference of %j and %j is %i lines', async (before, after, changed, removed, added) => {
  const screen = await render(
    <MantineProvider>
      <CodeDiff before={before} after={after} summary={(count) => `${count} lines`} />
    </MantineProvider>,
  )
  await expect.element(screen.getByRole('status')).toHaveTextContent(`${changed} lines`)
  const textsOf = (tag: string) =>
    [...screen.container.querySelectorAll(tag)].map((line) => line.textContent).filter((text) => text !== '')
  await expect.poll(() => [textsOf('del'), textsOf('ins')]).toEqual([removed, added])
})

test('two long texts without a common line are compared', async () => {
  const long = (word: string) => Array.from({ length: 3000 }, (_, index) => `${word} ${index}`).join('\n')
  const screen = await render(
    <MantineProvider>
      <CodeDiff before={long('a')} after={long('b')} summary={(count) => `${count} lines`} />
    </MantineProvider>,
  )
  await expect.element(screen.getByRole('status')).toHaveTextContent('6000 lines')
})

test('unsaved code is tested; the dialog shows the error of the server', async () => {
  const { server, open } = await givenVersions()
  const names = [{ id: 1, agent_id: 'alpha0000000', hostname: 'alpha', client: 'Acme', site: 'Berlin' }]
  server.on(listAgents, (received) =>
    received.search.get('detail') === 'false'
      ? answer(listAgents, names)
      : answerMachines(received, MACHINES),
  )
  server.on(testScript, () => refuse('invalid', '{{global.X}} has no value for alpha.'))
  server.on(getHistoryOutput, () => refuse('not_found', 'This entry of the history does not exist.'))
  await open(`/?dialog=script&item=${NOW.id}`)
  await dialog().getByRole('button', { name: 'Test', exact: true }).click()
  const test = page.getByRole('dialog', { name: 'Test script' })
  await test.getByRole('combobox', { name: 'Machine' }).click()
  await page.getByRole('option', { name: /alpha/ }).click()
  await test.getByRole('button', { name: 'Run script', exact: true }).click()
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
  const test = page.getByRole('dialog', { name: 'Test script' })
  await test.getByRole('combobox', { name: 'Target' }).click()
  await page.getByRole('option', { name: 'Muster server' }).click()
  await test.getByRole('button', { name: 'Run script', exact: true }).click()
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

const WAITING: ScriptApproval = {
  state: 'waiting',
  approved: { shell: 'shell', code: 'echo one\necho old\n', username: 'grace', approved_at: AT },
  current: { shell: 'python', code: 'echo one\necho new\n', hash: 'h2' },
  templates: ['Night'],
}

test('a script that waits for approval is compared with the approved version, and approved', async () => {
  const { server, open } = await givenVersions()
  server.on(getScript, () => answer(getScript, { ...NOW, server_approval: 'waiting' }))
  server.on(getScriptApproval, () => answer(getScriptApproval, WAITING))
  server.on(approveScript, () => {
    server.on(getScript, () => answer(getScript, { ...NOW, server_approval: 'approved' }))
    return answer(approveScript, { ...WAITING, state: 'approved' })
  })
  await open(`/?dialog=script&item=${NOW.id}`)
  await expect.element(dialog().getByText('Waiting for approval')).toBeVisible()
  await dialog().getByRole('button', { name: 'Approve version' }).click()
  const approval = page.getByRole('dialog', { name: 'Version of Clean for the server' })
  await expect.element(approval.getByText('2 lines of code differ from the approved version.')).toBeVisible()
  await expect.element(approval.getByRole('deletion')).toHaveTextContent('echo old')
  await expect.element(approval.getByRole('insertion')).toHaveTextContent('echo new')
  await expect.element(approval.getByText('Shell: Shell → Python')).toBeVisible()
  await expect.element(approval.getByText('Alert templates with this script: Night')).toBeVisible()
  await approval.getByRole('button', { name: 'Approve version' }).click()
  await expect.element(page.getByText('Clean may run on the server.')).toBeVisible()
  expect(server.calls(approveScript)[0]?.body).toEqual({ hash: 'h2' })
  await expect.element(page.getByText('Waiting for approval')).not.toBeInTheDocument()
})

test('without the right to run scripts on the server, changes are shown and not approved', async () => {
  const { server, open } = await givenVersions({}, { is_superuser: false, permissions: ['can_list_scripts'] })
  server.on(getScript, () => answer(getScript, { ...NOW, server_approval: 'waiting' }))
  server.on(getScriptApproval, () => answer(getScriptApproval, WAITING))
  server.on(downloadScript, () => answer(downloadScript, { filename: 'clean.sh', code: 'echo one' }))
  await open(`/?dialog=script&item=${NOW.id}`)
  await dialog().getByRole('button', { name: 'Show changes' }).click()
  const approval = page.getByRole('dialog', { name: 'Version of Clean for the server' })
  await expect.element(approval.getByRole('deletion')).toHaveTextContent('echo old')
  await expect.element(approval.getByRole('button', { name: 'Approve version' })).not.toBeInTheDocument()
})

test('a test on the server shows the code with its snippets, and sends it', async () => {
  const { server, open } = await givenVersions({ server_scripts_enabled: true })
  server.on(getScript, () => answer(getScript, { ...NOW, script_body: '{{log}} one' }))
  server.on(listSnippets, () =>
    answer(listSnippets, [{ id: 1, name: 'log', desc: '', code: 'logger', shell: 'shell', modified: AT }]),
  )
  server.on(testScriptOnServer, () => refuse('changed_meanwhile', 'A snippet has changed.'))
  await open(`/?dialog=script&item=${NOW.id}`)
  await dialog().getByRole('button', { name: 'Test', exact: true }).click()
  const test = page.getByRole('dialog', { name: 'Test script' })
  await test.getByRole('combobox', { name: 'Target' }).click()
  await page.getByRole('option', { name: 'Muster server' }).click()
  await test.getByText('Code with snippets').click()
  await expect.element(test.getByText('logger one')).toBeVisible()
  await test.getByRole('button', { name: 'Run script', exact: true }).click()
  await expect.element(test.getByText('A snippet has changed.')).toBeVisible()
  expect(server.calls(testScriptOnServer)[0]?.body).toMatchObject({
    code: '{{log}} one',
    code_with_snippets: 'logger one',
  })
})
