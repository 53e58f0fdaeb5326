import { statSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import type { RunAsUser } from '@muster/contract/agent/shells'
import type { MachineUser, Os } from '../os/os.ts'
import { RunError } from '../errors.ts'
import { MountStats } from '../remote/files/mount-stats.ts'
import { readNetworkMounts } from '../remote/files/network-mounts.ts'
import { findProgram, searchPath } from './find-program.ts'
import type { ProcessPlan } from './run-process.ts'

/** Variables that a run inherits. The rest of the agent's environment is private. */
const INHERITED = /^(LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|XDG_RUNTIME_DIR|(https?|no|all|ftp)_proxy)$/i
const NAME_VALUE = /^([A-Za-z_][A-Za-z0-9_.()-]*)=([^\0]*)$/s

/** Python prints into a pipe in the code page of the system. Files keep the encoding that its scripts expect. */
const PYTHON_TEXT = { PYTHONIOENCODING: 'utf-8' }

/** The environment of a run: a clean one, with the given `NAME=value` list on top. */
export function makeEnvironment(list: string[], user: MachineUser | undefined): Record<string, string> {
  const base = process.platform === 'win32' ? windowsBase() : posixBase(user)
  return { ...PYTHON_TEXT, ...base, ...parseList(list) }
}

/** The working folder of a run: the home folder if it exists, otherwise the root. */
export function workingFolder(user: { home: string } | undefined): string {
  const home = user?.home ?? homedir()
  try {
    if (statSync(home).isDirectory()) return home
  } catch (cause) {
    // Service users often have a home that does not exist.
    if (!(cause instanceof Error && 'code' in cause)) throw cause
  }
  return process.platform === 'win32' ? (process.env.SystemRoot ?? 'C:\\') : '/'
}

/**
 * As above, for a home that may be on a network mount. To start a program in a folder that does not respond would hold up
 * the agent for as long.
 */
export async function findWorkingFolder(user: { home: string } | undefined): Promise<string> {
  const home = Buffer.from(user?.home ?? homedir())
  const mounts = new MountStats(readNetworkMounts())
  const mount = await mounts.findMount(home)
  if (mount === undefined) return workingFolder(user)
  const stats = await mounts.stat(home, { mount, followsLinks: true }).catch(() => undefined)
  return stats === undefined ? '/' : workingFolder(user)
}

function parseList(list: string[]): Record<string, string> {
  return Object.fromEntries(
    list.map((entry) => {
      const [, name, value] = NAME_VALUE.exec(entry) ?? []
      if (name === undefined || value === undefined) {
        throw new RunError(`"${entry.slice(0, 60)}" is not a valid environment variable. Use NAME=value.`)
      }
      return [name, value]
    }),
  )
}

function posixBase(user: MachineUser | undefined): Record<string, string> {
  const { name, home, shell } = user ?? ownUser()
  const inherited = Object.entries(process.env).filter(
    ([key]) => INHERITED.test(key) && !(user !== undefined && key === 'XDG_RUNTIME_DIR'),
  )
  return {
    LANG: 'C.UTF-8',
    ...Object.fromEntries(inherited.map(([key, value]) => [key, value ?? ''])),
    PATH: searchPath(),
    HOME: home,
    USER: name,
    LOGNAME: name,
    SHELL: shell,
  }
}

/** Windows programs need most of their environment to start. Only the agent's own settings are removed. */
function windowsBase(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([key]) => !/^(NODE_|MUSTER_)/i.test(key))
  return Object.fromEntries(kept.map(([key, value]) => [key, value ?? '']))
}

function ownUser(): { name: string; home: string; shell: string } {
  try {
    const { username, shell } = userInfo()
    return { name: username, home: homedir(), shell: shell ?? '/bin/sh' }
  } catch {
    // In some containers the agent's own user id has no name.
    return { name: String(process.getuid?.() ?? 'agent'), home: homedir(), shell: '/bin/sh' }
  }
}

/** User, environment and folder of a run. Throws RunError if they are not available here. */
export async function planSurroundings(
  input: { env_vars: string[]; run_as_user: RunAsUser | null },
  os: Os,
): Promise<Pick<ProcessPlan, 'env' | 'cwd' | 'user' | 'session'>> {
  const { env_vars, run_as_user } = input
  if (run_as_user !== null && typeof run_as_user === 'object') return planSignedIn(env_vars, os)
  const user = await findOtherUser(run_as_user, os)
  return { env: makeEnvironment(env_vars, user), cwd: await findWorkingFolder(user), user }
}

async function planSignedIn(list: string[], os: Os) {
  const { user, session, env } = await os.findSignedIn()
  // The variables of a session of Windows are complete: those of the agent are another account's.
  const base = session === undefined ? makeEnvironment([], user) : PYTHON_TEXT
  const cwd = await findWorkingFolder(session ?? user)
  return { env: { ...base, ...env, ...parseList(list) }, cwd, user, session }
}

/** The user to switch to; undefined if the agent already runs as that user, or none is named. */
async function findOtherUser(name: string | null, os: Os): Promise<MachineUser | undefined> {
  if (name === null || name === ownName()) return undefined
  const why = os.whyNoOtherUser(name)
  if (why !== undefined) throw new RunError(why)
  const user = await os.findUser(name)
  if (user === undefined) throw new RunError(`User "${name}" does not exist on this machine.`)
  return user
}

function ownName(): string | undefined {
  try {
    return userInfo().username
  } catch {
    // In some containers the agent's own user id has no name.
    return undefined
  }
}

/** The command line that starts a program as another user, with that user's groups. Linux, as root. */
export function asUser(
  plan: Pick<ProcessPlan, 'program' | 'args'>,
  user: MachineUser,
): { program: string; args: string[] } {
  const setpriv = findProgram('setpriv')
  if (setpriv !== undefined) {
    const identity = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--init-groups']
    return { program: setpriv, args: [...identity, '--', plan.program, ...plan.args] }
  }
  const runuser = findProgram('runuser')
  if (runuser !== undefined) {
    return { program: runuser, args: ['-u', user.name, '--', plan.program, ...plan.args] }
  }
  throw new Error('running as another user needs setpriv or runuser, and neither is installed')
}
