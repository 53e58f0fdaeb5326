import { readdirSync, readFileSync, statSync } from 'node:fs'
import { type Display, findScreens } from '../desktop/displays.ts'
import { UserNames } from '../os/linux/user-names.ts'
import type { MachineUser, Os } from '../os/os.ts'

/** Numbers below belong to services. */
const FIRST_PERSON = 1000

/** Who sits at an X11 display. */
export interface PersonAt {
  display: Display
  /** As whom windows are shown; undefined = as the agent's own user. */
  user: MachineUser | undefined
}

/** The person at the machine, or why nobody can be shown anything, as a part of a sentence. */
export async function findPersonAt(os: Pick<Os, 'findUser'>): Promise<PersonAt | { nobody: string }> {
  if (process.platform !== 'linux') return { nobody: 'people can be asked on Linux only so far' }
  const { displays, hasWayland } = await findScreens()
  const [display] = displays
  if (display === undefined) return { nobody: hasWayland ? 'its desktop is Wayland' : 'no X11 desktop runs' }
  const uid = findOwner(display)
  if (uid === undefined || process.getuid?.() !== 0 || uid === 0) return { display, user: undefined }
  return { display, user: await os.findUser(await new UserNames().nameOf(uid)) }
}

/**
 * The person whom the key to the display belongs to, else whose programs are on it: any user can start one that says so,
 * and whoever is asked can allow.
 */
function findOwner({ name, authority }: Display): number | undefined {
  const ofKey = authority === undefined ? undefined : ownerOf(authority)
  if (ofKey !== undefined && ofKey >= FIRST_PERSON) return ofKey
  const owners = readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && displayOf(pid) === name)
    .flatMap((pid) => ownerOf(`/proc/${pid}`) ?? [])
  return owners.find((uid) => uid >= FIRST_PERSON) ?? ofKey ?? owners[0]
}

function displayOf(pid: string): string | undefined {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
    return /(?:^|\0)DISPLAY=(?:unix)?(:\d+)(?:\.\d+)?(?:\0|$)/.exec(environment)?.[1]
  } catch {
    // It has ended, or is somebody else's.
    return undefined
  }
}

function ownerOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.uid
}
