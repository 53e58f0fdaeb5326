import { listCustomFields } from '@muster/contract/api/custom-fields'
import {
  getFleetJob,
  haltFleetJob,
  listFleetJobMachines,
  planFleetJob,
  resumeFleetJob,
  retryFleetJob,
  startFleetJob,
} from '@muster/contract/api/fleet-jobs'
import { listScripts } from '@muster/contract/api/scripts'
import { listTags } from '@muster/contract/api/tags'
import { expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { answer, refuse } from '../../testing/test-server.ts'
import { testScript } from '../scripts/test-script.ts'
import { testField } from '../tasks/test-tasks.ts'
import { AT, job, machine, NO, NONE, OK, openJobs, PLAN } from './test-jobs.ts'

test('a job that ended with failures does not look like a success', async () => {
  await openJobs('/jobs', job({ state: 'done', counts: { ...NONE, failed: 2 } }))
  const line = page.getByRole('row').filter({ hasText: 'Disable SMB 1.0' })
  await expect.element(line).toMatchTextContent(/Done, with failures/)
  await page.getByRole('textbox', { name: 'Search jobs' }).fill('nothing')
  await page.getByRole('button', { name: 'Clear search' }).click()
  await line.click()
  await expect.element(page.getByText('Done, with failures')).toBeVisible()
})

test('the address of an unknown job leads to all jobs', async () => {
  const { server, at } = await openJobs('/jobs')
  server.on(getFleetJob, () => refuse('not_found', 'This job does not exist.'))
  await page.getByRole('row').filter({ hasText: 'Disable SMB 1.0' }).click()
  await page.getByRole('link', { name: 'Show all jobs' }).click()
  await expect.poll(at).toBe('/jobs')
})

test('the list of jobs shows state and progress, and leads to the job', async () => {
  const { at } = await openJobs('/jobs')
  await expect.element(page.getByText('185 of 483 done, 2 failed')).toBeVisible()
  await page.getByRole('row').filter({ hasText: 'Disable SMB 1.0' }).click()
  await expect.poll(at).toBe('/jobs/7')
})

test('a job shows waves, counts, and machines by equal output with the difference', async () => {
  const { server, at } = await openJobs('/jobs/7')
  await expect.element(page.getByRole('heading', { name: 'Disable SMB 1.0' })).toBeVisible()
  await expect.element(page.getByText('Halts at 5 failures, 2 so far')).toBeVisible()
  await expect.element(page.getByRole('button', { name: /^2 failed/ })).toBeVisible()
  await expect.element(page.getByText('exit 1, Access denied')).toBeVisible()
  await expect.element(page.getByText('exit 1 after 2 tries, Access denied')).toBeVisible()
  await expect.element(page.getByText('Compared with 183 machines that succeeded.')).toBeVisible()
  await expect.element(page.getByText('Both have the policy "Locked registry".')).toBeVisible()
  await page.getByRole('button', { name: /66 skipped/ }).click()
  await expect.poll(() => server.calls(listFleetJobMachines).at(-1)?.search.get('state')).toBe('skipped')
  expect(at()).toBe('/jobs/7?state=skipped')
})

test('a gate that has opened says when', async () => {
  const waves = job().waves.map((wave) =>
    wave.gate === null
      ? wave
      : { ...wave, gate: { ...wave.gate, state: 'passed' as const, text: 'Passed.', decided_at: AT } },
  )
  await openJobs('/jobs/7', job({ waves }))
  const gate = page.getByRole('list', { name: 'Waves' }).getByText(/^Passed\./)
  await expect.element(gate).toBeVisible()
  expect(gate.element().querySelector('time')?.dateTime).toBe(AT)
})

test('all machines of a group are saved as CSV, not only those that are shown', async () => {
  const save = vi.spyOn(URL, 'createObjectURL')
  const { server } = await openJobs('/jobs/7')
  await expect.element(page.getByText('exit 1 after 2 tries, Access denied')).toBeVisible()
  server.on(listFleetJobMachines, ({ search }) => {
    const from = search.get('after') === null ? 0 : 1000
    const all = Array.from({ length: 1003 }, (_, i) =>
      machine({ agent_id: `agent${1000 + i}`, hostname: `PC-${i}` }),
    )
    const results = all.slice(from, from + Number(search.get('page_size')))
    return answer(listFleetJobMachines, { total: 1003, page: 1, page_size: 1000, results })
  })
  await page.getByRole('button', { name: 'Download these machines as CSV' }).click()
  await expect.poll(() => save.mock.calls).toHaveLength(1)
  const [file] = save.mock.calls[0] ?? []
  const lines = file instanceof Blob ? (await file.text()).trim().split('\r\n') : []
  expect(lines).toHaveLength(1004)
  expect(lines.at(-1)).toMatch(/^"PC-1002","Dunmore","Chambers","failed","1","Access denied"/)
  expect(server.calls(listFleetJobMachines).at(-1)?.search.get('after')).toBe('agent1999')
  save.mockRestore()
})

test('a halt asks once and says what finishes, a failed machine is retried', async () => {
  const { server } = await openJobs('/jobs/7')
  await page.getByRole('button', { name: 'Retry DUN-WS044' }).click()
  await expect.poll(() => server.calls(retryFleetJob).at(-1)?.body).toEqual({ agents: ['alpha0000000'] })
  await page.getByRole('button', { name: 'Halt', exact: true }).click()
  await expect
    .element(
      page.getByText(
        '0 machines that run finish; 298 machines that wait do not start, until you resume the job.',
      ),
    )
    .toBeVisible()
  await page.getByRole('dialog').getByRole('button', { name: 'Halt', exact: true }).click()
  await expect.poll(() => server.calls(haltFleetJob)).toHaveLength(1)
})

test('a halted job says why, and can be resumed', async () => {
  const steps = { approve: NO, pause: NO, halt: NO, resume: OK, stop: OK, retry_failed: OK, undo: NO }
  const halted = job({ state: 'halted', reason: '5 machines failed.', steps })
  const { server } = await openJobs('/jobs/7', halted)
  await expect.element(page.getByText('5 machines failed.')).toBeVisible()
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect.poll(() => server.calls(resumeFleetJob)).toHaveLength(1)
})

test('a new job starts exactly the plan that was shown, and plans again if it has changed', async () => {
  const { server, at } = await openJobs('/jobs')
  server.on(planFleetJob, () => answer(planFleetJob, PLAN))
  server.on(startFleetJob, () => refuse('changed_meanwhile', 'The plan has changed.'))
  await page.getByRole('button', { name: 'New job' }).click()
  await page.getByRole('textbox', { name: 'Search for machines' }).fill('os:linux')
  await page.getByRole('combobox', { name: 'Action' }).click()
  await page.getByRole('option', { name: 'Send a command' }).click()
  await page.getByRole('textbox', { name: 'Command' }).fill('hostname')
  await page.getByRole('textbox', { name: 'First wave' }).fill('1')
  await page.getByRole('textbox', { name: 'Halt at' }).fill('5')
  await page.getByRole('button', { name: 'Plan' }).click()
  await expect.element(page.getByText('1 machine skipped: It has no bash.')).toBeVisible()
  expect(server.calls(planFleetJob).at(-1)?.body).toMatchObject({
    target: { by: 'search', search: 'os:linux' },
    action: { type: 'command', shell: 'bash', cmd: 'hostname' },
    rollout: { waves: [{ count: 1 }], halt: { failures: 5 } },
  })
  await page.getByRole('button', { name: 'Start on 2 machines' }).click()
  await expect.element(page.getByText('The plan has changed.')).toBeVisible()
  await expect.poll(() => server.calls(planFleetJob)).toHaveLength(2)
  server.on(startFleetJob, () => answer(startFleetJob, job()))
  await page.getByRole('button', { name: 'Start on 2 machines' }).click()
  await expect.poll(at).toBe('/jobs/7')
  expect(server.calls(startFleetJob).at(-1)?.body).toMatchObject({ hash: 'abc' })
})

test('a job runs a script with the values of its parameters on machines with a tag', async () => {
  const { server } = await openJobs('/jobs')
  const tag = { id: 3, name: 'kiosk', color: 'gray' as const, rule: '', modified: AT }
  server.on(listTags, () => answer(listTags, [{ ...tag, agent_count: 12, client_count: 0 }]))
  const days = { name: 'Days', type: 'number' as const, description: 'To keep', required: true }
  const script = testScript({ parameters: [{ ...days, default: '30', choices: [] }] })
  server.on(listScripts, () => answer(listScripts, [script]))
  server.on(planFleetJob, () => answer(planFleetJob, PLAN))
  await page.getByRole('button', { name: 'New job' }).click()
  await page.getByRole('radio', { name: 'All with a tag' }).click()
  await page.getByRole('combobox', { name: 'Tag' }).click()
  await page.getByRole('option', { name: 'kiosk (12 machines)' }).click()
  await page.getByRole('combobox', { name: 'Script' }).click()
  await page.getByRole('option', { name: 'Clean' }).click()
  await expect.element(page.getByRole('textbox', { name: 'Days' })).toHaveValue('30')
  await page.getByRole('textbox', { name: 'Days' }).fill('7')
  await page.getByRole('button', { name: 'Plan' }).click()
  await expect.poll(() => server.calls(planFleetJob)).toHaveLength(1)
  expect(server.calls(planFleetJob)[0]?.body).toMatchObject({
    target: { by: 'tag', id: 3 },
    action: { type: 'script', script: 7, env_vars: ['MUSTER_PARAM_DAYS=7'] },
  })
})

test('a text file, a registry value and a service are changed on many machines', async () => {
  const { server } = await openJobs('/jobs')
  server.on(planFleetJob, () => answer(planFleetJob, PLAN))
  await page.getByRole('button', { name: 'New job' }).click()
  await page.getByRole('textbox', { name: 'Search for machines' }).fill('os:linux')
  const choose = async (field: string, option: string) => {
    await page.getByRole('combobox', { name: field }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  const plan = async () => {
    await page.getByRole('button', { name: 'Plan' }).click()
    await expect.element(page.getByText('1 machine skipped: It has no bash.')).toBeVisible()
    return server.calls(planFleetJob).at(-1)?.body
  }
  await choose('Action', 'Write a text file')
  await expect.element(page.getByRole('button', { name: 'Plan' })).toBeDisabled()
  await page.getByRole('textbox', { name: 'Path' }).fill('/etc/motd')
  await page.getByRole('textbox', { name: 'Content' }).fill('Welcome')
  await page.getByRole('textbox', { name: 'Mode' }).fill('0644')
  expect(await plan()).toMatchObject({
    action: { type: 'file', path: '/etc/motd', text: 'Welcome', mode: 0o644, owner: null },
  })
  await choose('Action', 'Set or delete a registry value')
  await page.getByRole('textbox', { name: 'Key' }).fill('HKLM\\SOFTWARE\\Acme')
  await page.getByRole('textbox', { name: 'Value' }).fill('speed')
  await choose('Type', 'REG_DWORD')
  await page.getByRole('textbox', { name: 'Data' }).fill('0x2')
  expect(await plan()).toMatchObject({
    action: { type: 'registry', name: 'speed', value: { type: 'REG_DWORD', bytes: 'AgAAAA==' } },
  })
  server.on(listCustomFields, () =>
    answer(listCustomFields, [testField({ id: 7, name: 'Leased', type: 'checkbox' })]),
  )
  await choose('Action', 'Set a custom field')
  await choose('Custom field', 'Leased')
  await page.getByRole('checkbox', { name: 'Leased' }).click()
  expect(await plan()).toMatchObject({ action: { type: 'custom_field', field: 7, value: true } })
  await choose('Action', 'Change a service')
  await page.getByRole('textbox', { name: 'Service' }).fill('ssh')
  await choose('State', 'Stop')
  await choose('Start type', 'Disabled')
  expect(await plan()).toMatchObject({
    action: { type: 'service', name: 'ssh', action: 'stop', start_type: 'disabled' },
  })
})

test('the output of a script is stored as a note and in a custom field', async () => {
  const { server } = await openJobs('/jobs')
  server.on(planFleetJob, () => answer(planFleetJob, PLAN))
  server.on(listScripts, () => answer(listScripts, [testScript({ id: 3, name: 'Look' })]))
  server.on(listCustomFields, () => answer(listCustomFields, [testField({ id: 7, name: 'Room' })]))
  await page.getByRole('button', { name: 'New job' }).click()
  await page.getByRole('textbox', { name: 'Search for machines' }).fill('os:linux')
  await page.getByRole('combobox', { name: 'Script' }).click()
  await page.getByRole('option', { name: 'Look' }).click()
  await page.getByRole('checkbox', { name: 'Save the output as a note of each machine' }).click()
  await page.getByRole('combobox', { name: 'Store result in custom field' }).click()
  await page.getByRole('option', { name: 'Room' }).click()
  await page.getByRole('checkbox', { name: 'Store the whole output instead of the last line' }).click()
  await page.getByRole('button', { name: 'Plan' }).click()
  await expect
    .poll(() => server.calls(planFleetJob).at(-1)?.body)
    .toMatchObject({
      action: { type: 'script', script: 3, save_as_note: true, save_to_field: 7, save_all_output: true },
    })
})

test('a job removes a package that has several names', async () => {
  const { server } = await openJobs('/jobs')
  server.on(planFleetJob, () => answer(planFleetJob, PLAN))
  await page.getByRole('button', { name: 'New job' }).click()
  await page.getByRole('textbox', { name: 'Search for machines' }).fill('os:linux')
  await page.getByRole('combobox', { name: 'Action' }).click()
  await page.getByRole('option', { name: 'Remove a package' }).click()
  const plan = page.getByRole('button', { name: 'Plan' })
  await expect.element(plan).toBeDisabled()
  await page.getByRole('textbox', { name: 'Package' }).fill('telnet, -o')
  await expect.element(plan).toBeDisabled()
  await page.getByRole('textbox', { name: 'Package' }).fill('telnet, inetutils-telnet')
  await plan.click()
  await expect.poll(() => server.calls(planFleetJob)).toHaveLength(1)
  expect(server.calls(planFleetJob)[0]?.body).toMatchObject({
    action: { type: 'software', do: 'remove', names: ['telnet', 'inetutils-telnet'] },
  })
})
