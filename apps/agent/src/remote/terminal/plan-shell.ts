import type { ShellWish } from '@muster/contract/agent/shells'
import { MachineRefused } from '../../os/machine-refused.ts'
import type { MachineUser, Os } from '../../os/os.ts'
import { asUser } from '../../run/as-user.ts'
import { makeEnvironment, workingFolder } from '../../run/environment.ts'
import { findProgram } from '../../run/find-program.ts'
import { findOwnUser } from './own-user.ts'
import { chooseShell, loginArguments } from './shells.ts'
import { findSignedInUser, whyNotAsUser } from './signed-in-user.ts'

/** How a shell is started. */
export interface ShellPlan {
  program: string
  args: string[]
  env: Record<string, string>
  cwd: string
  /** What runs in the end, and as whom. */
  shell: string
  userName: string
  /** Whose the terminal is; undefined = the agent's own user's. */
  owner: MachineUser | undefined
}

/** Plans the shell that is wished for; refuses with a sentence what this machine does not have. */
export async function planShell(wish: ShellWish, os: Os): Promise<ShellPlan> {
  const own = findOwnUser()
  const owner = wish.as_user === true ? await requireSignedInUser(os) : undefined
  const shell = wish.shell === undefined ? chooseShell((owner ?? own).shell) : requireShell(wish.shell)
  const plan = { program: shell, args: loginArguments(shell) }
  return {
    ...(owner === undefined ? plan : asUser(plan, owner)),
    env: { ...makeEnvironment([], owner), ...(process.platform === 'win32' ? {} : { SHELL: shell }) },
    cwd: workingFolder(owner),
    shell,
    userName: owner?.name ?? own.name,
    owner,
  }
}

function requireShell(wanted: string): string {
  const found = findProgram(wanted.trim())
  if (found === undefined) throw new MachineRefused(`There is no program "${wanted.trim()}" on this machine.`)
  return found
}

/** Undefined = the agent itself is that user. */
async function requireSignedInUser(os: Os): Promise<MachineUser | undefined> {
  const name = await findSignedInUser(os)
  const why = whyNotAsUser(os, name)
  if (name === null || why !== undefined) throw new MachineRefused(why ?? 'Nobody is signed in.')
  if (name === findOwnUser().name) return undefined
  const user = await os.findUser(name)
  if (user === undefined) throw new MachineRefused(`There is no user "${name}" on this machine.`)
  return user
}
