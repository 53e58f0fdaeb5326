import { getAgent } from '@muster/contract/api/agents'
import {
  getSessionChanges,
  getRecording,
  listRemoteSessions,
  type RemoteSession,
} from '@muster/contract/api/remote'
import { listServices } from '@muster/contract/api/services'
import { expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, refuse } from '../../testing/test-server.ts'
import { givenDashboard, testDetail } from '../dashboard/test-dashboard.ts'

const SESSION: RemoteSession = {
  id: '6f1c1a52-7d0c-4a6e-9f7e-0c8a3f1f2b11',
  tool: 'terminal',
  username: 'ben',
  ip_address: '10.0.0.7',
  started_at: '2026-11-22T10:00:00.000Z',
  ended_at: '2026-11-22T10:04:10.000Z',
  exit_code: 0,
  reason: 'The shell has ended.',
  recording: { bytes: 2048, problem: null },
  receipt: null,
}

const dialog = () => page.getByRole('dialog')
const shown = () => document.querySelector('.xterm-rows')?.textContent ?? ''

async function openSessions(sessions: RemoteSession[]) {
  const given = await givenDashboard()
  const { server } = given
  server.on(getAgent, () => answer(getAgent, testDetail()))
  server.on(listRemoteSessions, () => answer(listRemoteSessions, sessions))
  await given.open('/remotebackground/alpha0000000')
  await page.getByRole('tab', { name: 'Sessions' }).click()
  return server
}

/** Two pages: a long pause lies between them. */
async function openPlayer(first = '$ first\r\n') {
  const server = await openSessions([SESSION])
  server.on(getRecording, ({ search }) =>
    answer(
      getRecording,
      search.get('after') === '0'
        ? {
            width: 80,
            height: 24,
            events: [
              [0, 'r', '80x24'],
              [10, 'o', first],
            ],
            next: 1,
          }
        : {
            width: 80,
            height: 24,
            events: [
              [300_000, 'o', '$ sec\u001b[31mond\u001b[0m\r\n'],
              [300_050, 'o', '$ third\r\n'],
            ],
            next: null,
          },
    ),
  )
  await page.getByRole('button', { name: /^Play the recording of ben/ }).click()
  await expect.element(dialog().getByText('0:00 / 0:02')).toBeVisible()
  return server
}

test('sessions list user, times, end reason and recording', async () => {
  await openSessions([
    SESSION,
    { ...SESSION, id: crypto.randomUUID(), username: 'cleo', ended_at: null, reason: null, recording: null },
  ])
  const textOf = (name: string) => page.getByRole('row').filter({ hasText: name }).element().textContent ?? ''
  await expect.element(page.getByText('cleo')).toBeVisible()
  expect(textOf('ben')).toMatch(/terminal.*4 minutes.*The shell has ended. Exit code 0.*2 KB/)
  expect(textOf('cleo')).toMatch(/Active.*not recorded/)
})

test('the selected tool is in the address', async () => {
  const given = await givenDashboard()
  given.server.on(getAgent, () => answer(getAgent, testDetail()))
  given.server.on(listRemoteSessions, () => answer(listRemoteSessions, []))
  const { at } = await given.open('/remotebackground/alpha0000000?tool=sessions')
  await expect.element(page.getByRole('tab', { name: 'Sessions' })).toHaveAttribute('aria-selected', 'true')
  given.server.on(listServices, () => answer(listServices, []))
  await page.getByRole('tab', { name: 'Services' }).click()
  await expect.poll(at).toBe('/remotebackground/alpha0000000?tool=services')
})

test('a machine without sessions shows a note', async () => {
  await openSessions([])
  await expect.element(page.getByText('No remote sessions yet.')).toBeVisible()
})

test('a recording is played to its end, with its pauses skipped, and paused', async () => {
  await openPlayer()
  await dialog().getByRole('combobox', { name: 'Speed' }).click()
  await page.getByRole('option', { name: '8x' }).click()
  await dialog().getByRole('button', { name: 'Play' }).click()
  await expect.poll(shown).toContain('$ third')
  await expect.element(dialog().getByText('0:02 / 0:02')).toBeVisible()
  await expect.element(dialog().getByRole('button', { name: 'Play' })).toBeVisible()
  await dialog().getByRole('switch', { name: 'Skip pauses' }).click()
  await expect.element(dialog().getByText('5:00 / 5:00')).toBeVisible()
})

test('hostile sequences in a recording change no title or clipboard, and hide no address', async () => {
  const ask = vi.spyOn(window, 'confirm').mockReturnValue(false)
  const write = vi.spyOn(navigator.clipboard, 'writeText')
  const title = document.title
  await openPlayer(
    '\u001b]8;;https://evil.example/x\u001b\\https://bank.example\u001b]8;;\u001b\\ \u001b]2;Muster\u0007\u001b]52;c;ZXZpbA==\u0007ok\r\n',
  )
  await dialog().getByRole('slider', { name: 'Position in the recording' }).click()
  await userEvent.keyboard('{End}')
  await expect.poll(shown).toContain('https://bank.example ok')
  const screen = document.querySelector('.xterm-screen')
  const row = document.querySelector('.xterm-rows > div')
  if (row === null || screen === null) throw new Error('the line is there')
  const { left, top } = row.getBoundingClientRect()
  const at = { clientX: left + 20, clientY: top + 5, bubbles: true, button: 0 }
  for (const type of ['mousemove', 'mousedown', 'mouseup', 'click'])
    screen.dispatchEvent(new MouseEvent(type, at))
  expect(ask).toHaveBeenCalledExactlyOnceWith('Open a page of evil.example?\n\nhttps://evil.example/x')
  expect(write).not.toHaveBeenCalled()
  expect(document.title).toBe(title)
})

test('any position is shown, forwards and back', async () => {
  await openPlayer()
  const place = dialog().getByRole('slider', { name: 'Position in the recording' })
  await place.click()
  await userEvent.keyboard('{End}')
  await expect.poll(shown).toContain('$ third')
  await userEvent.keyboard('{Home}')
  await expect.poll(shown).not.toContain('$ first')
  await userEvent.keyboard('{ArrowRight}')
  await expect.poll(shown).toContain('$ first')
  expect(shown()).not.toContain('third')
})

test('the search finds text, also with colours between the letters', async () => {
  await openPlayer()
  const field = dialog().getByRole('searchbox', { name: 'Search recorded terminal' })
  await field.fill('SECOND')
  await expect.element(dialog().getByText('1 found')).toBeVisible()
  await userEvent.keyboard('{Enter}')
  await expect.element(dialog().getByText('1 of 1')).toBeVisible()
  await expect.poll(shown).toContain('$ second')
  expect(shown()).not.toContain('third')
  await field.fill('nowhere')
  await expect.element(dialog().getByText('Not found')).toBeVisible()
})

test('a failed load of a recording shows the error and can be retried', async () => {
  const server = await openSessions([SESSION])
  const sentence = 'The file of this recording is missing or was changed.'
  server.on(getRecording, () => refuse('unavailable', sentence))
  await page.getByRole('button', { name: /^Play the recording of ben/ }).click()
  await expect.element(dialog().getByText(sentence)).toBeVisible()
  await dialog().getByRole('button', { name: 'Try again' }).click()
  await expect.poll(() => server.calls(getRecording).length).toBeGreaterThan(1)
})

test('missing parts of a recording are reported', async () => {
  const server = await openSessions([
    { ...SESSION, recording: { bytes: 10, problem: 'It reached its largest size.' } },
  ])
  server.on(getRecording, () =>
    answer(getRecording, { width: 80, height: 24, events: [[0, 'o', 'x']], next: null }),
  )
  await page.getByRole('button', { name: /^Play the recording of ben/ }).click()
  await expect.element(dialog().getByText('It reached its largest size.')).toBeVisible()
})

test('changes are shown with their session, including failed scans', async () => {
  const nothing = { state: 'collected' as const, added: [], removed: [], changed: [], left_out: 0 }
  const other = { ...SESSION, id: crypto.randomUUID(), username: 'cleo', recording: null }
  const server = await openSessions([{ ...SESSION, receipt: { changes: 204 } }, other])
  server.on(getSessionChanges, () =>
    answer(getSessionChanges, {
      from: '2026-11-22T10:00:00.000Z',
      to: '2026-11-22T10:04:11.000Z',
      interrupted: true,
      parts: {
        packages: { ...nothing, changed: [{ name: 'vim', from: '1.0', to: '1.1' }] },
        services: { state: 'not_collected', reason: 'systemd did not list its services.' },
        files: { ...nothing, added: [{ name: '/etc/<b>x', state: '3 bytes' }], left_out: 200 },
        users: nothing,
        ports: { ...nothing, removed: [{ name: 'tcp 0.0.0.0:80', state: 'nginx' }] },
      },
    }),
  )
  await expect.element(page.getByText('unknown')).toBeVisible()
  await page.getByRole('button', { name: /^204 changes in the session of ben/ }).click()
  const part = (name: string) => dialog().getByRole('region', { name })
  await expect.element(part('Packages')).toHaveTextContent('PackagesChangedvim 1.0 \u2192 1.1')
  await expect.element(part('Services')).toHaveTextContent('Servicessystemd did not list its services.')
  await expect
    .element(part('Files in /etc'))
    .toHaveTextContent('Files in /etcAdded/etc/<b>x 3 bytesAnd 200 more.')
  await expect.element(part('Users')).toHaveTextContent('UsersNo changes')
  await expect
    .element(part('Listening ports'))
    .toHaveTextContent('Listening portsRemovedtcp 0.0.0.0:80 nginx')
  await expect.element(dialog().getByText(/1 other session was open/)).toBeVisible()
  await expect.element(dialog().getByText('The agent was stopped during the session')).toBeVisible()
})
