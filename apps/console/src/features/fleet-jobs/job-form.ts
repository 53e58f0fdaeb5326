import { PackageName } from '@muster/contract/agent/patches'
import type { JobDraft, JobRepeat } from '@muster/contract/fleet-jobs/job-draft'
import { findRepeatProblem } from '@muster/rules/fleet-jobs/job-repeat'
import type { z } from 'zod'
import { checkDelay, NEW_WARNING, toWarning, type WarningForm } from '../power/warning-form.ts'
import {
  CHANGE_ACTIONS,
  type ChangeForm,
  findChangeProblem,
  isChange,
  NEW_CHANGE,
  toChange,
} from './change-form.ts'

export const ACTIONS = [
  { value: 'script', label: 'Run a script' },
  { value: 'command', label: 'Send a command' },
  { value: 'maintenance_on', label: 'Switch maintenance mode on' },
  { value: 'maintenance_off', label: 'Switch maintenance mode off' },
  { value: 'run_checks', label: 'Run checks' },
  { value: 'refresh', label: 'Refresh facts' },
  { value: 'scan_patches', label: 'Scan for patches' },
  { value: 'install_patches', label: 'Install approved patches' },
  { value: 'install', label: 'Install a package' },
  { value: 'upgrade', label: 'Upgrade a package' },
  { value: 'remove', label: 'Remove a package' },
  { value: 'package_file', label: 'Install a package file' },
  { value: 'reboot', label: 'Restart' },
  { value: 'shutdown', label: 'Shut down' },
  { value: 'wake', label: 'Wake' },
  { value: 'update_agent', label: 'Update the agent' },
  ...CHANGE_ACTIONS,
] as const
export type ActionName = (typeof ACTIONS)[number]['value']

/** Which machines: the checked ones, those that a search finds, of a client or site, with a tag, or all. */
export type TargetKind = 'checked' | 'search' | 'client' | 'site' | 'tag' | 'all'

/** `machine_time`: by the clock of each machine. */
export type StartKind = 'now' | 'time' | 'machine_time' | 'repeat'

export interface JobForm {
  name: string
  target: TargetKind
  search: string
  client: string | null
  site: string | null
  /** The id of a tag. */
  tag: string | null
  action: ActionName
  script: string | null
  args: string[]
  variables: string[]
  /** Where the output of a script goes, besides the job. */
  saveAsNote: boolean
  saveToField: string | null
  saveAllOutput: boolean
  shell: string
  /** The path of a shell of its own. */
  customShell: string
  cmd: string
  /** As the signed-in user, for commands. */
  asUser: boolean
  warning: WarningForm
  /** Restarts or shuts down without a warning. */
  powerNow: boolean
  /** The fields of actions that undo can take back. */
  changes: ChangeForm
  /** Names of one package, separated by commas. */
  packages: string
  /** The id of a package file. */
  packageFile: string | null
  timeout: number | string
  /** The first waves, as numbers of machines or percentages of all: `10`, `5 %`. None = all machines at once. */
  waves: string[]
  pauseMinutes: number | string
  watchMinutes: number | string
  noNewAlerts: boolean
  successPercent: number | string
  /** A part of the name of a check. */
  check: string
  haltAt: number | string
  haltAtPercent: number | string
  maxAtOnce: number | string
  maxPerSite: number | string
  maxPerMinute: number | string
  /** The id of a script. */
  rollback: string | null
  /** Undefined = those of the script. */
  rollbackArgs: string[] | undefined
  start: StartKind
  /** `YYYY-MM-DDTHH:mm`, by the clock of the user or of each machine. */
  startAt: string
  cron: string
  clock: JobRepeat['clock']
  inWindows: boolean
  offline: 'keep' | 'skip'
  expiresHours: number | string
}

export const NEW_JOB: JobForm = {
  name: '',
  target: 'checked',
  search: '',
  client: null,
  site: null,
  tag: null,
  action: 'script',
  script: null,
  args: [],
  variables: [],
  saveAsNote: false,
  saveToField: null,
  saveAllOutput: false,
  shell: 'bash',
  customShell: '',
  cmd: '',
  asUser: false,
  warning: NEW_WARNING,
  powerNow: false,
  changes: NEW_CHANGE,
  packages: '',
  packageFile: null,
  timeout: '',
  waves: [],
  pauseMinutes: '',
  watchMinutes: '',
  noNewAlerts: false,
  successPercent: '',
  check: '',
  haltAt: '',
  haltAtPercent: '',
  maxAtOnce: '',
  maxPerSite: '',
  maxPerMinute: '',
  rollback: null,
  rollbackArgs: undefined,
  start: 'now',
  startAt: '',
  cron: '',
  clock: 'server',
  inWindows: false,
  offline: 'keep',
  expiresHours: 48,
}

const MAX_PACKAGE_NAMES = 5

export function isPackageAction(action: ActionName): action is 'install' | 'upgrade' | 'remove' {
  return action === 'install' || action === 'upgrade' || action === 'remove'
}

/** Actions that the signed-in user is warned of. */
export const isWarned = (action: ActionName): action is 'reboot' | 'shutdown' =>
  action === 'reboot' || action === 'shutdown'

const namesOf = ({ packages }: JobForm) => packages.split(/[\s,]+/).filter((name) => name !== '')

/** Why the job cannot be planned yet, as a sentence. */
export function findFormProblem(form: JobForm, checked: number): string | undefined {
  if (form.target === 'checked' && checked === 0) return 'No machines are selected.'
  if (form.target === 'tag' && form.tag === null) return 'Choose a tag.'
  if (form.target === 'client' && form.client === null) return 'Choose a client.'
  if (form.target === 'site' && form.site === null) return 'Choose a site.'
  if (form.target === 'search' && form.search.trim() === '') return 'Enter a search.'
  if (form.action === 'script' && form.script === null) return 'Choose a script.'
  if (form.action === 'command' && form.cmd.trim() === '') return 'Enter a command.'
  if (form.action === 'command' && form.shell === 'custom' && form.customShell.trim() === '')
    return 'Give the path of the shell.'
  if (isWarned(form.action) && !form.powerNow && checkDelay(form.warning.delay) !== undefined)
    return 'Enter a warning time of 1 to 1440 minutes.'
  if (form.action === 'package_file' && form.packageFile === null) return 'Choose a package file.'
  if (isPackageAction(form.action)) {
    const wrong = namesOf(form).find((name) => !PackageName.safeParse(name).success)
    if (namesOf(form).length === 0) return 'Enter the name of a package.'
    if (wrong !== undefined) return `"${wrong}" is not the name of a package.`
    if (namesOf(form).length > MAX_PACKAGE_NAMES) return `Enter at most ${MAX_PACKAGE_NAMES} names.`
  }
  const change = isChange(form.action) ? findChangeProblem(form.action, form.changes) : undefined
  if (change !== undefined) return change
  const wave = form.waves.map((_, i) => findWaveProblem(form.waves, i)).find((found) => found !== undefined)
  if (wave !== undefined) return wave
  if (form.start === 'repeat') return findRepeatProblem(form.cron)
  if (form.start !== 'now' && Number.isNaN(Date.parse(form.startAt))) return 'Enter a valid start time.'
  return undefined
}

/** As many as a draft may have. */
export const MAX_WAVES = 20
const MAX_WAVE = 100_000

export const isStaged = ({ waves }: JobForm): boolean => waves.length > 0

/** Whether a limit is set that few jobs have. */
export function hasMoreLimits(form: JobForm): boolean {
  const { successPercent, check, haltAtPercent, maxPerSite, maxPerMinute, rollback } = form
  return [successPercent, check, haltAtPercent, maxPerSite, maxPerMinute, rollback ?? ''].some(
    (value) => value !== '',
  )
}

type WaveSize = NonNullable<NonNullable<DraftInput['rollout']>['waves']>[number]

/** Reads `10` and `5 %`. */
function readWave(text: string): WaveSize | undefined {
  const [, digits, sign] = /^\s*(\d+)\s*(%?)\s*$/.exec(text) ?? []
  const number = Number(digits)
  if (digits === undefined || number < 1 || number > (sign === '%' ? 100 : MAX_WAVE)) return undefined
  return sign === '%' ? { percent: number } : { count: number }
}

export const writeWave = (wave: WaveSize): string => ('count' in wave ? `${wave.count}` : `${wave.percent} %`)

/** Why a wave has no size that can be planned. */
export function findWaveProblem(waves: readonly string[], index: number): string | undefined {
  const text = waves[index]
  if (text === undefined || readWave(text) !== undefined) return undefined
  return 'Enter machines or 1 to 100 %.'
}

const numberOf = (value: number | string): number | undefined => {
  const number = Number(value)
  return value === '' || !Number.isFinite(number) || number <= 0 ? undefined : Math.round(number)
}

export type DraftInput = z.input<typeof JobDraft>

/** The order of the form, as the server plans it. */
export function toDraft(form: JobForm, checked: readonly string[]): DraftInput {
  const staged = isStaged(form)
  return {
    name: form.name.trim(),
    target: toTarget(form, checked),
    action: toAction(form),
    schedule: {
      start: toStart(form),
      in_windows: form.inWindows,
      offline: form.offline,
      expires_hours: numberOf(form.expiresHours) ?? 48,
    },
    rollout: {
      waves: form.waves.flatMap((text) => readWave(text) ?? []),
      pause_minutes: (staged ? numberOf(form.pauseMinutes) : undefined) ?? 0,
      watch_minutes: (staged ? numberOf(form.watchMinutes) : undefined) ?? 0,
      conditions: {
        success_percent: (staged ? numberOf(form.successPercent) : undefined) ?? 0,
        no_new_alerts: staged && form.noNewAlerts,
        check: staged && form.check.trim() !== '' ? form.check.trim() : null,
      },
      halt: { failures: numberOf(form.haltAt) ?? null, percent: numberOf(form.haltAtPercent) ?? null },
      max_at_once: numberOf(form.maxAtOnce) ?? null,
      max_per_minute: numberOf(form.maxPerMinute) ?? null,
      max_per_site: numberOf(form.maxPerSite) ?? null,
    },
    rollback:
      form.rollback === null
        ? null
        : {
            script: Number(form.rollback),
            ...(form.rollbackArgs !== undefined && { args: form.rollbackArgs }),
          },
  }
}

function toTarget(form: JobForm, checked: readonly string[]): DraftInput['target'] {
  switch (form.target) {
    case 'all':
      return { by: 'all' }
    case 'search':
      return { by: 'search', search: form.search.trim() }
    case 'client':
    case 'site':
    case 'tag':
      return { by: form.target, id: Number(form[form.target]) }
    case 'checked':
      return { by: 'agents', agents: [...checked] }
  }
}

function toStart({ start, startAt }: JobForm): NonNullable<DraftInput['schedule']>['start'] {
  // Incomplete while the user types.
  const isTime = !Number.isNaN(Date.parse(startAt))
  if (start === 'time' && isTime) return { at: 'time', time: new Date(startAt).toISOString() }
  if (start === 'machine_time' && isTime) return { at: 'machine_time', time: startAt }
  return { at: 'now' }
}

function toAction(form: JobForm): DraftInput['action'] {
  const timeout = numberOf(form.timeout)
  const limit = timeout === undefined ? {} : { timeout }
  const variables = form.variables.filter((text) => text !== '')
  switch (form.action) {
    case 'script':
      return {
        type: 'script',
        script: Number(form.script),
        args: form.args,
        env_vars: variables,
        ...limit,
        ...(form.saveAsNote && { save_as_note: true }),
        ...(form.saveToField !== null && {
          save_to_field: Number(form.saveToField),
          save_all_output: form.saveAllOutput,
        }),
      }
    case 'command': {
      // Chosen from shellsOf, whose values are the contract's.
      const shell = form.shell as 'bash'
      return {
        type: 'command',
        shell,
        ...(form.shell === 'custom' && { custom_shell: form.customShell.trim() }),
        cmd: form.cmd,
        ...(form.asUser && { run_as_user: true }),
        ...limit,
      }
    }
    case 'maintenance_on':
      return { type: 'maintenance', on: true }
    case 'maintenance_off':
      return { type: 'maintenance', on: false }
    case 'reboot':
    case 'shutdown':
      return form.powerNow
        ? { type: 'power', action: form.action, now: true }
        : { type: 'power', action: form.action, now: false, warning: toWarning(form.warning) }
    case 'wake':
      return { type: 'power', action: 'wake' }
    case 'install':
    case 'upgrade':
    case 'remove':
      return { type: 'software', do: form.action, names: namesOf(form) }
    case 'package_file':
      return { type: 'package_file', file: Number(form.packageFile) }
    case 'run_checks':
    case 'refresh':
    case 'scan_patches':
    case 'install_patches':
    case 'update_agent':
      return { type: form.action }
    default:
      return toChange(form.action, form.changes)
  }
}
