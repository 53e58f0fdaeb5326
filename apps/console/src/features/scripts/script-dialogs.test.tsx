import {
  type ScriptDetail,
  createScript,
  downloadScript,
  editScript,
  generateScript,
  getScript,
  listScripts,
} from '@muster/contract/api/scripts'
import type { DashInfo } from '@muster/contract/api/system'
import type { Me } from '@muster/contract/api/users'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { agentPlatform } from '../../app/session/store.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { givenSession, openConsole } from '../../testing/test-console.tsx'
import { givenFrame } from '../../testing/test-frame.ts'
import { answer, refuse } from '../../testing/test-server.ts'
import { testScript } from './test-script.ts'

beforeEach(async () => {
  givenSession({ token: 'abc', username: 'ada', name: 'Ada Winter' })
  await page.viewport(1440, 900)
})

const SCRIPT: ScriptDetail = {
  ...testScript({ category: 'Maintenance' }),
  script_body: '#!/bin/sh\ntrue\n',
  script_hash: 'x',
  modified: '2026-11-21T10:00:00.000Z',
}

/** A library of one script that can be changed behind the console's back. */
interface Given {
  me?: Partial<Me>
  info?: Partial<DashInfo>
  script?: Partial<ScriptDetail>
}

function givenServer({ me = {}, info = {}, script = {} }: Given = {}) {
  const server = givenFrame({ me, info })
  const library = { script: { ...SCRIPT, ...script } }
  server.on(listScripts, () => answer(listScripts, [library.script]))
  server.on(getScript, () => answer(getScript, library.script))
  server.on(editScript, ({ body }) => {
    // The editor sends all parts, and what it has loaded.
    const { modified, ...parts } = body as Partial<ScriptDetail>
    if (modified !== undefined && modified !== library.script.modified) {
      return refuse('changed_meanwhile', '"Clean" was changed by another user. Reload it and try again.')
    }
    library.script = { ...library.script, ...parts, modified: '2026-11-21T11:00:00.000Z' }
    return answer(editScript, library.script)
  })
  return { server, library }
}

// An address whose own screen asks for little.
const AT = '/agents/abcdefgh12?dialog='

async function openEditor(item = '7') {
  const opened = await openConsole(`${AT}script&item=${item}`)
  const { screen } = opened
  const code = screen.getByRole('textbox', { name: 'Code' })
  await expect.element(code).toBeVisible()
  return { ...opened, code, save: screen.getByRole('button', { name: 'Save' }) }
}

async function typeAtEnd(code: ReturnType<typeof page.getByRole>, text: string) {
  await code.click()
  await userEvent.keyboard(`{Control>}{End}{/Control}${text}`)
}

test('leaving with changed code asks; Escape never discards', async () => {
  givenServer()
  const { screen, at, code } = await openEditor()
  await typeAtEnd(code, 'echo more')
  await userEvent.keyboard('{Escape}')
  await expect.element(screen.getByRole('dialog', { name: 'Edit Clean' })).toBeVisible()
  await screen.getByRole('button', { name: 'Cancel' }).click()
  const question = screen.getByRole('dialog', { name: 'Discard your changes?' })
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect.element(code.getByText('echo more')).toBeInTheDocument()
  await screen.getByRole('button', { name: 'Cancel' }).click()
  await question.getByRole('button', { name: 'Discard' }).click()
  await expect.element(screen.getByRole('dialog')).not.toBeInTheDocument()
  expect(at()).not.toContain('dialog')
})

test('leaving without changes does not ask', async () => {
  givenServer()
  const { screen } = await openEditor()
  await screen.getByRole('button', { name: 'Close' }).last().click()
  await expect.element(screen.getByRole('dialog')).not.toBeInTheDocument()
})

test('Ctrl+S saves and stays; save is disabled until something changes again', async () => {
  const { server } = givenServer()
  const { screen, code, save } = await openEditor()
  await expect.element(save).toBeDisabled()
  await typeAtEnd(code, 'echo more')
  await userEvent.keyboard('{Control>}s{/Control}')
  await expect.element(screen.getByText('Script saved.')).toBeVisible()
  expect(server.calls(editScript)[0]?.body).toMatchObject({
    script_body: '#!/bin/sh\ntrue\necho more',
    modified: SCRIPT.modified,
  })
  await expect.element(screen.getByRole('dialog', { name: 'Edit Clean' })).toBeVisible()
  await expect.element(save).toBeDisabled()
})

test('a refused save asks whose work stays: theirs', async () => {
  const { library } = givenServer()
  const { screen, code, save } = await openEditor()
  await typeAtEnd(code, 'echo mine')
  library.script = { ...library.script, script_body: 'echo theirs', modified: '2026-11-21T10:30:00.000Z' }
  await save.click()
  const conflict = screen.getByRole('dialog', { name: 'Another user has saved this script' })
  await conflict.getByRole('button', { name: 'Discard my changes' }).click()
  await expect.element(conflict).not.toBeInTheDocument()
  await expect.element(code.getByText('echo theirs')).toBeInTheDocument()
  await expect.element(save).toBeDisabled()
})

test('a refused save asks whose work stays: mine', async () => {
  const { library } = givenServer()
  const { screen, code, save } = await openEditor()
  await typeAtEnd(code, 'echo mine')
  library.script = { ...library.script, script_body: 'echo theirs', modified: '2026-11-21T10:30:00.000Z' }
  await save.click()
  const conflict = screen.getByRole('dialog', { name: 'Another user has saved this script' })
  await conflict.getByRole('button', { name: 'Overwrite their version' }).click()
  await expect.element(screen.getByText('Script saved.')).toBeVisible()
  expect(library.script.script_body).toContain('echo mine')
})

test('versions of others are loaded while there are no changes, else reported', async () => {
  const { library } = givenServer()
  const { screen, code, queryClient } = await openEditor()
  const saveElsewhere = async (change: Partial<ScriptDetail>) => {
    library.script = { ...library.script, ...change }
    await queryClient.invalidateQueries({ queryKey: queryKey(getScript) })
  }
  await saveElsewhere({ description: 'theirs', modified: '2026-11-21T10:30:00.000Z' })
  const description = screen.getByRole('textbox', { name: 'Description' })
  await expect.element(description).toHaveValue('theirs')
  await typeAtEnd(code, 'echo mine')
  await saveElsewhere({ description: 'theirs again', modified: '2026-11-21T10:40:00.000Z' })
  await expect.element(screen.getByText(/Another user has saved this script while/)).toBeVisible()
  await expect.element(description).toHaveValue('theirs')
  await expect.element(code.getByText('echo mine')).toBeInTheDocument()
})

test('a new script needs a name and valid variables; a missing #! warns', async () => {
  agentPlatform.set('linux')
  onTestFinished(() => agentPlatform.set('windows'))
  const { server } = givenServer()
  server.on(createScript, ({ body }) =>
    answer(createScript, { ...SCRIPT, id: 8, ...(body as Partial<ScriptDetail>) }),
  )
  const { screen, code, save } = await openEditor('new')
  await expect.element(screen.getByRole('textbox', { name: 'Name', exact: true })).toHaveFocus()
  await code.click()
  await userEvent.keyboard('echo hello')
  await expect.element(screen.getByText(/No #! line/)).toBeVisible()
  await expect.element(save).toBeDisabled()
  await screen.getByRole('textbox', { name: 'Name', exact: true }).fill('Greet')
  await expect.element(save).toBeEnabled()
  // One that no script has yet.
  await screen
    .getByRole('combobox', { name: 'Category' })
    .or(screen.getByLabelText('Category'))
    .first()
    .fill('Greetings')
  await screen.getByRole('button', { name: 'Add variable' }).click()
  await userEvent.keyboard('GREETING')
  await expect.element(save).toBeDisabled()
  await userEvent.keyboard('{Tab}')
  await expect.element(screen.getByText('Write NAME=value.')).toBeVisible()
  await userEvent.keyboard('{Shift>}{Tab}{/Shift}{End}=hello')
  await screen.getByRole('button', { name: 'Add parameter' }).click()
  const parameter = screen.getByRole('group', { name: 'Parameter 1' })
  await expect.element(screen.getByText('A parameter needs a name.')).not.toBeInTheDocument()
  await expect.element(save).toBeDisabled()
  await parameter.getByRole('textbox', { name: 'Name' }).fill('Loudness')
  await parameter.getByRole('checkbox', { name: 'Needs a value' }).click()
  await parameter.getByRole('textbox', { name: 'Default' }).fill('loud')
  await expect.element(parameter.getByText('MUSTER_PARAM_LOUDNESS')).toBeVisible()
  await save.click()
  await expect.element(screen.getByRole('dialog')).not.toBeInTheDocument()
  expect(server.calls(createScript)[0]?.body).toMatchObject({
    name: 'Greet',
    category: 'Greetings',
    env_vars: ['GREETING=hello'],
    parameters: [{ name: 'Loudness', type: 'text', required: true, default: 'loud' }],
    script_body: 'echo hello',
    default_timeout: 90,
  })
})

test('a new script is generated where a model is configured', async () => {
  const { server } = givenServer({ info: { open_ai_integration_enabled: true } })
  server.on(generateScript, () => answer(generateScript, 'Get-Date'))
  const { screen, code } = await openEditor('new')
  const generate = screen.getByRole('button', { name: 'Generate script' })
  await expect.element(generate).toBeDisabled()
  await screen.getByRole('textbox', { name: 'Describe the script' }).fill('Print the date')
  await generate.click()
  await expect.element(code.getByText('Get-Date')).toBeVisible()
  expect(server.calls(generateScript)[0]?.body).toEqual({
    prompt: 'Write a script for PowerShell. Print the date',
  })
})

test('without a configured model nothing is offered to generate a script', async () => {
  givenServer()
  const { screen } = await openEditor('new')
  await expect.element(screen.getByRole('button', { name: 'Generate script' })).not.toBeInTheDocument()
})

test('a built-in script is read with its snippets in place, and cloned, not changed', async () => {
  const { server } = givenServer({ script: { script_type: 'builtin', script_body: '{{Prologue}}' } })
  server.on(downloadScript, ({ search }) => {
    const code = search.get('with_snippets') === 'true' ? 'set -eu' : '{{Prologue}}'
    return answer(downloadScript, { filename: 'clean.sh', code })
  })
  const { screen, at, code } = await openEditor()
  await expect.element(code.getByText('set -eu')).toBeVisible()
  await expect.element(screen.getByText(/Built-in scripts cannot be changed/)).toBeVisible()
  await expect.element(code).toHaveAttribute('contenteditable', 'false')
  await expect.element(screen.getByRole('button', { name: 'Save' })).not.toBeInTheDocument()
  await screen.getByRole('button', { name: 'Clone' }).click()
  await expect
    .element(screen.getByRole('textbox', { name: 'Name', exact: true }))
    .toHaveValue('Copy of Clean')
  expect(at()).toContain('item=clone.7')
})

test('a read-only role reads scripts and cannot add one', async () => {
  givenServer({ me: { is_superuser: false, permissions: ['can_list_scripts', 'can_list_clients'] } })
  const { screen } = await openConsole('/scripts')
  await expect.element(screen.getByRole('row', { name: /Clean/ })).toBeVisible()
  await expect
    .element(screen.getByRole('button', { name: 'New script', exact: true }))
    .not.toBeInTheDocument()
})

test('the old address of the library leads to its page, with its filter', async () => {
  givenServer()
  const { screen, at } = await openConsole(`${AT}scripts&filter=clean`)
  await expect.element(screen.getByRole('heading', { level: 1, name: 'Scripts' })).toBeVisible()
  expect(at()).toBe('/scripts?find=clean')
  await expect.element(screen.getByRole('textbox', { name: 'Search scripts' })).toHaveValue('clean')
  await expect.poll(() => document.title).toBe('Scripts | Muster')
})

test('the library finds by typing, and Enter opens the script', async () => {
  givenServer()
  const { screen, at } = await openConsole('/scripts')
  const search = screen.getByRole('textbox', { name: 'Search scripts' })
  await expect.element(screen.getByRole('row', { name: /Clean/ })).toBeVisible()
  await search.fill('nothing like it')
  await expect.element(screen.getByText('No scripts match “nothing like it”.')).toBeVisible()
  await search.fill('mainten')
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{Enter}')
  await expect.element(screen.getByRole('dialog', { name: 'Edit Clean' })).toBeVisible()
  expect(at()).toBe('/scripts?find=mainten&dialog=script&item=7')
})
