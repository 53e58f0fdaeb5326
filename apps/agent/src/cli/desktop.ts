import { createConnection, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { AgentError, CliError } from '../errors.ts'
import { createProcessLog, describeError, type Log } from '../log/log.ts'
import { DesktopClipboard } from '../os/windows/desktop/desktop-clipboard.ts'
import { DesktopInput } from '../os/windows/desktop/desktop-input.ts'
import { loadJpeg } from '../os/windows/desktop/gdiplus-jpeg.ts'
import { GdiScreen, listMonitors } from '../os/windows/desktop/gdi-screen.ts'
import { InputDesktop } from '../os/windows/desktop/input-desktop.ts'
import { loadUser32 } from '../os/windows/desktop/user32.ts'
import {
  ALL_MONITORS,
  type DesktopAttention,
  type DesktopGreeting,
  DesktopRequest,
} from '../remote/desktop/windows-desktop.ts'
import { RfbServer } from '../remote/rfb/rfb-server.ts'

/** Runs in the session of the signed-in user. Shows its desktop to the agent until the agent disconnects. */
export async function showDesktop(): Promise<void> {
  const { MUSTER_DESKTOP: given = '' } = process.env
  delete process.env.MUSTER_DESKTOP
  const request = DesktopRequest.safeParse(parse(given))
  if (!request.success) throw new CliError('"desktop" is started by the agent')
  const { pipe, secret, monitor } = request.data
  const log = createProcessLog()
  const stream = createConnection(pipe)
  stream.on('error', (cause) => log.info({ cause }, 'lost the agent'))
  const over = new Promise<void>((resolve) => stream.once('close', () => resolve()))
  try {
    const { greeting, show } = await openScreen(monitor, () => requestAttention(pipe, secret, log))
    stream.write(`${JSON.stringify({ ...greeting, secret } satisfies DesktopGreeting)}\n`)
    using _server = show(stream, (cause) => log.warn({ cause }, 'failed to read the screen'))
    await over
  } catch (cause) {
    const error =
      cause instanceof AgentError ? cause.message : `The desktop cannot be shown: ${describeError(cause)}`
    stream.end(`${JSON.stringify({ secret, monitor: '', monitors: [], error } satisfies DesktopGreeting)}\n`)
    await over
  }
}

async function openScreen(wanted: string | null, sendAttention: () => void) {
  const user32 = await loadUser32()
  const desktop = new InputDesktop(user32)
  const names = listMonitors(user32).map(({ name }) => name)
  const monitors = names.length > 1 ? [ALL_MONITORS, ...names] : names
  const monitor = wanted ?? monitors[0] ?? ALL_MONITORS
  if (wanted !== null && !monitors.includes(wanted))
    throw new AgentError(`Monitor ${wanted} is no longer connected to this machine.`)
  desktop.follow()
  const screen = await GdiScreen.open({
    user32,
    desktop,
    monitor: monitor === ALL_MONITORS || names.length === 1 ? undefined : monitor,
  })
  // Throws before the agent is greeted.
  screen.readSize()
  const input = new DesktopInput(user32, { area: () => screen.area, sendAttention })
  const clipboard = await DesktopClipboard.open(user32)
  const encodeJpeg = await loadJpeg()
  return {
    greeting: { monitor, monitors },
    show: (stream: Socket, onTrouble: (cause: unknown) => void) =>
      new RfbServer(stream, {
        screen,
        input,
        clipboard,
        encodeJpeg,
        name: hostname(),
        onTrouble,
      }),
  }
}

/** Asks the agent for Ctrl+Alt+Del. */
function requestAttention(pipe: string, secret: string, log: Log): void {
  createConnection(pipe)
    .on('error', (cause) => log.warn({ cause }, 'failed to request Ctrl+Alt+Del'))
    .end(`${JSON.stringify({ secret, attention: true } satisfies DesktopAttention)}\n`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
