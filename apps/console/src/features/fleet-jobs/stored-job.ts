import type { JobAction, JobDraft, JobRepeat } from '@muster/contract/fleet-jobs/job-draft'
import { toLocalInput } from '../custom-fields/field-values.ts'
import { formOf } from '../remote/registry/value-form.ts'
import { type ChangeForm, NEW_CHANGE } from './change-form.ts'
import { type DraftInput, type JobForm, NEW_JOB, toDraft, writeWave } from './job-form.ts'

export interface StoredJob extends JobRepeat {
  draft: JobDraft
}

/** The form of a repeating job. What it has no field for stays in the draft: see `changeDraft`. */
export function formOfJob({ draft, cron, clock }: StoredJob): JobForm {
  const { name, target, action, schedule, rollout, rollback } = draft
  const { conditions, halt } = rollout
  return {
    ...NEW_JOB,
    name,
    target: target.by === 'agents' ? 'checked' : target.by,
    search: target.by === 'search' ? target.search : '',
    ...('id' in target && { [target.by]: `${target.id}` }),
    ...formOfAction(action),
    start: 'repeat',
    cron,
    clock,
    inWindows: schedule.in_windows,
    offline: schedule.offline,
    expiresHours: schedule.expires_hours,
    waves: rollout.waves.map(writeWave),
    pauseMinutes: rollout.pause_minutes || '',
    watchMinutes: rollout.watch_minutes || '',
    noNewAlerts: conditions.no_new_alerts,
    successPercent: conditions.success_percent || '',
    check: conditions.check ?? '',
    haltAt: halt.failures ?? '',
    haltAtPercent: halt.percent ?? '',
    maxAtOnce: rollout.max_at_once ?? '',
    maxPerSite: rollout.max_per_site ?? '',
    maxPerMinute: rollout.max_per_minute ?? '',
    rollback: rollback === null ? null : `${rollback.script}`,
    rollbackArgs: rollback?.args,
  }
}

/** The machines of a target that names them. */
export function checkedOf({ draft: { target } }: StoredJob): readonly string[] {
  return target.by === 'agents' ? target.agents : []
}

/** The draft with what the user has changed in the form. The rest stays, also what the form has no field for. */
export function changeDraft(stored: StoredJob, form: JobForm): DraftInput {
  const checked = checkedOf(stored)
  const [before, after] = [formOfJob(stored), form].map((one) => toDraft(one, checked))
  // A draft that changes as another draft has changed is a draft.
  return change(stored.draft, before, after) as DraftInput
}

/** Applies to a value what has changed between two others. */
function change(value: unknown, before: unknown, after: unknown): unknown {
  if (JSON.stringify(before) === JSON.stringify(after)) return value
  if (!isRecord(value) || !isRecord(before) || !isRecord(after)) return after
  // Another kind of target or action has other fields.
  if (before['by'] !== after['by'] || before['type'] !== after['type']) return after
  const names = [...Object.keys(value).filter((name) => !(name in before)), ...Object.keys(after)]
  return Object.fromEntries(
    names.map((name) => [name, name in after ? change(value[name], before[name], after[name]) : value[name]]),
  )
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function formOfAction(action: JobAction): Partial<JobForm> {
  switch (action.type) {
    case 'script':
      return {
        action: 'script',
        script: `${action.script}`,
        args: action.args ?? [],
        variables: action.env_vars ?? [],
        saveAsNote: action.save_as_note ?? false,
        saveToField: action.save_to_field === undefined ? null : `${action.save_to_field}`,
        saveAllOutput: action.save_all_output ?? false,
        timeout: action.timeout ?? '',
      }
    case 'command':
      return {
        action: 'command',
        shell: action.shell,
        customShell: action.custom_shell ?? '',
        cmd: action.cmd,
        asUser: action.run_as_user === true,
        timeout: action.timeout ?? '',
      }
    case 'maintenance':
      return { action: action.on ? 'maintenance_on' : 'maintenance_off' }
    case 'power':
      return {
        action: action.action,
        powerNow: action.now,
        warning: {
          message: action.warning.message,
          delay: action.warning.delay_minutes,
          mayPostpone: action.warning.may_postpone,
        },
      }
    case 'software':
      return { action: action.do, packages: action.names.join(', ') }
    case 'package_file':
      return { action: 'package_file', packageFile: `${action.file}` }
    case 'run_checks':
    case 'refresh':
    case 'scan_patches':
    case 'install_patches':
    case 'update_agent':
      return { action: action.type }
    case 'undo':
      throw new Error('an undo does not repeat')
    default:
      return { action: action.type, changes: { ...NEW_CHANGE, ...formOfChange(action) } }
  }
}

type ChangeAction = Extract<
  JobAction,
  {
    type: 'tags' | 'move' | 'custom_field' | 'service' | 'approve_patches' | 'registry' | 'file' | 'push_file'
  }
>

function formOfChange(action: ChangeAction): Partial<ChangeForm> {
  switch (action.type) {
    case 'tags':
      return { addTags: action.add, removeTags: action.remove }
    case 'move':
      return { site: `${action.site}` }
    case 'custom_field':
      return { field: `${action.field}`, ...formOfValue(action.value) }
    case 'service':
      return {
        service: action.name,
        serviceAction: action.action ?? '',
        startType: action.start_type ?? '',
      }
    case 'approve_patches':
      return {
        decision: action.decision,
        severities: action.severities.map((one) => (one === '' ? 'none' : one)),
      }
    case 'registry':
      return {
        key: action.path,
        valueName: action.name,
        deleteValue: action.value === null,
        ...(action.value !== null && {
          valueType: action.value.type,
          valueText: formOf({ name: action.name, ...action.value }).text,
        }),
      }
    case 'file':
      return { path: action.path, text: action.text, ...formOfRights(action) }
    case 'push_file':
      return {
        pushed: `${action.file}`,
        path: action.path,
        overwrite: action.overwrite,
        ...formOfRights(action),
      }
  }
}

const formOfRights = ({ mode, owner }: { mode: number | null; owner: string | null }) => ({
  mode: mode === null ? '' : mode.toString(8).padStart(4, '0'),
  owner: owner ?? '',
})

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

function formOfValue(value: Extract<ChangeAction, { type: 'custom_field' }>['value']): Partial<ChangeForm> {
  if (typeof value === 'boolean') return { fieldType: 'checkbox', fieldValue: value }
  if (Array.isArray(value)) return { fieldType: 'multiple', fieldValue: value }
  if (INSTANT.test(value)) return { fieldType: 'datetime', fieldValue: toLocalInput(value) }
  return { fieldType: 'text', fieldValue: value }
}
