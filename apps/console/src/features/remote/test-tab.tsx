import {
  CHANNEL_KIND,
  type ChannelEndCode,
  decodeChannelFrame,
  encodeChannelEnd,
  encodeChannelFrame,
  encodeChannelText,
  readChannelText,
} from '@muster/contract/agent/channel'
import { createSocketTicket, getDashInfo } from '@muster/contract/api/system'
import { getMe } from '@muster/contract/api/users'
import { ChannelHello } from '@muster/contract/channels'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { onTestFinished, vi } from 'vitest'
import { render } from '../../ui/test-render.ts'
import { createQueryClient } from '../../app/api/query-client.ts'
import { givenDashInfo, givenMe, givenSession } from '../../testing/test-console.tsx'
import { answer, fakeServer } from '../../testing/test-server.ts'
import { theme } from '../../app/theme.ts'
import { TerminalPane } from './TerminalPane.tsx'

/** A terminal's tab on the page, or something else with terminals, and the sockets that it opens, in their order. */
export async function openTab(
  shown: ReactNode = <TerminalPane agentId="alpha0000000" hostname="PC-12" />,
  me = givenMe(),
) {
  const windows = catchSockets()
  givenSession({ token: 'token', username: 'ada' })
  const server = fakeServer()
  server.on(createSocketTicket, () => answer(createSocketTicket, { ticket: 'ticket', expires_in: 30 }))
  server.on(getMe, () => answer(getMe, me))
  server.on(getDashInfo, () => answer(getDashInfo, givenDashInfo()))
  const draw = () =>
    render(
      <QueryClientProvider client={createQueryClient()}>
        <MantineProvider theme={theme}>
          <div style={{ display: 'flex', flexDirection: 'column', height: 500 }}>{shown}</div>
        </MantineProvider>
      </QueryClientProvider>,
    )
  const screen = await draw()
  await vi.waitFor(() => {
    if (windows[0]?.asked === undefined) throw new Error('no hello yet')
  })
  const reload = async () => {
    await screen.unmount()
    return draw()
  }
  return { screen, server, windows, reload }
}

/** The sockets that are opened from now on, in their order. */
export function catchSockets(): TestSocket[] {
  const windows: TestSocket[] = []
  vi.stubGlobal(
    'WebSocket',
    class extends TestSocket {
      constructor() {
        super()
        windows.push(this)
      }
    },
  )
  onTestFinished(() => {
    vi.unstubAllGlobals()
    sessionStorage.clear()
  })
  return windows
}

/** A window's socket, with a machine at its other end that says what the test wants. */
class TestSocket extends EventTarget {
  static readonly OPEN = 1
  readonly readyState = 1
  binaryType = ''
  asked: ChannelHello['request'] | undefined
  /** The person has ended it. */
  isEnded = false
  received = ''
  /** Sizes that came after the first one. */
  readonly sizes: unknown[] = []
  readonly session = crypto.randomUUID()
  #pings = 0

  constructor() {
    super()
    queueMicrotask(() => this.dispatchEvent(new Event('open')))
  }

  send(data: string | Uint8Array): void {
    if (data === 'ping') {
      this.#pings += 1
      return
    }
    if (typeof data === 'string') {
      this.asked = ChannelHello.parse(JSON.parse(data)).request
      return
    }
    const frame = decodeChannelFrame(data)
    if ('wrong' in frame) throw new Error(frame.wrong)
    if (frame.kind === CHANNEL_KIND.end) this.isEnded = true
    if (frame.kind === CHANNEL_KIND.text) this.sizes.push(readChannelText(frame.payload))
    if (frame.kind === CHANNEL_KIND.data) this.received += new TextDecoder().decode(frame.payload)
  }

  close(): void {}

  open({ shell, user }: { shell: string; user: string }): void {
    this.deliver({ type: 'opened', session: this.session, shell, user, resumed: false })
  }

  answerPings(): void {
    for (; this.#pings > 0; this.#pings -= 1)
      this.dispatchEvent(new MessageEvent('message', { data: 'pong' }))
  }

  deliver(news: object): void {
    this.#receive(encodeChannelText(0, news))
  }

  print(text: string): void {
    const payload = new TextEncoder().encode(text)
    this.#receive(encodeChannelFrame({ kind: CHANNEL_KIND.data, channel: 0, payload }))
  }

  end(code: ChannelEndCode, message: string): void {
    this.#receive(encodeChannelEnd(0, { code, message }))
    this.dispatchEvent(new CloseEvent('close', { code: 4000 }))
  }

  #receive(frame: Uint8Array<ArrayBuffer>): void {
    this.dispatchEvent(new MessageEvent('message', { data: frame.buffer }))
  }
}
