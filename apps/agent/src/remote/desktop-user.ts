import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Display, findScreens, SOCKETS } from './desktop/displays.ts'
import { UserNames } from '../os/linux/users.ts'
import type { MachineUser, Os } from '../os/os.ts'

/** Lower user ids belong to services. */
const FIRST_PERSON = 1000
const LOGIND_SESSIONS = '/run/systemd/sessions'

/** The user of an X11 display. */
export interface DesktopUser {
  display: Display
  /** The user whose account shows windows; undefined = the agent's own user. */
  user: MachineUser | undefined
}

/** The user at the machine, or why none can be asked, as part of a sentence. */
export async function findDesktopUser(
  os: Pick<Os, 'findUser'>,
  { sessions = LOGIND_SESSIONS }: { sessions?: string } = {},
): Promise<DesktopUser | { nobody: string }> {
  if (process.platform !== 'linux') return { nobody: 'this is supported on Linux only' }
  const { displays, hasWayland } = await findScreens()
  const [display] = displays
  if (display === undefined)
    return { nobody: hasWayland ? 'the desktop uses Wayland' : 'no X11 desktop is running' }
  if (process.getuid?.() !== 0) return { display, user: undefined }
  const uid = findOwner(display, sessions)
  if (uid !== undefined) return { display, user: await os.findUser(await new UserNames().nameOf(uid)) }
  if (hasPeople(display.name)) return { nobody: 'the owner of the desktop is not certain' }
  return { display, user: undefined }
}

/**
 * The user who owns the display's server or its key, otherwise the one of its systemd session. The owners of
 * programs on it do not count: any user can start a program that claims the display, and the user who is asked can
 * grant access.
 */
function findOwner({ name, authority, isServersKey }: Display, sessions: string): number | undefined {
  const files = [isServersKey === true ? authority : undefined, join(SOCKETS, `X${name.slice(1)}`)]
  return (
    files.map((file) => (file === undefined ? undefined : ownerOf(file))).find(isRegularUser) ??
    listFiles(sessions)
      .map((file) => readSession(join(sessions, file)))
      .find(({ isAtSeat, display }) => isAtSeat && display === name)?.uid
  )
}

const isRegularUser = (uid: number | undefined): uid is number => uid !== undefined && uid >= FIRST_PERSON

/** A session file of systemd-logind: sd-login(3), src/login/logind-session.c. */
function readSession(file: string): {
  isAtSeat: boolean
  display: string | undefined
  uid: number | undefined
} {
  const fields = new Map(
    Array.from(readText(file).matchAll(/^(\w+)=(.*)$/gm), ([, name, value]) => [name, value]),
  )
  const uid = Number(fields.get('UID'))
  return {
    isAtSeat: fields.get('CLASS') === 'user' && fields.has('SEAT') && isRegularUser(uid),
    display: fields.get('DISPLAY'),
    uid,
  }
}

function hasPeople(name: string): boolean {
  return readdirSync('/proc').some(
    (pid) => /^\d+$/.test(pid) && isRegularUser(ownerOf(`/proc/${pid}`)) && displayOf(pid) === name,
  )
}

function displayOf(pid: string): string | undefined {
  return /(?:^|\0)DISPLAY=(?:unix)?(:\d+)(?:\.\d+)?(?:\0|$)/.exec(readText(`/proc/${pid}/environ`))?.[1]
}

function listFiles(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => !name.endsWith('.ref')) : []
}

/** Empty if the process has exited or belongs to another user. */
function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function ownerOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.uid
}
