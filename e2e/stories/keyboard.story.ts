import { listAgentHistory } from '@muster/contract/api/runs'
import { expect, type Locator, type Page } from '@playwright/test'
import { machineRow, machineTable, searchField, treeLine } from '../support/dashboard.ts'
import { startMachines } from '../support/machines.ts'
import { addClient, makeToken } from '../support/seed.ts'
import type { Session } from '../support/sign-in.ts'
import { test } from '../support/story.ts'
import { refusedWith } from '../support/watch-browser.ts'

/** Presses Tab until the target has the focus, as a user without a mouse does. */
async function tabTo(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  const hasKeyboard = () => target.evaluate((element) => element === element.ownerDocument.activeElement)
  await expect(target).toBeVisible()
  for (let presses = 0; presses < 60; presses++) {
    if (await hasKeyboard()) return
    await page.keyboard.press(key)
  }
  await expect(target).toBeFocused()
}

/** Opens something by the command palette. */
async function choose(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('combobox', { name: /^Find a machine/ })).toBeFocused()
  await page.keyboard.type(words)
  await expect(page.getByRole('option').first()).toContainText(words)
  await page.keyboard.press('Enter')
}

test('signing in and the initial setup need no mouse', async ({ page, server }) => {
  await page.goto('/')
  await expect(page.getByRole('textbox', { name: 'User name' })).toBeFocused()
  await page.keyboard.type('admin')
  await page.keyboard.press('Tab')
  await page.keyboard.type(server.admin.password)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'Code' })).toBeFocused()
  await tabTo(page, page.getByRole('button', { name: 'Not now' }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'Client' })).toBeFocused()
  await page.keyboard.type('Acme Dental')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Berlin HQ')
  const monitor = page.getByRole('checkbox', { name: /Also monitor the machine/ })
  await tabTo(page, monitor)
  await page.keyboard.press('Space')
  await expect(monitor).not.toBeChecked()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(treeLine(page, /Acme Dental/)).toBeVisible()
})

test('the main job needs no mouse', async ({ admin, openConsole, expected }) => {
  // The arrow keys pass the tab of the services, which a machine without systemd does not have.
  expected.browser.push(refusedWith(409))
  const token = await makeToken(admin, await addClient(admin, 'Acme', 'Berlin'))
  using fleet = await startMachines(admin, [
    { hostname: 'alpha', token },
    { hostname: 'bravo', token },
  ])
  const page = await openConsole({ as: admin })
  await expect(machineRow(page, 'alpha')).toBeVisible()

  await test.step('find a machine with / and the arrows', async () => {
    await page.keyboard.press('/')
    await expect(searchField(page)).toBeFocused()
    await page.keyboard.type('brav')
    await expect(machineRow(page, 'alpha')).toBeHidden()
    await page.keyboard.press('ArrowDown')
    await expect(machineTable(page)).toBeFocused()
    await page.keyboard.press('ArrowDown')
    await expect(machineRow(page, 'bravo')).toHaveAttribute('aria-selected', 'true')
    await expect(page.getByRole('heading', { name: 'bravo' })).toBeVisible()
  })
  await test.step('send a command from its menu', async () => {
    await page.keyboard.press('Shift+F10')
    const item = page.getByRole('menuitem', { name: 'Send command' })
    await expect(item).toBeVisible()
    await tabTo(page, item, 'ArrowDown')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: /Send command to bravo/ })
    await expect(dialog.getByRole('textbox', { name: 'Command' })).toBeFocused()
    await page.keyboard.type('echo by keyboard')
    await page.keyboard.press('Control+Enter')
    await expect(dialog.getByRole('region', { name: 'Output' })).toHaveText('by keyboard')
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
    await expect(machineTable(page), 'the keyboard is where it was').toBeFocused()
  })
  await test.step('write a script', () => writeScript(page))
  await test.step('run it on the selected machine', async () => {
    await choose(page, 'Run script')
    const dialog = page.getByRole('dialog', { name: /Run script on bravo/ })
    await expect(dialog.getByRole('combobox', { name: 'Script' })).toBeFocused()
    await page.keyboard.type('Gre')
    const option = page.getByRole('option', { name: 'Greet' })
    await expect(option).toBeVisible()
    // The list forgets the chosen option by a timer of its opening.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve))')
    // A list that arrives meanwhile begins without a chosen option.
    await expect(async () => {
      await page.keyboard.press('ArrowDown')
      expect(await option.getAttribute('data-combobox-selected')).toBe('true')
    }).toPass()
    await page.keyboard.press('Enter')
    await expect(dialog.getByRole('combobox', { name: 'Script' })).toHaveValue('Greet')
    await page.keyboard.press('Control+Enter')
    await expect(dialog.getByRole('status')).toHaveText('done')
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
  })
  await test.step('read it in the history', async () => {
    await tabTo(page, page.getByRole('tab', { name: 'Summary' }))
    await tabTo(page, page.getByRole('tab', { name: 'History' }), 'ArrowRight')
    const history = page.getByRole('grid', { name: 'History' })
    await expect(history.getByRole('row')).toHaveCount(3)
    await tabTo(page, history)
    await page.keyboard.press('ArrowDown')
    await expect(page.getByRole('region', { name: 'Output' }).last()).toContainText('hello')
    await expectRuns(admin, fleet.machines[1]?.agentId ?? '', 2)
  })
  await test.step('sign out', async () => {
    await choose(page, 'Sign out')
    await expect(page).toHaveURL('/expired')
  })
})

test('menus, splitters and dialogs are reached and left by the keyboard', async ({ admin, openConsole }) => {
  const token = await makeToken(admin, await addClient(admin, 'Acme', 'Berlin'))
  using _machines = await startMachines(admin, [{ hostname: 'alpha', token }])
  const page = await openConsole({ as: admin })
  await expect(machineRow(page, 'alpha')).toBeVisible()
  await tabTo(page, page.getByRole('link', { name: 'Machines', exact: true }))
  await tabTo(page, page.getByRole('menuitem', { name: 'Automation' }))
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('menuitem', { name: 'Tools' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem', { name: 'Install agent' })).toBeFocused()
  await page.keyboard.press('Enter')
  const install = page.getByRole('dialog', { name: 'Install agent' })
  await tabTo(page, install.getByRole('button', { name: 'Create install command' }))
  await page.keyboard.press('Enter')
  await expect(install.getByRole('button', { name: 'Copy' })).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(install).toBeHidden()
  for (const name of ['Width of the client tree', "Height of the machine's pane"]) {
    const splitter = page.getByRole('separator', { name })
    await tabTo(page, splitter)
    const before = await splitter.getAttribute('aria-valuenow')
    await page.keyboard.press(name.startsWith('Width') ? 'ArrowRight' : 'ArrowUp')
    await expect(splitter).not.toHaveAttribute('aria-valuenow', before ?? '')
  }
  await tabTo(page, page.getByRole('tab', { name: /^All/ }))
  await page.keyboard.press('ArrowLeft')
  await expect(page).toHaveURL(/tab=workstation/)
})

test('the focused element is always visible', async ({ admin, openConsole }) => {
  const token = await makeToken(admin, await addClient(admin, 'Acme', 'Berlin'))
  using _machines = await startMachines(admin, [{ hostname: 'alpha', token }])
  const page = await openConsole({ as: admin })
  await machineRow(page, 'alpha').click()
  await expect(page.getByRole('heading', { name: 'alpha' })).toBeVisible()
  await page.evaluate('document.activeElement.blur()')
  const unseen = new Set<string>()
  for (let presses = 0; presses < 45; presses++) {
    await page.keyboard.press('Tab')
    const bare = await page.evaluate<string | null>(FIND_BARE_FOCUS)
    if (bare !== null) unseen.add(bare)
  }
  expect([...unseen]).toEqual([])
})

/** The focused element if neither it nor its surroundings show the focus; else null. */
const FIND_BARE_FOCUS = `(() => {
  const element = document.activeElement
  if (element === null || element === document.body) return null
  // A border on its way has still the colour of before.
  const settle = () => {
    for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish()
  }
  for (let around = element, depth = 0; around && depth < 3; around = around.parentElement, depth++) {
    const style = getComputedStyle(around)
    if (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) return null
    if (style.boxShadow !== 'none') return null
    for (const pseudo of ['::before', '::after']) {
      const drawn = getComputedStyle(around, pseudo)
      if (drawn.content !== 'none' && (drawn.outlineStyle !== 'none' || drawn.backgroundColor !== 'rgba(0, 0, 0, 0)')) return null
    }
    settle()
    const { borderColor } = style
    element.blur()
    settle()
    const changed = getComputedStyle(around).borderColor !== borderColor
    element.focus({ focusVisible: true })
    if (changed) return null
  }
  return element.outerHTML.slice(0, 160)
})()`

async function writeScript(page: Page): Promise<void> {
  const from = page.url()
  await choose(page, 'Script')
  await expect(page.getByRole('textbox', { name: 'Search scripts' })).toBeFocused()
  await tabTo(page, page.getByRole('button', { name: 'New script', exact: true }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem', { name: 'New script' })).toBeFocused()
  await page.keyboard.press('Enter')
  const editor = page.getByRole('dialog', { name: 'New script' })
  await expect(editor.getByRole('textbox', { name: 'Name' })).toBeFocused()
  await page.keyboard.type('Greet')
  await tabTo(page, editor.getByRole('textbox', { name: 'Code' }))
  await page.keyboard.type('echo hello')
  // Tab indents here; Escape first lets it go on. Another Escape closes what the editor suggests.
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await tabTo(page, editor.getByRole('button', { name: 'Save' }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('row', { name: /Greet/ })).toBeVisible()
  await page.goto(from)
  await expect(page.getByRole('heading', { name: 'bravo' })).toBeVisible()
}

async function expectRuns(admin: Session, agent_id: string, count: number): Promise<void> {
  const history = await admin.call(listAgentHistory, { params: { agent_id }, query: {} })
  expect(history).toHaveLength(count)
}
