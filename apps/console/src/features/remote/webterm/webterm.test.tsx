import { encodeChannelText } from '@muster/contract/agent/channel'
import { createSocketTicket } from '@muster/contract/api/system'
import { getRecording } from '@muster/contract/api/remote'
import { listWebTermSessions, type WebTermSession } from '@muster/contract/api/webterm'
import { expect, onTestFinished, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { answer } from '../../../testing/test-server.ts'
import { givenDashboard } from '../../dashboard/test-dashboard.ts'

const ID = '6f1c1a52-7d0c-4a6e-9f7e-0c8a3f1f2b11'
const SESSION: WebTermSession = {
  id: ID,
  tool: 'terminal',
  host: 'muster-1',
  username: 'ben',
  ip_address: '10.0.0.7',
  started_at: '2026-11-22T10:00:00.000Z',
  ended_at: '2026-11-22T10:04:10.000Z',
  exit_code: 0,
  reason: 'The shell has ended.',
  recording: { bytes: 2048, problem: null },
  receipt: null,
}

test('a superuser sees on which host the shell is, and that it ended when the server was lost', async () => {
  const { server, open } = await givenDashboard({ info: { web_terminal_enabled: true } })
  server.on(createSocketTicket, () => answer(createSocketTicket, { ticket: 'ticket', expires_in: 30 }))
  server.on(listWebTermSessions, () => answer(listWebTermSessions, []))
  await open('/webterm?tool=sessions')
  const sockets = givenSockets()
  await page.getByRole('tab', { name: 'Terminal' }).click()
  await expect.poll(() => sockets.length).toBe(1)
  await expect.poll(() => sockets[0]?.sent[0]).toContain('"tool":"webterm"')
  expect(sockets[0]?.url).toContain('/ws/webterm/')
  sockets[0]?.open()
  const status = page.getByRole('status').filter({ hasText: 'In /bin/bash as muster on muster-1.' })
  await expect.element(status).toBeVisible()
  await expect.element(page.getByText('Recorded', { exact: true })).toBeVisible()
  sockets[0]?.dispatchEvent(new CloseEvent('close', { code: 1006 }))
  await expect.element(page.getByText('The shell has ended.', { exact: false })).toBeVisible()
  expect(sockets).toHaveLength(1)
  await page.getByRole('button', { name: 'New terminal' }).click()
  await expect.poll(() => sockets.length).toBe(2)
})

test('a disabled web terminal says so; earlier sessions are still listed and played', async () => {
  const { server, open } = await givenDashboard()
  server.on(listWebTermSessions, () => answer(listWebTermSessions, [SESSION]))
  const events: [number, 'o', string][] = [[10, 'o', '$ whoami\r\n']]
  server.on(getRecording, () => answer(getRecording, { width: 80, height: 24, events, next: null }))
  const { at } = await open('/webterm')
  await expect.element(page.getByText('The web terminal is disabled.')).toBeVisible()
  await page.getByRole('tab', { name: 'Sessions' }).click()
  await expect.poll(at).toBe('/webterm?tool=sessions')
  await expect.element(page.getByText('muster-1')).toBeVisible()
  await page.getByRole('button', { name: 'Play the recording of ben', exact: false }).click()
  await expect
    .element(page.getByRole('dialog', { name: 'Recording: ben on muster-1', exact: false }))
    .toBeVisible()
})

test('other users see that it is for superusers', async () => {
  const { open } = await givenDashboard({
    me: { is_superuser: false, permissions: ['can_list_clients', 'can_list_agents'] },
    info: { web_terminal_enabled: true },
  })
  await open('/webterm')
  await expect.element(page.getByText('Only a superuser may open the web terminal.')).toBeVisible()
})

class Socket extends EventTarget {
  static readonly OPEN = 1
  readonly readyState = 1
  readonly sent: unknown[] = []
  readonly url: string
  binaryType = ''

  constructor(url: string) {
    super()
    this.url = url
    queueMicrotask(() => this.dispatchEvent(new Event('open')))
  }

  send(data: unknown): void {
    this.sent.push(data)
  }
  close(): void {}

  open(): void {
    const opened = { session: ID, shell: '/bin/bash', user: 'muster', resumed: false, host: 'muster-1' }
    const { buffer } = encodeChannelText(0, { type: 'opened', ...opened })
    this.dispatchEvent(new MessageEvent('message', { data: buffer }))
  }
}

/** The sockets of shells; those of the live updates stay as they are. */
function givenSockets(): Socket[] {
  const sockets: Socket[] = []
  const Real = WebSocket
  vi.stubGlobal(
    'WebSocket',
    Object.assign(
      function open(url: string) {
        if (!url.includes('webterm')) return new Real(url)
        const socket = new Socket(url)
        sockets.push(socket)
        return socket
      },
      { OPEN: 1 },
    ),
  )
  onTestFinished(() => void vi.unstubAllGlobals())
  return sockets
}
