import '@xterm/xterm/css/xterm.css'
import { FitAddon } from '@xterm/addon-fit'
import { WebglAddon } from '@xterm/addon-webgl'
import { Terminal } from '@xterm/xterm'
import { createSocketTicket } from '@muster/contract/api/system'
import { type ChannelEnd, ConsentMessage } from '@muster/contract/agent/channel'
import type { ShellRequest } from '@muster/contract/agent/shells'
import { WEBTERM_PATH } from '@muster/contract/api/webterm'
import {
  type JoinMode,
  type TerminalJoin,
  TerminalNews,
  type TerminalPerson,
} from '@muster/contract/channels'
import { call } from '../../app/api/api.ts'
import { ChannelClient } from './channel-client.ts'
import { bindKeys, cleanPaste } from './terminal-keys.ts'
import { bindLinks } from './terminal-links.ts'
import { TERMINAL_LOOK, TERMINAL_THEMES, type TerminalLook } from './terminal-look.ts'
import { applicationKey, type Modifiers, modify } from './terminal-modifiers.ts'
import { findHits, type Hit, showHit } from './terminal-search.ts'
import { cleanTitle } from './clean-title.ts'

const SCROLLBACK_LINES = 50_000
const LOST_WITH_SERVER = 'Connection to the server failed. The shell has ended.'
const NOTHING_KEPT = { read: () => null, store: () => {}, remove: () => {} }

export type TerminalState =
  | { state: 'connecting' }
  /** The person at the machine is asked for consent, with this many seconds to answer. */
  | { state: 'asking'; seconds: number }
  /** `host`: of the web terminal. */
  | {
      state: 'open'
      shell: string
      user: string
      resumed: boolean
      recorded: boolean
      host?: string | undefined
      /** Role in a colleague's terminal. */
      joined?: JoinMode | undefined
    }
  | { state: 'lost' }
  /** A proxy does not pass WebSockets. */
  | { state: 'blocked' }
  | { state: 'offline'; message: string }
  | { state: 'ended'; exitCode: number | null; message: string }
  | { state: 'refused'; code: ChannelEnd['code']; message: string }

export interface TerminalView extends Disposable {
  /** The whole buffer. */
  copyAll: () => string
  /** All matches of the words, oldest first. */
  find: (words: string) => Hit[]
  show: (hit: Hit) => void
  setLook: (look: TerminalLook) => void

  copy: () => string
  selectAll: () => void
  focus: () => void
  /** Sends keys that were typed elsewhere. */
  type: (text: string) => void
  /** Types a key of the key bar: a character, or a sequence without modifiers. */
  press: (key: string) => void
  /** Applies to the next key only, wherever it is typed. */
  hold: (modifiers: Modifiers, onUsed: () => void) => void
  paste: (text: string) => void
  /** Ends the shell on the machine. */
  end: () => void
}

export interface TerminalOptions {
  /** Absent = a shell of the server itself, which ends with its connection. */
  agentId: string | undefined
  /** Key under which its session is found again after a reload. */
  place: string
  request: ShellRequest
  /** A colleague's terminal instead of the user's own. */
  join?: TerminalJoin | undefined
  /** The people in it. */
  onPeople?: (people: TerminalPerson[]) => void
  onState: (state: TerminalState) => void
  /** Title set by its shell, made safe. */
  onTitle: (title: string | undefined) => void
  /** Keys and pastes of the user. */
  onTyped?: ((text: string) => void) | undefined
  /** Opens the search; absent, its keys go to the machine. */
  onSearch?: () => void
}

/** Draws a terminal of a machine into an element, and keeps it connected. */
export function openTerminal(
  element: HTMLElement,
  { agentId, place, request, join, onState, onTitle, onSearch, onPeople, onTyped }: TerminalOptions,
): TerminalView {
  const kept = agentId === undefined || join !== undefined ? NOTHING_KEPT : keptSession(agentId, place)
  const terminal = new Terminal({
    ...TERMINAL_LOOK,
    scrollback: SCROLLBACK_LINES,
    cursorBlink: true,
    disableStdin: join?.mode === 'view',
  })
  const fit = new FitAddon()
  terminal.loadAddon(fit)
  terminal.open(element)
  drawByGraphicsCard(terminal)
  // A guest has the size of the owner's window.
  const fill = () => (join === undefined ? fit.fit() : undefined)
  fill()
  bindKeys(terminal, element, { onSearch })
  bindLinks(terminal)

  let wasOpen = false
  let recorded = false
  let exitCode: number | null = null
  const channel = new ChannelClient(agentId ?? { path: WEBTERM_PATH }, {
    fetchTicket: async () => (await call(createSocketTicket, {}, { timeoutMs: 10_000 })).ticket,
    request: () => {
      const { cols, rows } = terminal
      return agentId === undefined
        ? { tool: 'webterm', cols, rows }
        : { tool: 'terminal', session: kept.read(), cols, rows, ...request, join }
    },
    onData: (bytes, consumed) => terminal.write(bytes, consumed),
    onText: (message) => {
      const asking = ConsentMessage.safeParse(message)
      if (asking.success) return onState({ state: 'asking', seconds: asking.data.seconds })
      const news = TerminalNews.safeParse(message)
      if (!news.success) return
      if (news.data.type === 'exit') {
        exitCode = news.data.exit_code
        return
      }
      if (news.data.type === 'people') return onPeople?.(news.data.people)
      if (news.data.type === 'size') return terminal.resize(news.data.cols, news.data.rows)
      const { shell, user, resumed, session, host } = news.data
      wasOpen = true
      kept.store(session)
      // The last output is sent again.
      terminal.reset()
      onState({ state: 'open', shell, user, resumed, recorded, host, joined: join?.mode })
    },
    onWelcome: (welcome) => {
      recorded = welcome.recorded
    },
    onLost: (why) => {
      if (why === 'blocked') {
        onState({ state: 'blocked' })
        return undefined
      }
      if (agentId === undefined) {
        onState({ state: 'ended', exitCode: null, message: LOST_WITH_SERVER })
        return false
      }
      onState(why?.code === 'agent_offline' ? { state: 'offline', message: why.message } : { state: 'lost' })
      return undefined
    },
    onEnd: (end) => {
      const isOld = end.code === 'not_found' && !wasOpen && kept.read() !== null
      if (end.code !== 'closed' && end.code !== 'code_needed') kept.remove()
      if (isOld) return true
      onState(
        end.code === 'ended'
          ? { state: 'ended', exitCode, message: end.message }
          : { state: 'refused', code: end.code, message: end.message },
      )
      return false
    },
  })
  const encoder = new TextEncoder()
  let held: { modifiers: Modifiers; onUsed: () => void } | undefined
  let sent = ''
  terminal.onData((text) => {
    sent = held === undefined ? text : modify(text, held.modifiers)
    channel.sendData(encoder.encode(sent))
    // A paste or a response of xterm is no key.
    if (held === undefined || (sent === text && text.length > 1)) return
    const { onUsed } = held
    held = undefined
    onUsed()
  })
  terminal.onBinary((text) => channel.sendData(Uint8Array.from(text, (char) => char.codePointAt(0) ?? 0)))
  if (join === undefined)
    terminal.onResize(({ cols, rows }) => channel.sendText({ type: 'resize', cols, rows }))
  const titles = followTitle(terminal, onTitle)
  const typing = onTyped === undefined ? undefined : followTyping(terminal, element, () => onTyped(sent))
  const watcher = new ResizeObserver(fill)
  watcher.observe(element)

  return {
    copy: () => (terminal.hasSelection() ? terminal.getSelection() : readAll(terminal)),
    selectAll: () => terminal.selectAll(),
    focus: () => terminal.focus(),
    type: (text) => typeText(terminal, text),
    press: (key) => {
      const { applicationCursorKeysMode } = terminal.modes
      terminal.input(applicationCursorKeysMode ? applicationKey(key) : key, true)
      onTyped?.(sent)
    },
    hold: (modifiers, onUsed) => {
      held = modifiers.ctrl || modifiers.alt ? { modifiers, onUsed } : undefined
    },
    paste: (text) => {
      const cleaned = cleanPaste(text)
      terminal.paste(cleaned)
      onTyped?.(sent)
    },
    copyAll: () => readAll(terminal),
    find: (words) => findHits(terminal, words),
    show: (hit) => showHit(terminal, hit),
    setLook({ terminal_font_size, terminal_theme }) {
      terminal.options.fontSize = terminal_font_size
      terminal.options.theme = TERMINAL_THEMES[terminal_theme]
      fill()
    },
    end: () => {
      kept.remove()
      channel.close()
      onState({
        state: 'ended',
        exitCode: null,
        message: join === undefined ? 'You ended the session.' : 'You left the session.',
      })
    },
    [Symbol.dispose]() {
      watcher.disconnect()
      titles[Symbol.dispose]()
      typing?.[Symbol.dispose]()
      channel[Symbol.dispose]()
      terminal.dispose()
    },
  }
}

/** Renders by WebGL on a graphics card; else with elements, which is faster than software WebGL. */
function drawByGraphicsCard(terminal: Terminal): void {
  const context = document.createElement('canvas').getContext('webgl2')
  const info = context?.getExtension('WEBGL_debug_renderer_info')
  const renderer: unknown = info ? context?.getParameter(info.UNMASKED_RENDERER_WEBGL) : undefined
  context?.getExtension('WEBGL_lose_context')?.loseContext()
  if (typeof renderer !== 'string' || /swiftshader|llvmpipe|software/i.test(renderer)) return
  const addon = new WebglAddon()
  addon.onContextLoss(() => addon.dispose())
  terminal.loadAddon(addon)
}

function readAll(terminal: Terminal): string {
  const { active } = terminal.buffer
  const lines = Array.from(
    { length: active.length },
    (_, y) => active.getLine(y)?.translateToString(true) ?? '',
  )
  return lines.join('\n').trimEnd()
}

/** Stores this window's session, so that it is found again after a reload. */
function keptSession(agentId: string, place: string) {
  const key = `muster terminal ${agentId} ${place}`
  return {
    read: () => sessionStorage.getItem(key),
    store: (session: string) => sessionStorage.setItem(key, session),
    remove: () => sessionStorage.removeItem(key),
  }
}

/** A program may change the title as fast as it writes. */
const NOTIFY_EVERY_MS = 200

/** Reports title changes, throttled to the newest. */
function followTitle(terminal: Terminal, onTitle: (title: string | undefined) => void): Disposable {
  let newest = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  const following = terminal.onTitleChange((title) => {
    newest = title
    timer ??= setTimeout(() => {
      timer = undefined
      onTitle(cleanTitle(newest))
    }, NOTIFY_EVERY_MS)
  })
  return {
    [Symbol.dispose]() {
      following.dispose()
      clearTimeout(timer)
    },
  }
}

const TYPING = ['keydown', 'keypress', 'input', 'paste', 'compositionend'] as const
/** Composed text arrives a moment after the event. */
const COMPOSED_MS = 60
/** Automatic responses of a terminal: cursor position, capabilities and the like. */
// oxlint-disable-next-line no-control-regex
const ANSWER = /^\u001b(\[[?>=]?[\d;]*(c|R|n|t|\$y|I|O|u)|[P\]_^])/

/**
 * Reports keys and pastes of the user, without a terminal's automatic responses: a response to one machine must not be
 * typed into others.
 */
function followTyping(terminal: Terminal, element: HTMLElement, onTyped: () => void): Disposable {
  let isTyping = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const begin = ({ type }: Event) => {
    isTyping = true
    clearTimeout(timer)
    timer = setTimeout(() => (isTyping = false), type === 'compositionend' ? COMPOSED_MS : 0)
  }
  for (const type of TYPING) element.addEventListener(type, begin, { capture: true })
  const following = terminal.onData((text) => {
    if (isTyping && !ANSWER.test(text)) onTyped()
  })
  return {
    [Symbol.dispose]() {
      for (const type of TYPING) element.removeEventListener(type, begin, { capture: true })
      clearTimeout(timer)
      following.dispose()
    },
  }
}

const [PASTE_BEGINS, PASTE_ENDS] = ['\u001b[200~', '\u001b[201~']

/** Sends keys typed elsewhere. Pastes stay pastes, in brackets only where this shell asks for them. */
function typeText(terminal: Terminal, text: string): void {
  if (text.startsWith(PASTE_BEGINS) && text.endsWith(PASTE_ENDS))
    terminal.paste(text.slice(PASTE_BEGINS.length, -PASTE_ENDS.length))
  else terminal.input(text, true)
}
