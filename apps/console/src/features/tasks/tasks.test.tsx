import { listCustomFields } from '@muster/contract/api/custom-fields'
import { createTask, deleteTask, editTask, runTask } from '@muster/contract/api/tasks'
import { expect, onTestFinished, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer } from '../../testing/test-server.ts'
import { AGENT, givenTasks, testField, testTask, testTaskRun } from './test-tasks.ts'

const AT = `/agents/${AGENT}?pane=tasks`
const ADD = `${AT}&dialog=add-task&item=${AGENT}`
const EDIT = `${AT}&dialog=edit-task&item=1`
const field = (name: string) => page.getByRole('textbox', { name, exact: true })
const row = (name: RegExp) => page.getByRole('row', { name })
const nextRuns = () => page.getByRole('region', { name: 'Next runs' }).getByRole('listitem')

async function choose(label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option }).click()
}

async function act(name: RegExp, action: string): Promise<void> {
  await row(name).click({ button: 'right' })
  await page.getByRole('menuitem', { name: action }).click()
}

test('each task shows state, schedule and last output', async () => {
  const failing = testTask(
    { id: 2, name: 'Backup', alert_severity: 'error' },
    { status: 'failing', more_info: '"tar" ended with exit code 2.' },
  )
  const off = testTask({ id: 3, name: 'Old', enabled: false }, { last_run: null })
  await (await givenTasks({ tasks: [testTask(), failing, off] })).open(AT)
  await expect.element(row(/^passing Nightly Every day at 02:00 all good \d+ \w+ ago in \d+/)).toBeVisible()
  await expect.element(row(/^failing · error Backup .* "tar" ended with exit code 2\./)).toBeVisible()
  await expect.element(row(/^disabled Old .* – never –/)).toBeVisible()
  await expect.element(page.getByText('1 failing, 1 passing, 1 disabled')).toBeVisible()
})

test('the result of a task is the first line that a terminal shows', async () => {
  const stdout = '\u001b[2m\u001b[0m\n10 %\r\u001b[32mall good\u001b[0m\nmore\n'
  await (await givenTasks({ tasks: [testTask({}, { stdout })] })).open(AT)
  await expect.element(row(/^passing Nightly Every day at 02:00 all good \d+ \w+ ago/)).toBeVisible()
})

test('a hostile name is text', async () => {
  const name = '<img src=x onerror=alert(1)>'
  await (await givenTasks({ tasks: [testTask({ name }, { stdout: name })] })).open(AT)
  await expect.element(row(/<img/)).toBeVisible()
  expect(document.querySelector('[role=grid] img')).toBeNull()
})

test('the pane has states for no tasks, offline machines and missing permissions', async () => {
  await (await givenTasks()).open(AT)
  await expect.element(page.getByText(/alpha has no tasks yet/)).toBeVisible()
  await (await givenTasks({ tasks: [testTask()], agent: { connected: false } })).open(AT)
  await expect.element(page.getByText(/Tasks continue/)).toBeVisible()
  await (await givenTasks({ me: { is_superuser: false, permissions: ['can_list_agents'] } })).open(AT)
  await expect.element(page.getByText('Your role does not allow you to see tasks.')).toBeVisible()
})

test('a task is run, disabled and deleted from its menu', async () => {
  const { server, open } = await givenTasks({ tasks: [testTask()] })
  await open(AT)
  await act(/Nightly/, 'Run task')
  await expect.element(page.getByText('Started Nightly on alpha.')).toBeVisible()
  expect(server.calls(runTask)).toHaveLength(1)
  await act(/Nightly/, 'Disable')
  await expect.poll(() => server.calls(editTask)[0]?.body).toEqual({ enabled: false })
  await act(/Nightly/, 'Delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect.poll(() => server.calls(deleteTask)).toHaveLength(1)
})

test('a new task is added with the usual settings, and they are shown', async () => {
  const { server, open } = await givenTasks()
  const { at } = await open(ADD)
  await field('Name').fill('Nightly')
  await field('Command').fill('apt-get update')
  await expect.poll(() => nextRuns().elements().length).toBe(5)
  await expect.poll(() => nextRuns().first().element().textContent).toContain('02:00')
  await page.getByRole('button', { name: 'Add task' }).click()
  await expect.element(page.getByText('Task added.')).toBeVisible()
  expect(server.calls(createTask)[0]?.body).toMatchObject({
    agent: AGENT,
    name: 'Nightly',
    task_type: 'daily',
    run_time_date: expect.stringMatching(/T02:00$/),
    expire_date: null,
    task_instance_policy: 1,
    actions: [{ type: 'cmd', command: 'apt-get update', timeout: 30 }],
  })
  expect(at()).not.toContain('dialog')
})

test('they are right across a change of the clocks', async () => {
  const { open } = await givenTasks({ tasks: [testTask({ run_time_date: '2099-03-28T02:30' })] })
  await open(EDIT)
  // In the night to the 29th of March 2099 the clocks of Zurich leave 02:30 out.
  await expect
    .poll(() =>
      nextRuns()
        .elements()
        .map((item) => item.querySelector('time')?.textContent),
    )
    .toEqual([
      'Sat, 28 Mar 2099, 02:30',
      'Sun, 29 Mar 2099, 03:00',
      'Mon, 30 Mar 2099, 02:30',
      'Tue, 31 Mar 2099, 02:30',
      'Wed, 1 Apr 2099, 02:30',
    ])
})

test('invalid values are shown at their fields', async () => {
  const { server, open } = await givenTasks()
  await open(ADD)
  await expect.element(field('Every')).toHaveValue('1 day')
  await field('Every').fill('2')
  await expect.element(field('Every')).toHaveValue('2 days')
  await field('Name').fill('Odd')
  await choose('Runs', 'Cron expression')
  await field('Cron expression').fill('every day')
  await field('Random delay up to').fill('soon')
  await userEvent.keyboard('{Tab}')
  await expect.element(page.getByText(/^Use minute, hour, day of the month/)).toBeVisible()
  await expect.element(page.getByText('Complete the fields above to see the next runs.')).toBeVisible()
  await field('Cron expression').fill('30 2 * * mon-fri')
  await userEvent.keyboard('{Tab}')
  await expect.element(page.getByText(/^Use a number and s, m, h or d/)).toBeVisible()
  await expect.element(page.getByRole('button', { name: 'Add task' })).toBeDisabled()
  expect(server.calls(createTask)).toEqual([])
})

test('spec, time period: an invalid period is logged each time it is rejected', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => logged.mockRestore())
  const lines = () => logged.mock.calls.map(([line]: unknown[]) => line)
  await (await givenTasks()).open(ADD)
  await field('Name').fill('Nightly')
  await field('Repeat every').fill('15m')
  await field('Repeat for').fill('1000h')
  await field('Random delay up to').fill('30m')
  await expect.element(page.getByText(/^Use a number and s, m, h or d/)).toBeVisible()
  expect(lines()).toEqual(['Time Period is invalid'])
  await field('Random delay up to').fill('soon')
  await userEvent.keyboard('{Tab}')
  await expect.element(page.getByText(/^Use a number and s, m, h or d/).nth(1)).toBeVisible()
  await expect.poll(lines).toEqual(['Time Period is invalid', 'Time Period is invalid'])
  await field('Random delay up to').fill('')
  await field('Repeat for').fill('1H')
  await userEvent.keyboard('{Tab}')
  await expect.element(page.getByText(/^Use a number and s, m, h or d/)).not.toBeInTheDocument()
  expect(lines()).toHaveLength(2)
})

test('days, weeks and months are sent as the bits of the field', async () => {
  const { server, open } = await givenTasks()
  await open(ADD)
  await field('Name').fill('Monthly')
  await field('Command').fill('true')
  await choose('Runs', 'On days of the month')
  await field('Days of the month').fill('1, 31, last')
  await page.getByRole('checkbox', { name: 'Feb' }).click()
  await page.getByRole('button', { name: 'Add task' }).click()
  await expect.element(page.getByText('Task added.')).toBeVisible()
  expect(server.calls(createTask)[0]?.body).toMatchObject({
    task_type: 'monthly',
    monthly_days_of_month: 1 + 2 ** 30 + 0x80000000,
    monthly_months_of_year: 4095 - 2,
  })
})

test('actions are added, moved and taken away', async () => {
  const { server, open } = await givenTasks({ tasks: [testTask()] })
  await open(EDIT)
  await page.getByRole('button', { name: 'Add command' }).click()
  const commands = page.getByRole('list', { name: 'Actions' }).getByRole('textbox', { name: 'Command' })
  await commands.nth(1).fill('echo first')
  await page.getByRole('button', { name: 'Move action 2 up' }).click()
  await expect.element(commands.nth(0)).toHaveValue('echo first')
  await page.getByRole('button', { name: 'Remove action 2' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.element(page.getByText('Task saved.')).toBeVisible()
  expect(server.calls(editTask)[0]?.body).toMatchObject({
    modified: 'm1',
    actions: [{ command: 'echo first' }],
  })
})

test('a conflict loads the version of the other user', async () => {
  const { state, open } = await givenTasks({ tasks: [testTask()] })
  await open(EDIT)
  await field('Name').fill('Mine')
  state.tasks = [testTask({ name: 'Theirs', modified: 'm2' })]
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Load current task' }).click()
  await expect.element(field('Name')).toHaveValue('Theirs')
})

test('runs are listed with their output; a missed run shows the reason', async () => {
  const missed = testTaskRun({
    id: 2,
    state: 'missed',
    status: null,
    retcode: null,
    execution_time: null,
    missed: 3,
    more_info: 'The machine or its agent was off at that time.',
  })
  const { open } = await givenTasks({ tasks: [testTask()], runs: [testTaskRun(), missed] })
  await open(`${AT}&dialog=task-runs&item=1`)
  await expect.element(page.getByRole('region', { name: 'Output of action 1' })).toHaveTextContent('all good')
  await expect.element(page.getByText(/exit code 0/)).toBeVisible()
  await row(/3 missed/).click()
  await expect.element(page.getByText('The machine or its agent was off at that time.')).toBeVisible()
})

test('policy tasks are edited in the policy only, and overridden tasks say so', async () => {
  await page.viewport(1280, 800)
  const theirs = testTask({ name: 'Nightly', policy: 4, policy_name: 'Base' })
  const rests = testTask({ id: 2, name: 'nightly', overridden_by_policy: true })
  await (await givenTasks({ tasks: [theirs, rests] })).open(AT)
  await expect.element(page.getByRole('button', { name: /^From the policy Base/ })).toBeVisible()
  await expect.element(row(/^overridden .*nightly/)).toBeVisible()
  await row(/passing/).click({ button: 'right' })
  for (const name of ['Disable', 'Delete']) {
    const entry = page.getByRole('menuitem', { name: new RegExp(`^${name}`) })
    await expect.element(entry).toBeDisabled()
  }
  await page.getByRole('menuitem', { name: 'Why is this here?' }).click()
  await expect.element(page.getByRole('dialog', { name: 'Why does this machine have this?' })).toBeVisible()
})

test('a task of a policy is run from the machine, its runs are read there, and editing leads to the policy', async () => {
  await page.viewport(1280, 800)
  const theirs = testTask({ policy: 4, policy_name: 'Base' }, { run_status: 'running' })
  const { server, open } = await givenTasks({ tasks: [theirs], runs: [testTaskRun()] })
  const { at } = await open(AT)
  await expect.element(row(/^running .*Nightly/)).toBeVisible()
  await act(/Nightly/, 'Run task')
  await expect.poll(() => server.calls(runTask)).toHaveLength(1)
  await row(/Nightly/).dblClick()
  await expect.element(page.getByRole('region', { name: 'Output of action 1' })).toHaveTextContent('all good')
  await page.getByRole('button', { name: 'Close' }).click()
  await act(/Nightly/, 'Edit in the policy Base')
  await expect.poll(at).toContain('/policies/4')
})

test('chosen in the form, and shown in the list', async () => {
  const { server, open } = await givenTasks({
    tasks: [testTask({ custom_field: 7, custom_field_name: 'Room' })],
  })
  const fields = [testField({ id: 7, name: 'Room' }), testField({ id: 8, model: 'client', name: 'Plan' })]
  server.on(listCustomFields, () => answer(listCustomFields, fields))
  await open(AT)
  await expect
    .element(row(/Nightly/).getByRole('img', { name: 'Result stored in the custom field Room' }))
    .toBeVisible()
  await open(EDIT)
  const select = page.getByRole('combobox', { name: 'Store result in custom field' })
  await expect.element(select).toHaveValue('Room')
  await choose('Store result in custom field', 'Plan')
  await page.getByRole('checkbox', { name: 'Store the whole output instead of the last line' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(() => server.calls(editTask)[0]?.body)
    .toMatchObject({ custom_field: 8, collector_all_output: true })
})
