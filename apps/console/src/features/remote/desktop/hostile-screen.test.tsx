import '../../../app/mantine-styles.ts'
import '../../../app/global.css'
import { CHANNEL_KIND, encodeChannelFrame, encodeChannelText } from '@muster/contract/agent/channel'
import { createSocketTicket } from '@muster/contract/api/system'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { render } from '../../../ui/test-render.ts'
import { createQueryClient } from '../../../app/api/query-client.ts'
import { givenSession } from '../../../testing/test-console.tsx'
import { givenFrame } from '../../../testing/test-frame.ts'
import { answer } from '../../../testing/test-server.ts'
import { theme } from '../../../app/theme.ts'
import { testDetail } from '../../dashboard/test-dashboard.ts'
import { givenWindows } from '../test-windows.ts'
import { DesktopWindow } from './DesktopWindow.tsx'
import { showScreen, SILENT_AFTER_MS } from './screen.ts'

afterEach(() => void vi.useRealTimers())

const text = (words: string) => [...new TextEncoder().encode(words)]
const word = (value: number) => [value >>> 8, value & 0xff]
const long = (value: number) => [...word(value >>> 16), ...word(value & 0xffff)]
const VERSION = text('RFB 003.008\n')
/** No password, and that is fine. What comes next answers what the browser said to it, as all pieces do. */
const LET_IN = [VERSION, [1, 1, ...long(0)]]
const FORMAT = [32, 24, 0, 1, 0, 255, 0, 255, 0, 255, 16, 8, 0, 0, 0, 0]
const init = (width: number, height: number, nameBytes = 0) => [
  ...word(width),
  ...word(height),
  ...FORMAT,
  ...long(nameBytes),
]
const OPEN = [...LET_IN, init(64, 48)]
/** An update of one rectangle. */
const update = (width: number, height: number, encoding: number) => [
  ...word(0),
  ...word(1),
  ...long(0),
  ...word(width),
  ...word(height),
  ...long(encoding),
]
const NONSENSE = 'Invalid response: the server does not speak VNC.'

async function openWindow(pieces: number[][], end?: string) {
  givenSession({ token: 'token', username: 'ada' })
  const server = givenFrame()
  server.on(createSocketTicket, () => answer(createSocketTicket, { ticket: 'ticket', expires_in: 30 }))
  givenWindows((socket) => {
    const session = crypto.randomUUID()
    const display = 'localhost:5900'
    socket.deliver(
      encodeChannelText(0, { type: 'opened', session, display, displays: [], server: 'VNC', password: null }),
    )
    for (const piece of pieces) {
      const payload = new Uint8Array(piece)
      socket.deliver(encodeChannelFrame({ kind: CHANNEL_KIND.data, channel: 0, payload }))
    }
    if (end !== undefined) socket.end('ended', end)
  })
  await render(
    <QueryClientProvider client={createQueryClient()}>
      <MantineProvider theme={theme}>
        <DesktopWindow agent={testDetail()} target={{ host: 'localhost', port: 5900 }} />
      </MantineProvider>
    </QueryClientProvider>,
  )
}

test.each([
  ['a wrong version', [text('RFB 666.666\n')]],
  ['a way of signing in that nobody knows', [VERSION, [1, 99]]],
  ['a screen of four thousand million pixels', [...LET_IN, init(65_535, 65_535)]],
  ['an encoding that nobody knows', [...OPEN, update(8, 8, 4711)]],
  ['a screen that grows without measure', [...OPEN, update(65_535, 65_535, -223)]],
  ['a message that nobody knows', [...OPEN, [200, 0, 0, 0]]],
])('a VNC server that speaks nonsense: %s', async (_what, pieces) => {
  await openWindow(pieces)
  await expect.element(page.getByText(NONSENSE)).toBeVisible()
  await expect.element(page.getByRole('button', { name: 'Reconnect' })).toBeVisible()
})

test('a VNC server that ends in the middle of a rectangle', async () => {
  const why = 'The VNC server closed the connection.'
  await openWindow([...OPEN, update(64, 48, 0), Array<number>(500).fill(7)], why)
  await expect.element(page.getByText(why)).toBeVisible()
})

test.each([
  ['hangs after its greeting', [VERSION]],
  ['hangs after the handshake', LET_IN],
  ['has a name without end', [...LET_IN, [...init(64, 48, 0xff_ff_ff_f0), 65]]],
  ['gives a reason without end', [VERSION, [0, ...long(0xff_ff_ff_f0), 65]]],
])('a VNC server that %s is given up', (_what, pieces) => {
  vi.useFakeTimers()
  const troubles: string[] = []
  const place = document.createElement('div')
  document.body.append(place)
  const screen = showScreen(place, {
    password: null,
    look: { viewOnly: false, fit: true, quality: 'balanced' },
    send: () => undefined,
    onConnect: () => troubles.push('it is connected'),
    onAsk: () => undefined,
    onTrouble: (message) => troubles.push(message),
    onClipboard: () => undefined,
  })
  onTestFinished(() => {
    screen[Symbol.dispose]()
    place.remove()
  })
  vi.advanceTimersByTime(0)
  for (const piece of pieces) screen.receive(new Uint8Array(piece))
  vi.advanceTimersByTime(SILENT_AFTER_MS - 1)
  expect(troubles).toEqual([])
  vi.advanceTimersByTime(1)
  expect(troubles).toEqual(['No response from the VNC server for 15 seconds.'])
})
