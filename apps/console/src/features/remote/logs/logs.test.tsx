import {
  CHANNEL_KIND,
  type ChannelFrame,
  decodeChannelFrame,
  encodeChannelEnd,
  encodeChannelFrame,
  encodeChannelText,
} from '@muster/contract/agent/channel'
import type { LogLine } from '@muster/contract/agent/logs'
import { createSocketTicket } from '@muster/contract/api/system'
import { getAgent } from '@muster/contract/api/agents'
import { readMachineLog } from '@muster/contract/api/logs'
import { rawOfText } from '@muster/rules/agents/raw-path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { answer, refuse } from '../../../testing/test-server.ts'
import { givenDashboard, testDetail } from '../../dashboard/test-dashboard.ts'

const ENTRY: LogLine = {
  at_ms: 1772366400000,
  priority: 'err',
  source: 'sshd',
  unit: 'ssh.service',
  pid: 77,
  message: '<b>Failed</b> \u001B[2Jpassword',
}
const grid = () => page.getByRole('grid', { name: 'Log' })
const box = () => page.getByRole('region', { name: 'Live log' })

async function openLogs(more: Parameters<typeof givenDashboard>[0] = {}) {
  const given = await givenDashboard(more)
  given.server.on(readMachineLog, () => answer(readMachineLog, { entries: [ENTRY], complete: true }))
  await given.open('/remotebackground/alpha0000000')
  await page.getByRole('tab', { name: 'Logs' }).click()
  return given.server
}

/** The window's socket, with a machine behind it as a test wants it; other sockets are the real ones. */
function givenSockets() {
  const sockets: LogSocket[] = []
  const Real = WebSocket
  class LogSocket extends EventTarget {
    readonly readyState = 1
    binaryType = ''
    hello: unknown
    readonly frames: ChannelFrame[] = []

    constructor() {
      super()
      sockets.push(this)
      queueMicrotask(() => this.dispatchEvent(new Event('open')))
    }

    send(data: string | Uint8Array): void {
      if (data === 'ping') return
      if (typeof data === 'string') {
        this.hello = Object(JSON.parse(data)).request
        return
      }
      const frame = decodeChannelFrame(data)
      if (!('wrong' in frame)) this.frames.push(frame)
    }

    close(): void {
      this.dispatchEvent(new CloseEvent('close'))
    }

    deliver(frame: Uint8Array<ArrayBuffer>): void {
      this.dispatchEvent(new MessageEvent('message', { data: frame.buffer }))
    }

    write(text: string): void {
      const payload = new TextEncoder().encode(text)
      this.deliver(encodeChannelFrame({ kind: CHANNEL_KIND.data, channel: 0, payload }))
    }
  }
  const Chosen = new Proxy(Real, {
    construct: (target, [url, ...rest]: [string]) =>
      String(url).includes('/channel/') ? new LogSocket() : Reflect.construct(target, [url, ...rest]),
  })
  vi.stubGlobal('WebSocket', Chosen)
  onTestFinished(() => void vi.unstubAllGlobals())
  return { sockets, last: () => vi.waitFor(() => requireHello(sockets.at(-1))) }
}

function requireHello<S extends { hello: unknown }>(socket: S | undefined): S {
  if (socket?.hello === undefined) throw new Error('no hello yet')
  return socket
}

test('entries of the log are found by unit, priority, time and text, and shown as text', async () => {
  const server = await openLogs()
  const row = grid().getByRole('row').filter({ hasText: 'sshd' })
  await expect.element(row.getByText('<b>Failed</b> ␛[2Jpassword')).toBeVisible()
  await page.getByRole('textbox', { name: 'Unit' }).fill(' ssh.service ')
  await page.getByRole('textbox', { name: 'Search log' }).fill('failed')
  await page.getByRole('combobox', { name: 'Priority' }).click()
  await page.getByRole('option', { name: 'Error and above' }).click()
  await page.getByRole('combobox', { name: 'Time range' }).click()
  await page.getByRole('option', { name: 'Any time' }).click()
  server.on(readMachineLog, () => answer(readMachineLog, { entries: [ENTRY], complete: false }))
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await expect.element(page.getByText('1 entry, possibly more: narrow the search')).toBeVisible()
  const sent = server.calls(readMachineLog).at(-1)?.search
  expect(Object.fromEntries(sent ?? [])).toEqual({ unit: 'ssh.service', priority: 'err', search: 'failed' })
  await row.click()
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByRole('dialog', { name: 'Error of sshd' })).toBeVisible()
})

test('events are found by log, source, id, level and text, and followed', async () => {
  const given = await givenDashboard()
  const { server } = given
  server.on(getAgent, () => answer(getAgent, testDetail({ plat: 'windows' })))
  const event = { ...ENTRY, source: 'Service Control Manager', unit: 'System', event_id: 7034 }
  server.on(readMachineLog, () => answer(readMachineLog, { entries: [event], complete: true }))
  server.on(createSocketTicket, () => answer(createSocketTicket, { ticket: 'ticket', expires_in: 30 }))
  await given.open('/remotebackground/alpha0000000?tool=logs')
  await expect.element(grid().getByText('7034')).toBeVisible()
  expect(server.calls(readMachineLog).at(-1)?.search.get('log')).toBe('System')
  const log = page.getByRole('combobox', { name: 'Event log' })
  const find = page.getByRole('button', { name: 'Search', exact: true })
  await log.fill('/lf:true')
  await expect.element(find).toBeDisabled()
  await log.fill('Microsoft-Windows-TaskScheduler/Operational')
  await page.getByRole('textbox', { name: 'Source' }).fill('control')
  await page.getByRole('textbox', { name: 'Event ID' }).fill('70x')
  await expect.element(find).toBeDisabled()
  await page.getByRole('textbox', { name: 'Event ID' }).fill(' 7034 ')
  await find.click()
  const sent = () => Object.fromEntries(server.calls(readMachineLog).at(-1)?.search ?? [])
  await expect.poll(sent).toMatchObject({
    log: 'Microsoft-Windows-TaskScheduler/Operational',
    source: 'control',
    event_id: '7034',
    priority: 'debug',
  })
  const { last } = givenSockets()
  await page.getByRole('radiogroup', { name: 'View' }).getByText('Live').click()
  await page.getByRole('button', { name: 'Follow' }).click()
  const source = { kind: 'eventlog', log: 'System', priority: 'debug' }
  expect((await last()).hello).toEqual({ tool: 'log', source })

  await page.getByRole('combobox', { name: 'Source' }).click()
  await page.getByRole('option', { name: 'File' }).click()
  const file = page.getByRole('textbox', { name: 'File' })
  await expect.element(page.getByRole('button', { name: 'Follow' })).toBeDisabled()
  await file.fill('C:\\Windows\\Logs\\setup.log')
  await page.getByRole('button', { name: 'Follow' }).click()
  const path = rawOfText('C:\\Windows\\Logs\\setup.log')
  await vi.waitFor(async () => expect((await last()).hello).toEqual({ tool: 'logfile', path }))
})

test('older entries are asked for up to the start of the log', async () => {
  const server = await openLogs()
  const part = (message: string, next?: string) =>
    answer(readMachineLog, {
      entries: [{ ...ENTRY, message }],
      complete: next === undefined,
      ...(next === undefined ? {} : { next }),
    })
  server.on(readMachineLog, ({ search }) =>
    search.get('before') === null ? part('newest', 's=1;i=9') : part('oldest'),
  )
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.getByRole('button', { name: 'Show older entries' }).click()
  await expect.element(grid().getByText('oldest')).toBeVisible()
  await expect.element(grid().getByText('newest')).toBeVisible()
  await expect.element(page.getByRole('button', { name: 'Show older entries' })).not.toBeInTheDocument()
  expect(server.calls(readMachineLog).at(-1)?.search.get('before')).toBe('s=1;i=9')
})

test("the machine's error is shown in place of the entries", async () => {
  const given = await givenDashboard()
  given.server.on(readMachineLog, () =>
    refuse('agent_refused', 'alpha: This machine keeps no journal: there is no journalctl.'),
  )
  await given.open('/remotebackground/alpha0000000')
  await page.getByRole('tab', { name: 'Logs' }).click()
  await expect.element(page.getByText(/keeps no journal/)).toBeVisible()
})

test('a log is followed live, searched, paused and stopped', async () => {
  const server = await openLogs()
  const { last } = givenSockets()
  server.on(createSocketTicket, () => answer(createSocketTicket, { ticket: 'ticket', expires_in: 30 }))
  await page.getByRole('radiogroup', { name: 'View' }).getByText('Live').click()
  await page.getByRole('textbox', { name: 'Unit' }).fill('ssh.service')
  await page.getByRole('button', { name: 'Follow' }).click()
  const machine = await last()
  expect(machine.hello).toEqual({
    tool: 'log',
    source: { kind: 'journal', unit: 'ssh.service', priority: 'debug' },
  })
  machine.deliver(encodeChannelText(0, { type: 'following', name: 'journalctl' }))
  machine.write('Disk FULL \u001B]0;title\u0007\nfine\n')
  await expect.element(box().getByText(/Disk FULL ␛\]0;title␇/)).toBeVisible()
  await page.getByRole('textbox', { name: 'Show lines with' }).fill('disk')
  await expect.element(box().getByText(/fine/)).not.toBeInTheDocument()
  await page.getByRole('button', { name: 'Pause' }).click()
  machine.write('disk while paused\n')
  await expect.element(page.getByText('Paused')).toBeVisible()
  await expect.element(box().getByText(/disk while paused/)).not.toBeInTheDocument()
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect.element(box().getByText(/disk while paused/)).toBeVisible()
  machine.deliver(encodeChannelText(0, { type: 'skipped', bytes: 12 * 1024 * 1024 }))
  await expect.element(box().getByText(/12 MB skipped/)).toBeVisible()
  machine.deliver(encodeChannelEnd(0, { code: 'refused', message: 'No journal files were found.' }))
  machine.close()
  await expect.element(page.getByText('No journal files were found.')).toBeVisible()
  await page.getByRole('button', { name: 'Stop' }).click()
  await expect.element(page.getByText(/Choose a log to follow/)).toBeVisible()
})

test('ten megabytes and a line of one are shown in bounded memory, with all credit returned', async () => {
  const server = await openLogs()
  const { last } = givenSockets()
  server.on(createSocketTicket, () => answer(createSocketTicket, { ticket: 'ticket', expires_in: 30 }))
  await page.getByRole('radiogroup', { name: 'View' }).getByText('Live').click()
  await page.getByRole('combobox', { name: 'Source' }).click()
  await page.getByRole('option', { name: 'File' }).click()
  await page.getByRole('textbox', { name: 'File' }).fill('/srv/app.log')
  await page.getByRole('button', { name: 'Follow' }).click()
  const machine = await last()
  expect(machine.hello).toEqual({ tool: 'logfile', path: btoa('/srv/app.log') })
  machine.deliver(encodeChannelText(0, { type: 'following', name: '/srv/app.log' }))
  const piece = `${'x'.repeat(127)}\n`.repeat(128)
  for (let count = 0; count < 640; count += 1) machine.write(piece)
  for (let count = 0; count < 64; count += 1) machine.write('y'.repeat(16_384))
  machine.write('\nthe end\n')
  await expect.element(box().getByText(/the end/)).toBeVisible()
  expect(box().element().textContent.length).toBeLessThan(1_100_000)
  await expect.element(box().getByText(/y{4000} \.\.\. \(1044576 characters more\)/)).toBeVisible()
  const credited = machine.frames.filter(({ kind }) => kind === CHANNEL_KIND.credit).length
  expect(credited).toBeGreaterThan(100)
})

test('a role without permission sees the refusal instead of logs', async () => {
  const permissions = ['can_list_agents', 'can_list_clients', 'can_use_terminal'] as const
  await openLogs({ me: { is_superuser: false, permissions: [...permissions] } })
  await expect
    .element(page.getByText('Your role does not allow you to see the logs of machines.'))
    .toBeVisible()
})
