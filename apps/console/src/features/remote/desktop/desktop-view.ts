import { ConsentMessage, type ChannelEnd } from '@muster/contract/agent/channel'
import { createSocketTicket } from '@muster/contract/api/system'
import type { ToolRequest } from '@muster/contract/channels'
import { DesktopNews } from '@muster/contract/desktop'
import { call } from '../../../app/api/api.ts'
import { ChannelClient } from '../channel-client.ts'
import { type Credentials, type CredentialType, type Screen, type ScreenLook, showScreen } from './screen.ts'
import { serverNow } from '../../../ui/layout/server-clock.ts'

const MEASURE_EVERY_MS = 2000

export type DesktopState =
  | { state: 'connecting' }
  /** The person at the machine is asked for consent, with this many seconds to answer. */
  | { state: 'asking'; seconds: number }
  | {
      state: 'open'
      session: string
      display: string
      displays: string[]
      server: string
      sinceMs: number
      recorded: boolean
    }
  | { state: 'asks'; types: readonly CredentialType[]; give: (given: Credentials) => void }
  | { state: 'lost' }
  /** A proxy does not pass WebSockets. */
  | { state: 'blocked' }
  | { state: 'offline'; message: string }
  | { state: 'ended'; message: string }
  | { state: 'refused'; code: ChannelEnd['code']; message: string }

/** Quality of the connection to the machine. */
export interface DesktopPace {
  /** Round-trip time; undefined = no response yet. */
  milliseconds: number | undefined
  bytesPerSecond: number
}

export interface DesktopHandlers {
  request: ToolRequest
  look: () => ScreenLook
  onState: (state: DesktopState) => void
  onPace: (pace: DesktopPace) => void
  /** The machine has a new text on its clipboard. */
  onClipboard: (text: string) => void
}

export interface DesktopView extends Disposable {
  readonly screen: Screen | undefined
  /** Ends it on the machine as well. */
  end: () => void
}

/** Draws the desktop of a machine into an element, and keeps it connected. */
export function openDesktop(element: HTMLElement, agentId: string, handlers: DesktopHandlers): DesktopView {
  const { onState } = handlers
  let screen: Screen | undefined
  let trouble: string | undefined
  let recorded = false
  let bytes = 0
  let milliseconds: number | undefined
  const asked = new Map<number, number>()
  let lastPing = 0

  const clear = () => {
    screen?.[Symbol.dispose]()
    screen = undefined
  }
  const fail = (message: string) => {
    trouble = message
    channel.close()
    clear()
    onState({ state: 'ended', message })
  }
  const show = (news: Extract<DesktopNews, { type: 'opened' }>) => {
    clear()
    const { session, display, displays, server, password } = news
    screen = showScreen(element, {
      password,
      look: handlers.look(),
      send: (piece) => channel.sendData(piece),
      onConnect: () =>
        onState({ state: 'open', session, display, displays, server, sinceMs: serverNow(), recorded }),
      onAsk: (types, give) => onState({ state: 'asks', types, give }),
      onTrouble: fail,
      onClipboard: handlers.onClipboard,
    })
  }
  const channel = new ChannelClient(agentId, {
    fetchTicket: async () => (await call(createSocketTicket, {}, { timeoutMs: 10_000 })).ticket,
    request: () => handlers.request,
    onWelcome: (welcome) => {
      recorded = welcome.recorded
    },
    onData: (piece, consumed) => {
      bytes += piece.length
      screen?.receive(piece)
      consumed()
    },
    onText: (message) => {
      const asking = ConsentMessage.safeParse(message)
      if (asking.success) return onState({ state: 'asking', seconds: asking.data.seconds })
      const news = DesktopNews.safeParse(message).data
      if (news?.type === 'opened') show(news)
      if (news?.type !== 'pong') return
      const sentAt = asked.get(news.number)
      asked.clear()
      if (sentAt !== undefined) milliseconds = performance.now() - sentAt
    },
    onLost: (why) => {
      clear()
      if (why === 'blocked') return onState({ state: 'blocked' })
      onState(why?.code === 'agent_offline' ? { state: 'offline', message: why.message } : { state: 'lost' })
    },
    onEnd: (end) => {
      clear()
      if (trouble !== undefined) return false
      const isOver = end.code === 'ended' || end.code === 'closed'
      onState(
        isOver
          ? { state: 'ended', message: end.message }
          : { state: 'refused', code: end.code, message: end.message },
      )
      return false
    },
  })
  const timer = setInterval(() => {
    if (screen === undefined) return
    handlers.onPace({ milliseconds, bytesPerSecond: (bytes * 1000) / MEASURE_EVERY_MS })
    bytes = 0
    lastPing += 1
    asked.set(lastPing, performance.now())
    channel.sendText({ type: 'ping', number: lastPing })
  }, MEASURE_EVERY_MS)

  const stop = () => {
    clearInterval(timer)
    clear()
  }
  return {
    get screen() {
      return screen
    },
    end: () => {
      stop()
      channel.close()
      onState({ state: 'ended', message: 'You ended the session.' })
    },
    [Symbol.dispose]() {
      stop()
      channel[Symbol.dispose]()
    },
  }
}
