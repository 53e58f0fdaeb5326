import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { userInfo } from 'node:os'
import { RunError } from '../../errors.ts'
import type { SignedInUser } from '../os.ts'
import { findLoggedInUser } from './sessions.ts'
import { findLinuxUser } from './users.ts'

/** Variables that connect a program with the desktop of its user. */
const OF_DESKTOP = [
  'DISPLAY',
  'XAUTHORITY',
  'WAYLAND_DISPLAY',
  'XDG_CURRENT_DESKTOP',
  'XDG_SESSION_TYPE',
  'DBUS_SESSION_BUS_ADDRESS',
]

/** The user who is signed in, with the variables of the session. `root`: the folder of the system's files. */
export async function findLinuxSignedIn(root = '/'): Promise<SignedInUser> {
  const name = findLoggedInUser(root)
  if (name === null) throw new RunError('No user is signed in at this machine.')
  const user = await findLinuxUser(name)
  if (user === undefined) throw new RunError(`User "${name}" does not exist on this machine.`)
  const isOwn = process.getuid?.() === user.uid
  if (!isOwn && process.getuid?.() !== 0)
    throw new RunError(
      `The agent on this machine runs as ${userInfo().username} and not as root, so it cannot run commands as ${name}.`,
    )
  return { ...(isOwn ? {} : { user }), env: readSessionVariables(user.uid, root) }
}

/** Variables of systemd-logind's sessions, then those of the user's desktop programs. */
export function readSessionVariables(uid: number, root = '/'): Record<string, string> {
  const folder = `/run/user/${uid}`
  if (!existsSync(join(root, folder))) return readDesktop(uid, root)
  const bus = existsSync(join(root, folder, 'bus'))
    ? { DBUS_SESSION_BUS_ADDRESS: `unix:path=${folder}/bus` }
    : {}
  return { XDG_RUNTIME_DIR: folder, ...bus, ...readDesktop(uid, root) }
}

/** From the environment of the first program of the user that has a display. */
function readDesktop(uid: number, root: string): Record<string, string> {
  for (const pid of readdirSync(join(root, 'proc'))) {
    if (!/^\d+$/.test(pid)) continue
    const found = readVariables(join(root, 'proc', pid), uid)
    if (found.has('DISPLAY') || found.has('WAYLAND_DISPLAY'))
      return Object.fromEntries(
        OF_DESKTOP.flatMap((name) => {
          const value = found.get(name)
          return value === undefined ? [] : [[name, value]]
        }),
      )
  }
  return {}
}

/** Empty for programs of other users, and for those that have exited. */
function readVariables(folder: string, uid: number): Map<string, string> {
  try {
    if (statSync(folder).uid !== uid) return new Map()
    const pairs = readFileSync(join(folder, 'environ'), 'utf8').split('\0')
    return new Map(
      pairs.flatMap((pair) => {
        const at = pair.indexOf('=')
        return at < 1 ? [] : [[pair.slice(0, at), pair.slice(at + 1)] as const]
      }),
    )
  } catch {
    return new Map()
  }
}
