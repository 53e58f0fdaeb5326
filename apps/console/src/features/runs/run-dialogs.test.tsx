import { getAgent } from '@muster/contract/api/agents'
import { listKeyStore } from '@muster/contract/api/keystore'
import { cancelHistory, getHistoryOutput, runScript, sendCommand } from '@muster/contract/api/runs'
import { type Script, listScripts } from '@muster/contract/api/scripts'
import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { queryKey } from '../../app/api/query-key.ts'
import { answer, refuse } from '../../testing/test-server.ts'
import { givenDashboard, testDetail } from '../dashboard/test-dashboard.ts'
import { testScript } from '../scripts/test-script.ts'
import { testRun } from './test-run.ts'

const RUN = testRun({
  id: 7,
  state: 'running',
  command: 'uptime',
  started_at: '2026-11-21T10:00:00.000Z',
})

const output = () => page.getByRole('region', { name: 'Output' })
const dialog = () => page.getByRole('dialog')

async function sendUptime() {
  const given = await givenDashboard()
  const { server } = given
  server.on(sendCommand, () => answer(sendCommand, { ...RUN, stdout: '', stderr: '' }))
  server.on(getHistoryOutput, () => answer(getHistoryOutput, { history: RUN, chunks: [] }))
  const opened = await given.open('/?dialog=send-command&item=alpha0000000')
  await dialog().getByRole('textbox', { name: 'Command' }).fill('uptime')
  await userEvent.keyboard('{Control>}{Enter}{/Control}')
  await expect.element(output()).toBeVisible()
  // As the live link does for an event of the run.
  const refetchOutput = () => opened.queryClient.invalidateQueries({ queryKey: queryKey(getHistoryOutput) })
  return { server, refetchOutput, ...opened }
}

test('a command is sent, and its output comes as it comes, piece by piece', async () => {
  const { server, refetchOutput } = await sendUptime()
  expect(server.calls(sendCommand)[0]?.body).toMatchObject({
    shell: 'bash',
    cmd: 'uptime',
    timeout: 30,
    wait: false,
  })
  await expect.element(dialog().getByText('running', { exact: true }).first()).toBeVisible()
  server.on(getHistoryOutput, () =>
    answer(getHistoryOutput, {
      history: { ...RUN, output_bytes: 6 },
      chunks: [{ seq: 1, stream: 'stdout', text: '\u001b[1mline 1\u001b[0m\n' }],
    }),
  )
  await refetchOutput()
  await expect.element(output()).toHaveTextContent('line 1')
  const atTheEnd = dialog().getByText(/the rest is shown when the run ends/)
  await expect.element(atTheEnd).not.toBeInTheDocument()
  server.on(getHistoryOutput, () =>
    answer(getHistoryOutput, { history: { ...RUN, output_bytes: 600_000 }, chunks: [] }),
  )
  await refetchOutput()
  await expect.element(atTheEnd).toBeVisible()
  server.on(getHistoryOutput, () =>
    answer(getHistoryOutput, {
      history: {
        ...RUN,
        job: 12,
        state: 'done',
        retcode: 3,
        execution_time: 1.5,
        output_cut_bytes: 2048,
        output_bytes: 1024,
      },
      chunks: [{ seq: 2, stream: 'stderr', text: 'oops\n' }],
    }),
  )
  await refetchOutput()
  await expect.element(output()).toHaveTextContent('line 1 oops')
  expect(server.calls(getHistoryOutput).at(-1)?.search.get('after')).toBe('1')
  await expect.element(dialog().getByText('exit code 3')).toBeVisible()
  await expect.element(dialog().getByText('1.5 s')).toBeVisible()
  await expect.element(dialog().getByText('1 KB stored, 2 KB left out.')).toBeVisible()
  await expect.element(atTheEnd).not.toBeInTheDocument()
  await expect.element(dialog().getByRole('link', { name: 'Job J-12' })).toHaveAttribute('href', '/jobs/12')
  await dialog().getByText('Errors', { exact: true }).click()
  await expect.element(output()).not.toHaveTextContent('line 1')
  await expect.element(output()).toHaveTextContent('oops')
  await expect.element(dialog().getByRole('button', { name: 'Run again' })).toBeEnabled()
})

test('a machine with Windows gets cmd, also if its system becomes known while the dialog is open', async () => {
  const { server, open } = await givenDashboard()
  server.on(getAgent, () => answer(getAgent, testDetail({ plat: 'linux' })))
  const { queryClient } = await open('/?dialog=send-command&item=alpha0000000')
  const shell = dialog().getByRole('combobox', { name: 'Shell' })
  await expect.element(shell).toHaveValue('Bash')
  server.on(getAgent, () => answer(getAgent, testDetail({ plat: 'windows' })))
  await queryClient.invalidateQueries({ queryKey: queryKey(getAgent) })
  await expect.element(shell).toHaveValue('CMD')
})

test('a run can be cancelled; closing the dialog does not cancel it', async () => {
  const { server, at } = await sendUptime()
  server.on(cancelHistory, () => answer(cancelHistory, RUN))
  server.on(getHistoryOutput, () =>
    answer(getHistoryOutput, {
      history: { ...RUN, state: 'cancelled', reason: 'ada cancelled it.' },
      chunks: [],
    }),
  )
  await dialog().getByRole('button', { name: 'Cancel' }).click()
  await expect.element(dialog().getByText('ada cancelled it.')).toBeVisible()
  await expect.element(dialog().getByRole('button', { name: 'Cancel' })).not.toBeInTheDocument()
  await userEvent.keyboard('{Escape}')
  await expect.poll(at).toBe('/')
  expect(server.calls(cancelHistory)).toHaveLength(1)
})

test('a refused command shows the reason and keeps the text', async () => {
  const { server, open } = await givenDashboard()
  server.on(sendCommand, () => refuse('invalid', 'alpha has no bash.'))
  await open('/?dialog=send-command&item=alpha0000000')
  await dialog().getByRole('textbox', { name: 'Command' }).fill('uptime')
  await dialog().getByRole('button', { name: 'Send command' }).click()
  await expect.element(dialog().getByText('alpha has no bash.')).toBeVisible()
  await expect.element(dialog().getByRole('textbox', { name: 'Command' })).toHaveValue('uptime')
})

test('a script brings its arguments, variables and time limit for one run; keys in arguments are warned of', async () => {
  const script: Script = {
    id: 12,
    name: 'Clean up',
    description: '',
    category: 'Disks',
    shell: 'shell',
    script_type: 'userdefined',
    args: ['/tmp'],
    env_vars: ['MODE=safe'],
    parameters: [],
    filename: '',
    syntax: '',
    default_timeout: 120,
    supported_platforms: ['linux'],
    favorite: false,
    hidden: false,
    run_as_user: false,
    server_approval: null,
  }
  const { server, open } = await givenDashboard()
  server.on(listScripts, () => answer(listScripts, [script]))
  server.on(runScript, () => answer(runScript, { ...RUN, stdout: '', stderr: '' }))
  server.on(getHistoryOutput, () => answer(getHistoryOutput, { history: RUN, chunks: [] }))
  await open('/?dialog=run-script&item=alpha0000000.12')
  await expect.element(dialog().getByRole('textbox', { name: 'Arguments 1' })).toHaveValue('/tmp')
  await dialog().getByRole('button', { name: 'Add argument' }).click()
  await dialog().getByRole('textbox', { name: 'Arguments 2' }).fill('-f')
  const warning = dialog().getByText(/Keys in arguments are visible on the machine/)
  await expect.element(warning).not.toBeInTheDocument()
  await dialog().getByRole('textbox', { name: 'Arguments 2' }).fill('--password={{ global.backup }}')
  await expect.element(warning).toBeVisible()
  await dialog().getByRole('textbox', { name: 'Arguments 2' }).fill('-f')
  await expect.element(warning).not.toBeInTheDocument()
  await dialog().getByRole('textbox', { name: 'Environment variables 1' }).fill('bad name')
  await expect.element(dialog().getByRole('button', { name: 'Run script', exact: true })).toBeDisabled()
  await dialog().getByRole('textbox', { name: 'Environment variables 1' }).fill('MODE=fast')
  await dialog().getByRole('combobox', { name: 'Run as' }).click()
  await page.getByRole('option', { name: 'Another user' }).click()
  await expect.element(dialog().getByRole('button', { name: 'Run script', exact: true })).toBeDisabled()
  await dialog().getByRole('combobox', { name: 'Run as' }).click()
  await page.getByRole('option', { name: /^Signed-in user/ }).click()
  await expect.element(dialog().getByText(/^Nothing runs if no user is signed in/)).toBeVisible()
  await dialog().getByRole('button', { name: 'Run script', exact: true }).click()
  await expect.element(output()).toBeVisible()
  expect(server.calls(runScript)[0]?.body).toEqual({
    script: 12,
    args: ['/tmp', '-f'],
    env_vars: ['MODE=fast'],
    output: 'wait',
    timeout: 120,
    expires_in: 3600,
    wait: false,
    run_as_user: true,
  })
})

test('a script shows a field for each parameter, and runs with their values', async () => {
  const parameter = { description: '', required: false, default: '', choices: [] }
  const script = testScript({
    id: 12,
    env_vars: ['MODE=safe'],
    parameters: [
      { ...parameter, name: 'Note', type: 'text', required: true },
      { ...parameter, name: 'Days', type: 'number', default: '30' },
      { ...parameter, name: 'Speed', type: 'choice', choices: ['fast', 'slow'] },
      { ...parameter, name: 'Password', type: 'secret' },
    ],
  })
  const { server, open } = await givenDashboard()
  server.on(listScripts, () => answer(listScripts, [script]))
  server.on(listKeyStore, () => answer(listKeyStore, []))
  server.on(runScript, () => answer(runScript, { ...RUN, stdout: '', stderr: '' }))
  server.on(getHistoryOutput, () => answer(getHistoryOutput, { history: RUN, chunks: [] }))
  await open('/?dialog=run-script&item=alpha0000000.12')
  const run = dialog().getByRole('button', { name: 'Run script', exact: true })
  await expect.element(dialog().getByText('Note needs a value.')).toBeVisible()
  await expect.element(run).toBeDisabled()
  await dialog().getByRole('textbox', { name: 'Note' }).fill(`it's "quoted"`)
  await expect.element(dialog().getByRole('textbox', { name: 'Days' })).toHaveValue('30')
  await dialog().getByRole('textbox', { name: 'Days' }).fill('soon')
  await expect.element(run).toBeDisabled()
  await dialog().getByRole('textbox', { name: 'Days' }).fill('7')
  await dialog().getByRole('combobox', { name: 'Speed' }).click()
  await page.getByRole('option', { name: 'fast' }).click()
  await dialog().getByLabelText('Password').fill('DB')
  await expect
    .element(dialog().getByRole('textbox', { name: 'Environment variables 1' }))
    .toHaveValue('MODE=safe')
  await run.click()
  await expect.poll(() => server.calls(runScript)).toHaveLength(1)
  expect(server.calls(runScript)[0]?.body).toMatchObject({
    env_vars: [
      'MODE=safe',
      `MUSTER_PARAM_NOTE=it's "quoted"`,
      'MUSTER_PARAM_DAYS=7',
      'MUSTER_PARAM_SPEED=fast',
      'MUSTER_PARAM_PASSWORD={{global.DB}}',
    ],
  })
})
