import type { AgentDetail } from '@muster/contract/api/agents'
import type { sendCommand } from '@muster/contract/api/runs'
import type { Script } from '@muster/contract/api/scripts'
import type { Input } from '@muster/contract/endpoint'
import { scriptFitsPlatform } from '@muster/rules/agents/available-actions'

/** `agent`: the agent's own user. `other` needs a name, and is not possible on Windows. */
export type RunAs = 'agent' | 'signedIn' | 'other'

/** Options of commands and scripts. */
export interface RunOptionsForm {
  timeout: number | string
  runAs: RunAs
  /** The name of another user. */
  userName: string
  /** Seconds to wait for an offline machine. */
  expiresIn: string
}

export interface CommandForm extends RunOptionsForm {
  shell: string
  customShell: string
  cmd: string
}

export type CommandBody = Input<typeof sendCommand>['body']
const DEFAULT_TIMEOUT_SECONDS = 30
export const DEFAULT_WAIT = '3600'

const SHELLS = {
  windows: [
    { value: 'cmd', label: 'CMD' },
    { value: 'powershell', label: 'PowerShell' },
    { value: 'custom', label: 'Custom' },
  ],
  unix: [
    { value: 'bash', label: 'Bash' },
    { value: 'sh', label: 'sh' },
    { value: 'custom', label: 'Custom' },
  ],
}

const ALL_SHELLS = [...SHELLS.unix.filter(({ value }) => value !== 'custom'), ...SHELLS.windows]

/** Without a system: shells of all systems. */
export const shellsOf = (plat: AgentDetail['plat'] | null) =>
  plat === null ? ALL_SHELLS : SHELLS[plat === 'windows' ? 'windows' : 'unix']

/** Users that a run can be started as. `italic`: the named user has signed out. */
export function usersOf({
  plat,
  logged_username,
  italic,
}: Pick<AgentDetail, 'plat' | 'logged_username' | 'italic'>) {
  const name = logged_username === '' || italic ? '' : ` (${logged_username})`
  return [
    { value: 'agent' as const, label: plat === 'windows' ? 'System' : "Agent's user" },
    { value: 'signedIn' as const, label: `Signed-in user${name}` },
    ...(plat === 'windows' ? [] : [{ value: 'other' as const, label: 'Another user' }]),
  ]
}

type ShellMachine = Pick<AgentDetail, 'plat' | 'default_shell' | 'default_shell_custom'>

/** The machine's own shell, if it is one of its system, otherwise the first of them. */
function firstShell({ plat, default_shell }: ShellMachine): string {
  const shells = shellsOf(plat)
  return (shells.find(({ value }) => value === default_shell) ?? shells[0])?.value ?? 'custom'
}

/** The form with a shell of the machine's system, which may be known only after the dialog has opened. */
export function fitShell(form: CommandForm, agent: ShellMachine): CommandForm {
  const fits = shellsOf(agent.plat).some(({ value }) => value === form.shell)
  return fits ? form : { ...form, shell: firstShell(agent) }
}

/** An initial form: the machine's own shell, if set. */
export function newCommandForm(agent: ShellMachine): CommandForm {
  const { default_shell_custom } = agent
  return {
    shell: firstShell(agent),
    customShell: default_shell_custom,
    cmd: '',
    timeout: DEFAULT_TIMEOUT_SECONDS,
    runAs: 'agent',
    userName: '',
    expiresIn: DEFAULT_WAIT,
  }
}

export interface RunOptionsErrors {
  timeout?: string
  userName?: string
}

/** Errors of the options, by field. */
export function checkRunOptions({ timeout, runAs, userName }: RunOptionsForm): RunOptionsErrors {
  const seconds = Number(timeout)
  const isGood = timeout !== '' && Number.isInteger(seconds) && seconds >= 1 && seconds <= 86_400
  return {
    ...(isGood ? {} : { timeout: 'Enter 1 to 86400 seconds.' }),
    ...(runAs === 'other' && userName.trim() === '' ? { userName: 'Enter a user name.' } : {}),
  }
}

export function checkCommandForm(
  form: CommandForm,
): RunOptionsErrors & { cmd?: string; customShell?: string } {
  return {
    ...checkRunOptions(form),
    ...(form.cmd.trim() === '' ? { cmd: 'Enter a command.' } : {}),
    ...(form.shell === 'custom' && form.customShell.trim() === ''
      ? { customShell: 'Give the path of the shell.' }
      : {}),
  }
}

/** Common request fields; no wait for the end, since the output is followed live. */
export function toRunOptions({ timeout, runAs, userName, expiresIn }: RunOptionsForm) {
  return {
    timeout: Number(timeout),
    expires_in: Number(expiresIn),
    wait: false,
    run_as_user: runAs === 'other' ? userName.trim() : runAs === 'signedIn',
  }
}

export function toCommandBody(form: CommandForm, plat: AgentDetail['plat']): CommandBody {
  // Chosen from shellsOf, whose values are the contract's.
  const shell = (shellsOf(plat).find(({ value }) => value === form.shell)?.value ??
    'custom') as CommandBody['shell']
  return {
    shell,
    custom_shell: shell === 'custom' ? form.customShell.trim() : null,
    cmd: form.cmd,
    ...toRunOptions(form),
  }
}

export interface ScriptGroup {
  group: string
  items: { value: string; label: string }[]
}

const FAVORITES = 'Favourites'
const UNASSIGNED = 'Unassigned'
const byName = new Intl.Collator()

/** Scripts for a platform, by category; favourites first, those without a category last. */
export function groupScripts(scripts: readonly Script[], plat?: string): ScriptGroup[] {
  const fitting = scripts
    .filter(({ supported_platforms }) => plat === undefined || scriptFitsPlatform(supported_platforms, plat))
    .toSorted((a, b) => byName.compare(a.name, b.name))
  const groups = Map.groupBy(fitting, ({ favorite, category }) =>
    favorite ? FAVORITES : category || UNASSIGNED,
  )
  const rank = (group: string) => (group === FAVORITES ? 0 : group === UNASSIGNED ? 2 : 1)
  return [...groups]
    .toSorted(([a], [b]) => rank(a) - rank(b) || byName.compare(a, b))
    .map(([group, members]) => ({
      group,
      items: members.map(({ id, name }) => ({ value: `${id}`, label: name })),
    }))
}

/** `NAME=value` is an environment variable. */
export const checkVariable = (text: string): string | null =>
  text === '' || /^[A-Za-z_][A-Za-z0-9_]*=/.test(text) ? null : 'Write NAME=value.'
