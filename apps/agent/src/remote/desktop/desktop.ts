import type { ChannelEnd } from '@muster/contract/agent/channel'
import { DesktopInput, type DesktopNews } from '@muster/contract/desktop'
import type { Socket } from 'node:net'
import type { CommandInput } from '@muster/contract/agent/commands'
import type { Channel } from '../channels/channel.ts'
import { AgentError } from '../../errors.ts'
import type { Log } from '../../log/log.ts'
import { type Display, findScreens, type Screens } from './displays.ts'
import { openVnc } from './open-vnc.ts'
import { startVncServer } from './vnc-server.ts'
import { findVncProgram, type VncProgram } from './vnc-programs.ts'

type DesktopSession = Extract<CommandInput<'open-channel'>['tool'], { tool: 'desktop' | 'vnc' }>

export interface OpenedDesktop {
  opened: DesktopNews
  socket: Socket
}

/** Shows a display of this machine, or the screen of a VNC server. Throws AgentError. */
export async function openDesktop(
  order: DesktopSession,
  {
    folder,
    program,
    signal,
    log,
  }: { folder: string; program: readonly string[]; signal: AbortSignal; log: Log },
): Promise<OpenedDesktop> {
  if (order.tool === 'vnc') return openVnc(order, { signal })
  if (process.platform === 'win32') {
    const { openWindowsDesktop } = await import('./windows-desktop.ts')
    return openWindowsDesktop(order, { program, signal, log })
  }
  const { session, display: wanted } = order
  if (process.platform !== 'linux') throw new AgentError(MACOS)
  const screens = await findScreens()
  const display = chooseDisplay(screens, wanted)
  const vncProgram = requireProgram(findVncProgram())
  const { socket, password } = await startVncServer(vncProgram, {
    display,
    marker: session,
    folder,
    signal,
  })
  const displays = screens.displays.map(({ name }) => name).slice(0, 50)
  return {
    socket,
    opened: { type: 'opened', session, display: display.name, displays, server: vncProgram.name, password },
  }
}

/** No VNC server is installed. */
export class NoVncServer extends AgentError {}

export function requireProgram(found: VncProgram | undefined): VncProgram {
  if (found === undefined) throw new NoVncServer(NO_SERVER)
  return found
}

export function chooseDisplay({ displays, hasWayland }: Screens, wanted: string | null): Display {
  const [first] = displays
  if (first === undefined) throw new AgentError(hasWayland ? WAYLAND : NO_DISPLAY)
  if (wanted === null) return first
  const chosen = displays.find(({ name }) => name === wanted)
  if (chosen === undefined) throw new AgentError(`Display ${wanted} no longer exists on this machine.`)
  return chosen
}

const NO_DISPLAY =
  'No X11 display is running on this machine, so there is no desktop to show. For a terminal, use Remote Background.'
const WAYLAND =
  'This machine uses Wayland, which does not allow screen sharing by other programs. Sign in to an X11 session, or turn on its own remote desktop and open that with VNC.'
const NO_SERVER =
  'No VNC server is installed on this machine, so its desktop cannot be shown: it needs x11vnc or tigervnc-scraping-server.'
const MACOS = 'On macOS the desktop needs Screen Sharing with a VNC password. Open it with VNC.'

/** Passes bytes between a VNC server and the browser, no faster than either side accepts them. */
export class Desktop {
  #channel: Channel
  #onEnded: (reason: string) => Promise<void>
  /** Bytes from the browser before the server was connected. */
  #early: Buffer[] = []
  #socket: Socket | undefined
  #ended: Promise<void> | undefined
  #gone = new AbortController()

  /** `onEnded` ends the session's processes. It is awaited before the browser is notified. */
  constructor(channel: Channel, onEnded: (reason: string) => Promise<void>) {
    this.#channel = channel
    this.#onEnded = onEnded
    channel.use({
      onData: (bytes) => this.#take(bytes),
      onText: (message) => this.#obey(message),
      onDrain: () => this.#socket?.resume(),
      onEnd: ({ message }) => void this.end({ code: 'closed', message }),
    })
  }

  /** Aborted when the session ends. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  show(socket: Socket, opened: DesktopNews): void {
    if (this.#ended !== undefined) return void socket.destroy()
    this.#socket = socket
    socket.on('data', (bytes: Buffer) => {
      this.#channel.sendData(bytes)
      if (this.#channel.isFull) socket.pause()
    })
    socket.once(
      'error',
      ({ message }) => void this.end(ended(`The connection to the VNC server failed: ${message}`)),
    )
    socket.once('close', () => void this.end(ended('The VNC server closed the connection.')))
    this.#channel.sendText(opened)
    for (const bytes of this.#early.splice(0)) this.#take(bytes)
    // Its first bytes may have been read and put back.
    socket.resume()
  }

  end(end: ChannelEnd): Promise<void> {
    this.#ended ??= this.#end(end)
    return this.#ended
  }

  async #end(end: ChannelEnd): Promise<void> {
    this.#gone.abort(new Error(end.message))
    this.#socket?.destroy()
    await this.#onEnded(end.message)
    this.#channel.end(end)
  }

  #take(bytes: Buffer): void {
    if (this.#socket === undefined) this.#early.push(bytes)
    else this.#socket.write(bytes, () => this.#channel.consumed(bytes.length))
  }

  #obey(message: unknown): void {
    const input = DesktopInput.safeParse(message)
    if (!input.success || this.#ended !== undefined) return
    this.#channel.sendNewest({ type: 'pong', number: input.data.number } satisfies DesktopNews)
  }
}

const ended = (message: string): ChannelEnd => ({ code: 'ended', message: message.slice(0, 500) })
