import type { ShellRequest } from '@muster/contract/agent/shells'
import { AgentError } from '../../errors.ts'
import type { MachineUser, Os } from '../../os/os.ts'
import { asUser, makeEnvironment, findWorkingFolder } from '../../run/environment.ts'
import { findProgram } from '../../run/find-program.ts'
import { chooseShell, findOwnUser, findSignedInUser, loginArguments, whyNotAsUser } from './shells.ts'

export interface ShellPlan {
  program: string
  args: string[]
  env: Record<string, string>
  cwd: string
  /** The program and its user. */
  shell: string
  userName: string
  /** The owner of the terminal; undefined = the agent's own user. */
  owner: MachineUser | undefined
}

/** Resolves the requested shell and user. Throws AgentError if either does not exist. */
export async function planShell(request: ShellRequest, os: Os): Promise<ShellPlan> {
  const own = findOwnUser()
  const owner = request.as_user === true ? await requireSignedInUser(os) : undefined
  const shell = request.shell === undefined ? chooseShell((owner ?? own).shell) : requireShell(request.shell)
  const plan = { program: shell, args: loginArguments(shell) }
  return {
    ...(owner === undefined ? plan : asUser(plan, owner)),
    env: { ...makeEnvironment([], owner), ...(process.platform === 'win32' ? {} : { SHELL: shell }) },
    cwd: await findWorkingFolder(owner),
    shell,
    userName: owner?.name ?? own.name,
    owner,
  }
}

function requireShell(wanted: string): string {
  const found = findProgram(wanted.trim())
  if (found === undefined) throw new AgentError(`Program "${wanted.trim()}" was not found on this machine.`)
  return found
}

/** Undefined = the agent runs as that user. */
async function requireSignedInUser(os: Os): Promise<MachineUser | undefined> {
  const name = await findSignedInUser(os)
  const why = whyNotAsUser(os, name)
  if (name === null || why !== undefined) throw new AgentError(why ?? 'No user is signed in.')
  if (name === findOwnUser().name) return undefined
  const user = await os.findUser(name)
  if (user === undefined) throw new AgentError(`User "${name}" does not exist on this machine.`)
  return user
}
