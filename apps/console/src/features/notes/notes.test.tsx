import { listClients } from '@muster/contract/api/clients'
import { getDashInfo, getVersion } from '@muster/contract/api/system'
import { type Note, createNote, getNote, editNote, listNotes } from '@muster/contract/api/notes'
import { type Me, getMe } from '@muster/contract/api/users'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider, createMemoryHistory, createRootRoute, createRouter } from '@tanstack/react-router'
import { beforeEach, expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { render } from '../../ui/test-render.ts'
import { createQueryClient } from '../../app/api/query-client.ts'
import { givenDashInfo, givenMe, givenSession, openConsole } from '../../testing/test-console.tsx'
import { answer, fakeServer } from '../../testing/test-server.ts'
import { NotesTab } from './NotesTab.tsx'

beforeEach(() => givenSession({ token: 'abc', username: 'ada', name: 'Ada Winter' }))

const AGENT = 'abcdefgh12'
const note = (pk: number, text: string): Note => ({
  pk,
  agent_id: AGENT,
  username: 'ada',
  note: text,
  entry_time: '2026-11-21T10:00:00.000Z',
})
const QUIET = {
  agent_count: 0,
  maintenance_mode: false,
  maintenance_count: 0,
  failing_checks: { error: false, warning: false },
  block_policy_inheritance: false,
  custom_fields: [],
  tags: [],
  alert_template: null,
  server_policy: null,
  workstation_policy: null,
}

function givenServer(notes: Note[], me: Partial<Me> = {}) {
  const server = fakeServer()
  const site = { id: 1, name: 'Berlin', client: 1, client_name: 'Acme', ...QUIET }
  server.on(getMe, () => answer(getMe, givenMe(me)))
  server.on(getVersion, () => answer(getVersion, '0.1.0'))
  server.on(getDashInfo, () => answer(getDashInfo, givenDashInfo()))
  server.on(listClients, () => answer(listClients, [{ id: 1, name: 'Acme', sites: [site], ...QUIET }]))
  server.on(listNotes, () => answer(listNotes, notes))
  return server
}

/** The tab alone, on a page that has nothing else. */
async function showTab() {
  const router = createRouter({
    routeTree: createRootRoute({ component: () => <NotesTab agentId={AGENT} /> }),
    history: createMemoryHistory(),
  })
  return render(
    <QueryClientProvider client={createQueryClient()}>
      <MantineProvider>
        <RouterProvider router={router} />
      </MantineProvider>
    </QueryClientProvider>,
  )
}

test('notes are text, whatever they hold, and a long one is cut', async () => {
  givenServer([note(1, '<img src=x onerror=alert(1)>\n<b>bold</b>'), note(2, `${'long '.repeat(400)}end`)])
  const screen = await showTab()
  await expect.element(screen.getByText(/<b>bold<.b>/)).toBeVisible()
  expect(document.querySelector('li img, li b')).toBeNull()
  await expect.element(screen.getByText(/end$/)).not.toBeInTheDocument()
  await screen.getByRole('button', { name: 'Show all' }).click()
  await expect.element(screen.getByText(/end$/)).toBeVisible()
})

test('an empty list shows the next step', async () => {
  givenServer([])
  const screen = await showTab()
  await expect.element(screen.getByText(/No notes yet/)).toBeVisible()
  await expect.element(screen.getByRole('button', { name: 'Add note' })).toBeVisible()
})

test('a read-only role has no buttons; others see the refusal', async () => {
  givenServer([note(1, 'Read me')], { is_superuser: false, permissions: ['can_list_notes'] })
  const screen = await showTab()
  await expect.element(screen.getByText('Read me')).toBeVisible()
  await expect.element(screen.getByRole('button', { name: /Add|Edit|Delete/ })).not.toBeInTheDocument()
  await screen.unmount()
  const server = givenServer([note(1, 'Read me')], { is_superuser: false, permissions: [] })
  const other = await showTab()
  await expect.element(other.getByText('Your role does not allow you to see notes.')).toBeVisible()
  expect(server.calls(listNotes)).toEqual([])
})

test('a note is written and sent by the keyboard', async () => {
  const server = givenServer([])
  server.on(createNote, () => answer(createNote, note(1, 'Spare disk')))
  const { screen, at } = await openConsole(`/agents/${AGENT}?dialog=add-note&item=${AGENT}`)
  await expect.element(screen.getByRole('textbox', { name: 'Text' })).toHaveFocus()
  await userEvent.keyboard('Spare disk{Enter}in the drawer{Control>}{Enter}{/Control}')
  await expect.element(screen.getByText('Note added.')).toBeVisible()
  expect(server.calls(createNote)[0]?.body).toEqual({ agent_id: AGENT, note: 'Spare disk\nin the drawer' })
  expect(at()).not.toContain('dialog')
})

test('a note is changed, and cannot be emptied', async () => {
  const server = givenServer([])
  server.on(getNote, () => answer(getNote, note(4, 'Old text')))
  server.on(editNote, () => answer(editNote, note(4, 'New text')))
  const { screen } = await openConsole(`/agents/${AGENT}?dialog=edit-note&item=4`)
  const text = screen.getByRole('textbox', { name: 'Text' })
  await expect.element(text).toHaveValue('Old text')
  await text.fill(' ')
  await userEvent.keyboard('{Tab}')
  await expect.element(screen.getByText('Enter a text.')).toBeVisible()
  await expect.element(screen.getByRole('button', { name: 'Save' })).toBeDisabled()
  await text.fill('New text')
  await screen.getByRole('button', { name: 'Save' }).click()
  await expect.element(screen.getByText('Note saved.')).toBeVisible()
  expect(server.calls(editNote)[0]?.body).toEqual({ note: 'New text' })
})

test('a missing note shows a text', async () => {
  const server = givenServer([])
  const body = { detail: '"pk" is not valid: Enter a number.', code: 'invalid', fields: {}, request_id: 'r' }
  server.on(getNote, () => new Response(JSON.stringify(body), { status: 400 }))
  const { screen } = await openConsole(`/agents/${AGENT}?dialog=edit-note&item=none`)
  await expect.element(screen.getByText(/Note not found/)).toBeVisible()
})
