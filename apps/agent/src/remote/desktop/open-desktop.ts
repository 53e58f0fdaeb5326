import type { Socket } from 'node:net'
import type { CommandInput } from '@muster/contract/agent/commands'
import type { DesktopNews } from '@muster/contract/desktop'
import { MachineRefused } from '../../os/machine-refused.ts'
import { type Display, findScreens, type Screens } from './displays.ts'
import { openVnc } from './open-vnc.ts'
import { startVncServer } from './vnc-server.ts'
import { findVncProgram, type VncProgram } from './vnc-programs.ts'

type DesktopOrder = Extract<CommandInput<'open-channel'>['tool'], { tool: 'desktop' | 'vnc' }>

export interface OpenedDesktop {
  opened: DesktopNews
  socket: Socket
}

/** Shows a display of this machine, or the screen of a VNC server. Throws MachineRefused. */
export async function openDesktop(
  order: DesktopOrder,
  { folder, signal }: { folder: string; signal: AbortSignal },
): Promise<OpenedDesktop> {
  if (order.tool === 'vnc') return openVnc(order, { signal })
  const { session, display: wanted } = order
  if (process.platform !== 'linux') throw new MachineRefused(ELSEWHERE)
  const screens = await findScreens()
  const display = chooseDisplay(screens, wanted)
  const program = requireProgram(findVncProgram())
  const { socket, password } = await startVncServer(program, {
    display,
    marker: session,
    folder,
    signal,
  })
  const displays = screens.displays.map(({ name }) => name).slice(0, 50)
  return {
    socket,
    opened: { type: 'opened', session, display: display.name, displays, server: program.name, password },
  }
}

/** No VNC server is installed. */
export class NoVncServer extends MachineRefused {}

export function requireProgram(found: VncProgram | undefined): VncProgram {
  if (found === undefined) throw new NoVncServer(NO_SERVER)
  return found
}

export function chooseDisplay({ displays, hasWayland }: Screens, wanted: string | null): Display {
  const [first] = displays
  if (first === undefined) throw new MachineRefused(hasWayland ? WAYLAND : NO_DISPLAY)
  if (wanted === null) return first
  const chosen = displays.find(({ name }) => name === wanted)
  if (chosen === undefined) throw new MachineRefused(`Display ${wanted} no longer exists on this machine.`)
  return chosen
}

const NO_DISPLAY =
  'No X11 display is running on this machine, so there is no desktop to show. For a terminal, use Remote Background.'
const WAYLAND =
  'This machine uses Wayland, which does not allow screen sharing by other programs. Sign in to an X11 session, or turn on its own remote desktop and open that with VNC.'
const NO_SERVER =
  'No VNC server is installed on this machine, so its desktop cannot be shown: it needs x11vnc or tigervnc-scraping-server.'
const ELSEWHERE =
  'On Windows and macOS the desktop needs a VNC server: for example TightVNC on Windows, or Screen Sharing with a VNC password on macOS. Open it with VNC.'
