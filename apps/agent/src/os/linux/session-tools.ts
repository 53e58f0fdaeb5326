import { spawn } from 'node:child_process'
import { AgentError } from '../../errors.ts'
import { findProgram } from '../../run/find-program.ts'
import { asUser, makeEnvironment } from '../../run/environment.ts'
import type { SessionTools } from '../os.ts'
import { runSystemTool, runTool } from '../run-tool.ts'
import { findLoggedInUser, findSession } from './sessions.ts'
import { findLinuxSignedIn } from './signed-in.ts'

const WALL_MS = 5000

/** `root`: the folder of the system's files. */
export function makeLinuxSessionTools(root = '/'): SessionTools {
  return {
    hasUsers: async () => findLoggedInUser(root) !== null,
    signOut: () => runSystemTool('loginctl', ['terminate-session', requireSession(root)]),
    lock: () => runSystemTool('loginctl', ['lock-session', requireSession(root)]),
    async announce(title, text) {
      const signal = AbortSignal.timeout(WALL_MS)
      if (findProgram('wall') !== undefined)
        await runTool('wall', [`${title}: ${text}`], { signal, timeoutMs: WALL_MS })
      await notifyDesktop(root, title, text)
    },
  }
}

function requireSession(root: string): string {
  const id = findSession(root)?.id
  if (id !== undefined) return id
  const user = findLoggedInUser(root)
  throw new AgentError(
    user === null
      ? 'No user is signed in at this machine.'
      : `systemd-logind does not know the session of ${user}.`,
  )
}

/** Desktops read the text of a notification as markup: Desktop Notifications Specification 1.2, "Markup". */
export function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** A notification of the desktop, which also Wayland shows. Does nothing without a desktop or without notify-send. */
async function notifyDesktop(root: string, title: string, text: string): Promise<void> {
  const program = findProgram('notify-send')
  if (program === undefined || findLoggedInUser(root) === null) return
  const { user, env } = await findLinuxSignedIn(root)
  if (env.DBUS_SESSION_BUS_ADDRESS === undefined) return
  const plan = { program, args: ['--urgency=critical', '--app-name=Muster', '--', title, escapeMarkup(text)] }
  const call = user === undefined ? plan : asUser(plan, user)
  const child = spawn(call.program, call.args, {
    env: { ...makeEnvironment([], user), ...env },
    stdio: 'ignore',
    timeout: WALL_MS,
  })
  // A desktop without notifications is like one without notify-send.
  child.on('error', () => undefined)
}
