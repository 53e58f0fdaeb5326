import { type AuditEntry, listAudit } from '@muster/contract/api/audit'
import { MantineProvider } from '@mantine/core'
import { beforeEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render } from '../../ui/test-render.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { givenSession, openConsole } from '../../testing/test-console.tsx'
import { givenFrame } from '../../testing/test-frame.ts'
import { answer } from '../../testing/test-server.ts'
import { AuditDiff } from './AuditDiff.tsx'

beforeEach(async () => {
  givenSession({ token: 'abc', username: 'ada', name: 'Ada Winter' })
  await page.viewport(1440, 900)
})

const showDiff = (before: unknown, after: unknown) =>
  render(
    <MantineProvider>
      <AuditDiff before={before} after={after} />
    </MantineProvider>,
  )

test('changes are marked visually and for screen readers', async () => {
  const screen = await showDiff({ name: 'Acme', days: 3 }, { name: 'Acme', days: 4, more: true })
  await expect.element(screen.getByRole('cell', { name: 'changed: "days": 3' })).toBeVisible()
  await expect.element(screen.getByRole('cell', { name: 'changed: "days": 4,' })).toBeVisible()
  await expect.element(screen.getByRole('cell', { name: 'added: "more": true' })).toBeVisible()
  expect(screen.getByRole('cell', { name: '"name": "Acme",', exact: true }).elements()).toHaveLength(2)
})

test('a single side has its title; no values show a note', async () => {
  const added = await showDiff(null, { name: '<img src=x onerror=alert(1)>' })
  await expect.element(added.getByRole('region', { name: 'After' }).getByText(/<img src=x/)).toBeVisible()
  expect(document.querySelector('img')).toBeNull()
  await added.unmount()
  const removed = await showDiff({ name: 'Acme' }, null)
  await expect.element(removed.getByRole('region', { name: 'Before' })).toBeVisible()
  await removed.unmount()
  const none = await showDiff(null, null)
  await expect.element(none.getByText('No values recorded.')).toBeVisible()
})

const entry = (id: number, more: Partial<AuditEntry> = {}): AuditEntry => ({
  id,
  entry_time: '2026-11-21T10:00:00.000Z',
  username: 'ada',
  api_key: null,
  agent: null,
  agent_id: null,
  client: 'Acme',
  site: null,
  action: 'modify',
  object_type: 'client',
  message: `Entry ${id}`,
  before_value: { name: 'Acme' },
  after_value: { name: 'Acme Dental' },
  ip_address: '192.0.2.1',
  ...more,
})

type AuditBody = { pagination?: { page?: number; rowsPerPage?: number }; actionFilter?: string[] }

function givenServer() {
  const server = givenFrame()
  const log = { entries: [entry(2), entry(1)] }
  server.on(listAudit, ({ body }) => {
    const { pagination: { page: wanted = 1, rowsPerPage = 25 } = {} } = body as AuditBody
    const audit_logs = log.entries.slice((wanted - 1) * rowsPerPage, wanted * rowsPerPage)
    return answer(listAudit, { audit_logs, total: log.entries.length })
  })
  return { server, log }
}

const AT = '/audit'

test('new entries are announced and shown on request, without jumps', async () => {
  const { log } = givenServer()
  const { screen, queryClient } = await openConsole(AT)
  const table = screen.getByRole('grid', { name: 'Audit log' })
  await expect.element(table).toHaveAttribute('aria-rowcount', '3')
  log.entries = [entry(5), entry(4), entry(3), ...log.entries]
  // As the live link does it.
  await queryClient.invalidateQueries({ queryKey: queryKey(listAudit) })
  const announcement = screen.getByRole('button', { name: '3 new entries' })
  await expect.element(announcement).toBeVisible()
  await expect.element(table).toHaveAttribute('aria-rowcount', '3')
  await announcement.click()
  await expect.element(table).toHaveAttribute('aria-rowcount', '6')
  await expect.element(announcement).not.toBeInTheDocument()
})

test('an entry opens by keyboard and returns the focus', async () => {
  givenServer()
  const { screen } = await openConsole(AT)
  const table = screen.getByRole('grid', { name: 'Audit log' })
  await expect.element(table).toHaveFocus()
  await userEvent.keyboard('{ArrowDown}{Enter}')
  const opened = screen.getByRole('dialog', { name: 'Audit entry' })
  await expect.element(opened.getByText('Entry 2')).toBeVisible()
  await expect.element(opened.getByRole('cell', { name: 'changed: "name": "Acme Dental"' })).toBeVisible()
  await opened.getByRole('button', { name: 'Next entry' }).click()
  await expect.element(opened.getByText('Entry 1')).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await expect.element(opened).not.toBeInTheDocument()
  await expect.element(table).toHaveFocus()
})

test('a filter is in the address and its pill removes it', async () => {
  const { server } = givenServer()
  const { screen, at } = await openConsole('/agents/abcdefgh12?dialog=audit&filter=action:delete days:30')
  await expect.element(screen.getByRole('grid', { name: 'Audit log' })).toBeInTheDocument()
  expect(server.calls(listAudit)[0]?.body).toMatchObject({ actionFilter: ['delete'], timeFilter: 30 })
  await screen.getByRole('button', { name: 'Remove the filter Action' }).click()
  await expect.poll(at).toBe('/audit?find=days:30')
  await expect.poll(() => server.calls(listAudit).at(-1)?.body).not.toHaveProperty('actionFilter')
})

test('paging shows the current position', async () => {
  const { log } = givenServer()
  log.entries = Array.from({ length: 60 }, (_, index) => entry(60 - index))
  const { screen, at } = await openConsole(AT)
  await expect.element(screen.getByText('1 to 25 of 60')).toBeVisible()
  await expect.element(screen.getByRole('button', { name: 'Previous page' })).toBeDisabled()
  await screen.getByRole('button', { name: 'Last page' }).click()
  await expect.element(screen.getByText('51 to 60 of 60')).toBeVisible()
  expect(at()).toContain('page:3')
  await expect.element(screen.getByRole('button', { name: 'Next page' })).toBeDisabled()
})
