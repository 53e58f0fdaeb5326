import { readFileSync, statSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listAgents } from '@muster/contract/api/agents'
import { startFleet } from '@muster/fake-agent/fleet'
import { expect } from '@playwright/test'
import { expectAccessible } from '../support/accessible.ts'
import { follow, machineTable, searchField } from '../support/dashboard.ts'
import { mountFullRoot } from '../support/full-root.ts'
import { addClient, addScript, makeToken } from '../support/seed.ts'
import { startAgent } from '../support/start-agent.ts'
import { test } from '../support/story.ts'
import { refusedWith } from '../support/watch-browser.ts'

/** Real agents; each is a process of its own, which takes 0.3 s of processor time. */
const REAL = Number(process.env['MUSTER_STORY_AGENTS'] ?? 3)
const SIMULATED = 500
/** Every tenth of them has a disk with room. */
const FULL = SIMULATED - SIMULATED / 10
const ALL = FULL + REAL
const CANARY = 5
const GIB = 1024 ** 3

const diskOf = (index: number) => {
  const used = index % 10 === 0 ? 40 * GIB : 95 * GIB
  const total = 100 * GIB
  return {
    device: '/dev/sda1',
    mount: '/',
    fstype: 'ext4',
    total,
    used,
    free: total - used,
    percent: used / GIB,
  }
}

test('find machines, run a script in waves, halt at a failing canary, fix it, resume, retry, and undo', async ({
  admin,
  server,
  openConsole,
  expected,
}) => {
  // A group of equal output may be gone when its output is requested: its machines run again.
  expected.browser.push(refusedWith(404))
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'muster-story-jobs-'))
  stack.defer(() => rm(folder, { recursive: true }))
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  const { within } = stack.use(await mountFullRoot())
  const agents = await Promise.all(
    Array.from({ length: REAL }, () => startAgent({ server: server.url, token, within })),
  )
  for (const agent of agents) stack.use(agent)
  // The script as simulated machines run it: they start no programs.
  let isFixed = false
  const done = new Set<string>()
  const fleet = stack.use(
    await startFleet({
      server: server.url,
      token,
      count: SIMULATED,
      facts: (index) => ({ platform: 'linux', problems: [], disks: [diskOf(index)] }),
      plan: (input, hostname) => {
        const end = { endsAfterMs: 0, outcome: 'exited' as const, reason: null }
        const say = (stream: 'stdout' | 'stderr', text: string) => [{ afterMs: 0, stream, text }]
        if ('body' in input && input.body.startsWith('rm ')) {
          done.delete(hostname)
          return { ...end, output: [], retcode: 0 }
        }
        if (!isFixed) return { ...end, output: say('stderr', 'no file\n'), retcode: 3 }
        done.add(hostname)
        const values = 'env_vars' in input ? input.env_vars : []
        const author = values.find((one) => one.startsWith('MUSTER_PARAM_AUTHOR='))?.split('=')[1]
        return { ...end, output: say('stdout', `written by ${author}\n`), retcode: 0 }
      },
    }),
  )
  await fleet.waitForConnected()
  const isConnected = async () =>
    (await admin.call(listAgents, { query: {} })).filter((row) => 'connected' in row && row.connected).length
  await expect.poll(isConnected).toBe(SIMULATED + REAL)
  const fixed = join(folder, 'fixed')
  const written = async () => (await readdir(folder)).filter((name) => name.startsWith('ada-')).length
  await addScript(admin, {
    name: 'Needs a file',
    shell: 'shell',
    script_body: `test -e ${fixed} || { echo "no file" >&2; exit 3; }\nmktemp "${folder}/$MUSTER_PARAM_AUTHOR-XXXXXX" >/dev/null\necho "written by $MUSTER_PARAM_AUTHOR"`,
    parameters: [{ name: 'Author', type: 'text', required: true }],
  })
  await addScript(admin, { name: 'Take it back', shell: 'shell', script_body: `rm -f ${folder}/ada-*` })
  const page = await openConsole({ as: admin })
  const count = (number: number, state: string) =>
    page.getByRole('button', { name: new RegExp(`^${number} ${state}`) })

  await test.step('a search finds machines with little space, and all of them are selected', async () => {
    await searchField(page).fill('disk_free<10%')
    await expect(machineTable(page)).toHaveAttribute('aria-rowcount', `${ALL + 1}`)
    await page.getByRole('checkbox', { name: /^Select all/ }).click()
    await expect(page.getByRole('toolbar', { name: 'Selected machines' })).toContainText(`${ALL} selected`)
  })

  await test.step('the plan says what each machine will do', async () => {
    await page.getByRole('button', { name: 'Run a job' }).click()
    const dialog = page.getByRole('dialog', { name: 'New job' })
    await dialog.getByRole('combobox', { name: 'Script' }).click()
    await page.getByRole('option', { name: 'Needs a file' }).click()
    await dialog.getByRole('textbox', { name: 'Author' }).fill('ada')
    await dialog.getByRole('textbox', { name: 'First wave' }).fill(`${CANARY}`)
    await dialog.getByRole('textbox', { name: 'Halt at' }).fill(`${CANARY}`)
    await dialog.getByRole('button', { name: 'Plan' }).click()
    await expect(dialog.getByRole('group', { name: 'Plan' })).toContainText(
      `on ${ALL} machines, in 2 waves: ${CANARY}, ${ALL - CANARY}`,
    )
    await expectAccessible(page, 'a planned job', '[role=dialog]')
    await dialog.getByRole('button', { name: `Start on ${ALL} machines` }).click()
  })

  await test.step('the canary fails and halts the job; no other machine has run, and the bell says so', async () => {
    await expect(page.getByText(`${CANARY} machines failed.`, { exact: true })).toBeVisible()
    await expect(count(CANARY, 'failed')).toBeVisible()
    await expect(count(ALL - CANARY, 'waiting')).toBeVisible()
    await expect(page.getByRole('region', { name: 'Output', exact: true }).last()).toContainText('no file')
    await page.getByRole('button', { name: 'Alerts: 1 open, the worst is an error' }).click()
    await expect(page.getByText(`Job J-1 of admin halted: ${CANARY} machines failed.`)).toBeVisible()
    await page.keyboard.press('Escape')
    await expectAccessible(page, 'a halted job')
  })

  await test.step('after the fix the job is resumed, and its failed machines are retried', async () => {
    await writeFile(fixed, '')
    isFixed = true
    await page.getByRole('button', { name: 'Resume' }).click()
    await expect(count(ALL - CANARY, 'succeeded')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Alerts: 1 open, the worst is a warning' })).toBeVisible()
    await page.getByRole('button', { name: 'Retry failed' }).click()
    await expect(count(ALL, 'succeeded')).toBeVisible()
    await expect(page.getByText('exit 0, written by ada')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Alerts: none open' })).toBeVisible()
    expect([done.size + (await written()), await written()]).toEqual([ALL, REAL])
  })

  await test.step('a script takes it back, as a new planned job', async () => {
    await page.getByRole('button', { name: 'Undo…' }).click()
    const dialog = page.getByRole('dialog', { name: /^Undo/ })
    await dialog.getByRole('combobox', { name: 'Script' }).click()
    await page.getByRole('option', { name: 'Take it back' }).click()
    await dialog.getByRole('button', { name: 'Plan' }).click()
    await expect(dialog).toContainText(`on ${ALL} machines`)
    await dialog.getByRole('button', { name: 'Start' }).click()
    // The page of the first job shows as many.
    await expect(page).toHaveURL('/jobs/2')
    await expect(count(ALL, 'succeeded')).toBeVisible()
    expect([done.size, await written()]).toEqual([0, 0])
  })
  for (const agent of agents) agent.expectCleanLog()
})

test('a job writes a text file, and undo from the history of the machine restores it', async ({
  admin,
  server,
  openConsole,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-story-jobs-'))
  await using _folder = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
  const file = join(folder, 'motd')
  await writeFile(file, 'old\n', { mode: 0o640 })
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  await using agent = await startAgent({ server: server.url, token })
  const machines = async () =>
    (await admin.call(listAgents, { query: {} })).flatMap((row) =>
      'connected' in row && row.connected ? [row.agent_id] : [],
    )
  await expect.poll(machines).toHaveLength(1)
  const [agentId = ''] = await machines()
  const page = await openConsole({ as: admin, path: '/jobs' })

  await test.step('the job writes the file', async () => {
    await page.getByRole('button', { name: 'New job' }).click()
    const dialog = page.getByRole('dialog', { name: 'New job' })
    await dialog.getByRole('textbox', { name: 'Search for machines' }).fill('os:linux')
    await dialog.getByRole('combobox', { name: 'Action' }).click()
    await page.getByRole('option', { name: 'Write a text file' }).click()
    await dialog.getByRole('textbox', { name: 'Path' }).fill(file)
    await dialog.getByRole('textbox', { name: 'Content' }).fill('new\n')
    await dialog.getByRole('button', { name: 'Plan' }).click()
    await expectAccessible(page, 'a job that writes a file', '[role=dialog]')
    await dialog.getByRole('button', { name: 'Start on 1 machine' }).click()
    await expect(page.getByRole('button', { name: /^1 succeeded/ })).toBeVisible()
    expect(readFileSync(file, 'utf8')).toBe('new\n')
  })

  await test.step('the history of the machine leads to the job, which restores the file', async () => {
    await follow(page, `/?agent=${agentId}&pane=metrics`)
    await page
      .getByRole('grid', { name: 'Events' })
      .getByRole('row', { name: /Write the file/ })
      .dblclick()
    await expect(page).toHaveURL('/jobs/1')
    await page.getByRole('button', { name: 'Undo…' }).click()
    const dialog = page.getByRole('dialog', { name: /^Undo/ })
    await dialog.getByRole('button', { name: 'Plan' }).click()
    await expect(dialog).toContainText('on 1 machine')
    await dialog.getByRole('button', { name: 'Start' }).click()
    await expect(page).toHaveURL('/jobs/2')
    await expect(page.getByRole('button', { name: /^1 succeeded/ })).toBeVisible()
    expect(readFileSync(file, 'utf8')).toBe('old\n')
    expect(statSync(file).mode & 0o777).toBe(0o640)
  })
  agent.expectCleanLog()
})
