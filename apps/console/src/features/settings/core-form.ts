import { MetricsInterval } from '@muster/contract/agent/metrics'
import { type CoreSettings, PasswordMinLength } from '@muster/contract/api/settings'
import { whyNoVncTarget } from '@muster/rules/remote/vnc-targets'
import {
  findRetentionProblems,
  MAX_DAYS,
  type RecordRetention,
  type Retention,
} from '@muster/rules/schedules/retention'
import { HISTORY_FIELDS, RECORD_FIELDS } from './settings-fields.ts'

/** Defaults of policies and alert templates are changed on their own screens. */
type Stored = Omit<CoreSettings, 'modified' | 'server_policy' | 'workstation_policy' | 'alert_template'>

export type NumberName =
  | keyof Retention
  | keyof RecordRetention
  | 'metrics_interval'
  | 'password_min_length'
  | 'recording_keep_days'
  | keyof typeof MAX_MEGABYTES

/** The settings of the server in a form. An emptied number is ''. */
export type CoreForm = Omit<Stored, NumberName> & Record<NumberName, number | ''>

export const MAX_MEGABYTES = { recording_max_mb: 1000, desktop_recording_max_mb: 2000 }

export function readCoreForm(settings: CoreSettings): CoreForm {
  const {
    modified: _modified,
    server_policy: _server,
    workstation_policy: _workstation,
    alert_template: _template,
    ...values
  } = settings
  return values
}

/** Errors by field. A change of one field may cause the error of the next one. */
export function checkCoreForm(values: CoreForm): Partial<Record<keyof CoreForm, string>> {
  const isPaced = MetricsInterval.safeParse(values.metrics_interval).success
  const isLongEnough = PasswordMinLength.safeParse(values.password_min_length).success
  const hasWrongTarget = values.vnc_targets.some((line) => whyNoVncTarget(line) !== undefined)
  return {
    ...checkHistory(values),
    ...checkRecords(values),
    ...checkRecordings(values),
    ...(isPaced ? {} : { metrics_interval: 'Enter 10 to 3600 seconds.' }),
    ...(isLongEnough ? {} : { password_min_length: 'Enter 10 to 64 characters.' }),
    ...(hasWrongTarget ? { vnc_targets: 'One of these targets is invalid.' } : {}),
  }
}

const namesOf = <Fields extends object>(fields: Fields) => Object.keys(fields) as (keyof Fields)[]

function checkHistory(values: CoreForm): Partial<Record<keyof Retention, string>> {
  const wrong = namesOf(HISTORY_FIELDS).filter((name) => !isWithin(values[name], MAX_DAYS))
  if (wrong.length > 0) {
    return Object.fromEntries(wrong.map((name) => [name, `Enter 1 to ${MAX_DAYS} days.`]))
  }
  // None is empty: see above.
  return findRetentionProblems(values as Retention)
}

function checkRecords(values: CoreForm): Partial<Record<keyof RecordRetention, string>> {
  const wrong = namesOf(RECORD_FIELDS).filter((name) => Number(values[name]) > MAX_DAYS)
  return Object.fromEntries(wrong.map((name) => [name, `At most ${MAX_DAYS} days.`]))
}

function checkRecordings(values: CoreForm): Partial<Record<NumberName, string>> {
  const sizes = namesOf(MAX_MEGABYTES).filter((name) => !isWithin(values[name], MAX_MEGABYTES[name]))
  return {
    ...(isWithin(values.recording_keep_days, MAX_DAYS)
      ? {}
      : { recording_keep_days: `Enter 1 to ${MAX_DAYS} days.` }),
    ...Object.fromEntries(sizes.map((name) => [name, `Enter 1 to ${MAX_MEGABYTES[name]} MB.`])),
  }
}

const isWithin = (value: number | '', most: number) => value !== '' && value >= 1 && value <= most
