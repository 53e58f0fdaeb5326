import { setMaintenance } from '@muster/contract/api/agents'
import { createAlert } from '@muster/contract/api/alerts'
import { createCheck, listAgentChecks, runChecks } from '@muster/contract/api/checks'
import { createTask, runTask } from '@muster/contract/api/tasks'
import { createNote } from '@muster/contract/api/notes'
import { createRepeatingJob } from '@muster/contract/api/repeating-jobs'
import { sendCommand } from '@muster/contract/api/runs'
import { createWebhook } from '@muster/contract/api/webhooks'
import { expect, type Page } from '@playwright/test'
import {
  DIALOG,
  FIRST_LOOK,
  LOOKS,
  type Look,
  expectAccessible,
  expectAccessibleInAllLooks,
  expectSettled,
  isNarrow,
  listDialogNames,
  nameOf,
  wear,
} from '../support/accessible.ts'
import { follow, machineTable } from '../support/dashboard.ts'
import { listDialogs } from '../support/dialogs.ts'
import { startMachines } from '../support/machines.ts'
import { addClient, addScript, addSite, makeToken } from '../support/seed.ts'
import { sendPassword } from '../support/sign-in-page.ts'
import type { Session } from '../support/sign-in.ts'
import { test } from '../support/story.ts'
import { SERVER_GONE, refusedWith } from '../support/watch-browser.ts'

// More than sixty screens and dialogs: each theme and each width once.
test('no screen and no dialog has accessibility violations', async ({ openConsole, admin, expected }) => {
  expected.browser.push(refusedWith(404))
  const office = await furnish(admin)
  using _machines = office.fleet
  const page = await openConsole({ ...FIRST_LOOK, as: admin })
  for (const [path, shows, part] of listScreens(office)) {
    await follow(page, path)
    await expectAccessibleInAllLooks(page, path, shows, part)
  }
  const dialogs = listDialogs(office.agentId, office.scriptId)
  expect(Object.keys(dialogs).toSorted()).toEqual(listDialogNames().toSorted())
  for (const [name, { item, shows }] of Object.entries(dialogs)) {
    await follow(page, `/policies?dialog=${name}${item === undefined ? '' : `&item=${item}`}`)
    await expectAccessibleInAllLooks(page, name, shows, DIALOG)
  }
})

test('what visitors see has no accessibility violations', async ({
  openConsole,
  server,
  admin,
  expected,
}) => {
  expected.browser.push(refusedWith(400))
  const page = await openConsole({ ...FIRST_LOOK, path: '/login' })
  const heading = async () => (await page.getByRole('heading', { level: 1 }).textContent()) ?? ''
  await expectAccessibleInAllLooks(page, 'sign-in', 'Sign in')
  await sendPassword(page, { username: 'admin', password: 'not it' })
  await expect(page.getByRole('alert')).toBeVisible()
  await expectAccessibleInAllLooks(page, 'a refused sign-in', 'Sign in')
  for (const path of ['/expired', '/no/such/page']) {
    await page.goto(path)
    await expectAccessibleInAllLooks(page, path, await heading())
  }
  await page.goto('/login')
  await sendPassword(page, server.admin)
  await expect(page.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible()
  await expectAccessibleInAllLooks(page, '/totp_setup', 'Set up two-factor sign-in')
  await page.getByRole('button', { name: 'Not now' }).click()
  await expectAccessibleInAllLooks(page, '/setup', 'Welcome to Muster')
  await addClient(admin, 'Acme')
  await page.goto('/')
  await expectAccessibleInAllLooks(page, 'the dashboard without machines', 'No machines yet.')
})

test('nothing that opens over a screen has accessibility violations', async ({
  openConsole,
  server,
  admin,
  expected,
}) => {
  expected.browser.push(refusedWith(409), SERVER_GONE)
  const { fleet, agentId } = await furnish(admin)
  using _machines = fleet
  const page = await openConsole({ ...FIRST_LOOK, as: admin })
  const dialog = page.getByRole('dialog')

  for (const look of LOOKS) {
    await test.step(`menus, ${nameOf(look)}`, async () => {
      await follow(page, '/')
      await wear(page, look)
      await machineTable(page).getByRole('row', { name: /alpha/ }).click({ button: 'right' })
      await expectOver(page, 'the menu of a machine', 'Edit alpha')
      const menu = isNarrow(look)
        ? page.getByRole('button', { name: 'Menu', exact: true })
        : page.getByRole('menuitem', { name: 'Settings' })
      await menu.click()
      await expectOver(page, 'a menu of the menu bar', 'Audit log')
      await page.getByRole('button', { name: 'Account of admin' }).click()
      await expectOver(page, 'the menu of the user', 'Preferences')
      await page.getByRole('button', { name: 'Filter' }).click()
      await expectOver(page, 'the filter', 'Not seen for 30 days')
      if (isNarrow(look)) {
        await page.getByRole('button', { name: 'All Clients' }).click()
        await expectOver(page, 'the tree as a drawer', 'Munich')
      } else {
        await page.getByRole('treeitem', { name: /Cedar/ }).click({ button: 'right' })
        await expectOver(page, 'the menu of a client', 'Edit Cedar')
      }
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: /^Find a machine/ }).fill('a')
      await page.getByRole('option').first().waitFor()
      await expectOver(page, 'the command palette', 'alpha')
      await follow(page, `/agents/${agentId}`)
      await page.getByRole('button', { name: isNarrow(look) ? 'More' : 'Actions', exact: true }).click()
      await expectOver(page, 'the actions of a machine', 'Plan maintenance')
    })
  }

  await test.step('what dialogs come to', async () => {
    await follow(page, '/audit')
    await page.getByRole('row', { name: /Greet/ }).click()
    await expectAccessibleInAllLooks(page, 'an entry of the audit log', 'Next entry', OVER)
    await page.keyboard.press('Escape')
    await follow(page, '/policies?dialog=install-agent&item=1')
    await chooseFirst(page, 'Client')
    await chooseFirst(page, 'Site')
    await dialog.getByRole('button', { name: 'Create install command' }).click()
    await expectAccessibleInAllLooks(page, 'the line to paste', /^Waiting for the machine/, OVER)
    await page.keyboard.press('Escape')
    await follow(page, `/policies?dialog=send-command&item=${agentId}`)
    await dialog.getByRole('textbox', { name: 'Command' }).fill('echo out; fail err')
    await dialog.getByRole('button', { name: 'Send command' }).click()
    await expect(dialog.getByRole('status')).toHaveText('done')
    await expectAccessibleInAllLooks(page, 'a command that has run', 'err', OVER)
    await page.keyboard.press('Escape')
    await follow(page, '/policies?dialog=role&item=new')
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await expectAccessibleInAllLooks(page, 'the preview of a role', 'Cannot do', OVER)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await follow(page, '/policies?dialog=add-client')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Acme')
    await dialog.getByRole('textbox', { name: 'First site' }).fill('Berlin')
    await dialog.getByRole('button', { name: 'Add' }).click()
    const refusal = 'A client named "Acme" already exists'
    await expectAccessibleInAllLooks(page, 'a refused form', refusal, DIALOG)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expectAccessibleInAllLooks(page, 'the question before changes are lost', 'Discard', OVER)
    await page.getByRole('button', { name: 'Discard' }).click()
  })

  await test.step('notices', async () => {
    for (const [look, name] of [
      [LOOKS[1], 'Dunmore'],
      [LOOKS[0], 'Eastleigh'],
    ] as const) {
      await wear(page, look)
      await follow(page, '/policies?dialog=add-client')
      await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
      await dialog.getByRole('textbox', { name: 'First site' }).fill('Office')
      await dialog.getByRole('button', { name: 'Add' }).click()
      await page.getByText(`Added ${name}.`).waitFor()
      await expectAccessible(page, `a notification (${nameOf(look)})`)
    }
    await server.leaveHost()
    for (const look of LOOKS) {
      // The switch of the header saves what it shows, and takes it back without a server.
      await page.setViewportSize(look.viewport)
      await page.evaluate(`document.documentElement.dataset.mantineColorScheme = '${look.colorScheme}'`)
      await page.getByText('The server cannot be reached.').waitFor()
      await expectSettled(page)
      await expectAccessible(page, `a lost link (${nameOf(look)})`)
    }
  })
})

/** Popups and the button of each, without the screen beneath, which has a check of its own. */
const OVER = '[role=menu], [role=dialog], [aria-expanded=true]'

/** Looks at what has opened, and closes it. */
async function expectOver(page: Page, where: string, shows: string): Promise<void> {
  await page.getByText(shows).last().waitFor()
  await expectAccessible(page, where, OVER)
  await page.keyboard.press('Escape')
}

async function chooseFirst(page: Page, label: string): Promise<void> {
  const field = page.getByRole('dialog').getByRole('combobox', { name: label })
  if ((await field.inputValue()) !== '') return
  await field.click()
  await page.getByRole('option').first().click()
}

type Office = Awaited<ReturnType<typeof furnish>>

/** A path, words that stand there when it is complete, and the part to check, by default all of it. */
type Screen = [path: string, shows: string | ((look: Look) => string), part?: string | undefined]

/** The sections of the settings, with words of each. */
const SETTINGS = [
  ['preferences', 'Loading bar'],
  ['general', 'Your company'],
  ['monitoring', 'Metrics interval'],
  ['retention', 'Raw data'],
  ['remote-access', 'Time to respond'],
  ['recordings', 'Max. size per desktop'],
  ['vnc', 'Allowed targets'],
  ['agent-updates', 'Allowed rollbacks'],
] as const

/** Every screen, with words that stand on it when it is complete. */
function listScreens({ agentId, runId }: Office): Screen[] {
  const panes = [
    ['summary', 'almost full'],
    ['metrics', 'Events'],
    ['patches', 'No patch scan of'],
    ['checks', 'in use on average'],
    ['tasks', 'Nightly'],
    ['alerts', 'The backup is late'],
    [`history&entry=${runId}`, 'exit code 3'],
    ['notes', 'Replaced the power supply.'],
    ['audit', 'Command run'],
  ] as const
  return [
    ['/', 'charlie'],
    ['/?search=nothing+is+called+so', 'No machines match'],
    ['/?tab=server&node=Client|1&search=is:online', 'alpha'],
    // The lower pane, which has the panes of the machine's page; on a phone there is only that.
    [`/?agent=${agentId}&pane=summary`, (look) => (isNarrow(look) ? 'alpha' : 'almost full')],
    // The rest of the page is checked with the first pane.
    ...panes.map(([pane, shows], index): Screen => [
      `/agents/${agentId}?pane=${pane}`,
      shows,
      index === 0 ? undefined : '[role=tabpanel]',
    ]),
    ['/agents/abcdefgh1234', 'Machine not found'],
    ['/overview', 'The backup is late'],
    ['/alerts', 'The backup is late'],
    ['/scripts', 'Greet'],
    ['/scripts?find=nothing+is+called+so', 'No scripts match'],
    ['/audit', 'Command run'],
    ['/maintenance', 'No maintenance planned.'],
    ['/users', 'Signed in'],
    ['/settings', (look) => (isNarrow(look) ? 'Recordings' : 'Start page')],
    ...SETTINGS.map(([section, shows]): Screen => [`/settings/${section}`, shows, 'main']),
    ['/webterm', 'The web terminal is disabled.'],
    ['/setup', 'The initial setup is done.'],
  ]
}

/** A little of everything: machines in each state, runs, checks, a note, a script. */
async function furnish(admin: Session) {
  const acme = await addClient(admin, 'Acme', 'Berlin')
  await addSite(admin, acme, 'Munich')
  const cedar = await addClient(admin, 'Cedar')
  const token = await makeToken(admin, acme)
  const facts = {
    logged_in_user: 'ines',
    problems: ['The disk of the data folder is almost full (96 %).'],
    security: [
      { subject: 'antivirus' as const, name: 'Acme', state: 'attention' as const, detail: 'snoozed' },
      { subject: 'firewall' as const, name: 'ufw', state: 'off' as const, detail: '' },
    ],
    guests: [
      {
        runtime: 'docker' as const,
        problem: null,
        guests: [{ name: 'web', image: 'nginx:1.27', state: 'stopped' as const, detail: 'exit code 1' }],
        left_out: 1,
      },
    ],
  }
  const fleet = await startMachines(admin, [
    { hostname: 'alpha', token, needs_reboot: true, ...facts },
    { hostname: 'bravo', token, logged_in_user: null, last_logged_in_user: 'ada' },
    { hostname: 'charlie', token: await makeToken(admin, cedar, { type: 'workstation' }) },
  ])
  fleet.machines[1]?.disconnect()
  await admin.call(setMaintenance, { body: { type: 'Client', id: cedar.id, action: true } })
  const agentId = fleet.machines[0]?.agentId ?? ''
  const params = { agent_id: agentId }
  const run = await admin.call(sendCommand, {
    params,
    body: { shell: 'sh', cmd: 'echo out; fail err; exit 3' },
  })
  await admin.call(sendCommand, { params, body: { shell: 'sh', cmd: 'sleep 600', wait: false } })
  for (const settings of [
    { check_type: 'cpuload' },
    { check_type: 'memory', error_threshold: 0, warning_threshold: 1 },
  ] as const)
    await admin.call(createCheck, { body: { agent: agentId, settings } })
  await admin.call(runChecks, { params, body: {} })
  const { id } = await admin.call(createTask, {
    body: {
      agent: agentId,
      name: 'Nightly',
      task_type: 'weekly',
      run_time_date: '2026-01-01T02:00',
      run_time_bit_weekdays: 2,
      actions: [{ type: 'cmd', shell: 'sh', command: 'true' }],
    },
  })
  await admin.call(runTask, { params: { id } })
  await expect
    .poll(async () =>
      (await admin.call(listAgentChecks, { params, query: {} })).map((check) => check.check_result.status),
    )
    .not.toContain('pending')
  await admin.call(createAlert, {
    body: { message: 'The backup is late', severity: 'warning', agent: agentId },
  })
  await admin.call(createNote, { body: { agent_id: agentId, note: 'Replaced the power supply.' } })
  await admin.call(createRepeatingJob, {
    body: {
      draft: { target: { by: 'site', id: 1 }, action: { type: 'run_checks' } },
      repeat: { cron: '0 3 * * sun' },
    },
  })
  await admin.call(createWebhook, {
    body: { name: 'Tickets', url: 'https://tickets.example/hook', events: ['job.finished'], enabled: false },
  })
  // A favourite stands before the built-in ones.
  const greet = { name: 'Greet', category: 'Samples', description: 'Says hello', favorite: true }
  const { id: scriptId } = await addScript(admin, greet)
  return { fleet, agentId, runId: run.id, scriptId }
}
