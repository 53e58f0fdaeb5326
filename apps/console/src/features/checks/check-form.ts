import type { CheckType } from '@muster/contract/api/checks'
import { type Check, checkFields, createCheck } from '@muster/contract/api/checks'
import { SERVER_CHECK_TYPES } from '@muster/contract/checks/server-checks'
import { validateLimits, validateThresholds } from '@muster/rules/checks/thresholds'
import { checkVariable } from '../runs/run-form.ts'

/**
 * A check in the form: the fields of its type and the schedule in one object, under the contract's names. Numbers may be
 * empty while typing; lists of exit codes are one text.
 */
export type CheckForm = Record<string, unknown>

/** Processors are busy for moments all the time. */
const USUAL_FAILURES: Partial<Record<CheckType, number>> = { cpuload: 5 }
/** Numbers whose 0 means "off", "any" or "default": empty fields. */
const EMPTY_AT_ZERO = new Set([
  'warning_threshold',
  'error_threshold',
  'cert_warning_days',
  'cert_error_days',
  'max_count',
  'max_memory_mb',
  'max_age_minutes',
  'max_size_mb',
  'search_last_days',
  'run_interval',
])
/** Optional texts. */
const OPTIONAL_TEXTS = new Set([
  'event_source',
  'event_message',
  'unit',
  'text_present',
  'text_absent',
  'expected_value',
  'resolver',
])
/** Types that can fail for other reasons and need no thresholds. */
const FREE_TYPES = new Set<CheckType>(SERVER_CHECK_TYPES)
const CODE_LISTS = new Set([
  'info_return_codes',
  'warning_return_codes',
  'success_return_codes',
  'expected_status',
])
/** Types whose thresholds count the remaining amount. */
const REVERSE_TYPES = new Set<CheckType>(['diskspace'])

/** An initial form: the contract's defaults, and empty fields where it has none. */
export function newCheckForm(type: CheckType): CheckForm {
  const own = Object.entries(checkFields[type].shape).map(([name, schema]): [string, unknown] => {
    const usual = schema.safeParse(undefined)
    return [name, toFormValue(name, usual.success ? usual.data : '')]
  })
  const schedule = { fails_b4_alert: USUAL_FAILURES[type] ?? 1, run_interval: '', depends_on: null }
  return { ...withEventId(Object.fromEntries(own)), ...schedule }
}

/** The common part of a machine's check and a policy's check. */
type FormCheck = Pick<Check, 'settings' | 'fails_b4_alert' | 'run_interval'> & {
  depends_on?: number | null | undefined
}

export function readCheckForm(check: FormCheck): CheckForm {
  const { check_type: _, ...own } = check.settings
  const fields = Object.entries(own).map(([name, value]): [string, unknown] => [
    name,
    toFormValue(name, value),
  ])
  return {
    ...withEventId(Object.fromEntries(fields)),
    fails_b4_alert: check.fails_b4_alert,
    run_interval: toFormValue('run_interval', check.run_interval),
    // A string for the select.
    depends_on: check.depends_on == null ? null : `${check.depends_on}`,
  }
}

/** The values to send; throws where `checkCheckForm` finds an error. */
export const toCheckBody = (type: CheckType, form: CheckForm) => parseForm(type, form).data

/** Errors of the form, by field. */
export function checkCheckForm(type: CheckType, form: CheckForm): Record<string, string | null> {
  const { issues } = parseForm(type, form)
  const errors: Record<string, string | null> = {}
  for (const { code, path, message } of issues) {
    const [field = '', ...rest] = path[0] === 'settings' ? path.slice(1) : path
    const name = CODE_LISTS.has(String(field)) ? String(field) : [field, ...rest].join('.')
    const usual = RANGES[`${type}.${name}`] ?? RANGES[String(field)]
    errors[name] ??= code === 'custom' ? message : (usual ?? message)
  }
  errors.warning_threshold ??= thresholdMessage(type, form) ?? null
  if (type === 'http') errors.cert_warning_days ??= certificateMessage({ ...form, ...hiddenFields(form) })
  const variables = asTexts(form.env_vars)
  errors.env_vars ??= variables.map(checkVariable).find((message) => message !== null) ?? null
  asRows(form.metric_thresholds).forEach((row, index) => {
    errors[`metric_thresholds.${index}.warning_threshold`] ??= metricMessage(row)
  })
  return errors
}

/** The error of the thresholds; undefined while a number is incomplete. */
export function thresholdMessage(type: CheckType, form: CheckForm): string | undefined {
  if (!('warning_threshold' in form)) return undefined
  if (FREE_TYPES.has(type) && !form.warning_threshold && !form.error_threshold) return undefined
  return messageFor(form, REVERSE_TYPES.has(type)) ?? undefined
}

function certificateMessage({ cert_warning_days, cert_error_days }: CheckForm): string | null {
  if (!cert_warning_days && !cert_error_days) return null
  return messageFor({ warning_threshold: cert_warning_days, error_threshold: cert_error_days }, true)
}

function metricMessage(row: CheckForm): string | null {
  const [warning_threshold, error_threshold] = [row.warning_threshold, row.error_threshold].map((value) =>
    typeof value === 'number' ? value : null,
  )
  if (warning_threshold === undefined || error_threshold === undefined) return null
  return validateLimits({ warning_threshold, error_threshold, reverse: row.reverse === true }) ?? null
}

function messageFor(pair: CheckForm, reverse: boolean): string | null {
  const [warning, error] = (['warning_threshold', 'error_threshold'] as const).map((name) =>
    fromFormValue(name, pair[name]),
  )
  if (typeof warning !== 'number' || typeof error !== 'number') return null
  return validateThresholds({ warning, error, reverse }) ?? null
}

const RANGES: Record<string, string> = {
  'diskspace.disk': 'Choose a disk or enter its mount point.',
  'diskspace.warning_threshold': 'Enter a number, or leave it empty.',
  'diskspace.error_threshold': 'Enter a number, or leave it empty.',
  warning_threshold: 'From 0 to 99.',
  error_threshold: 'From 0 to 99.',
  script: 'Choose a script.',
  timeout: 'From 1 to 3600 seconds.',
  info_return_codes: 'Enter exit codes separated by commas.',
  warning_return_codes: 'Enter exit codes separated by commas.',
  success_return_codes: 'Enter exit codes separated by commas.',
  'http.warning_threshold': 'From 0 to 10000 ms.',
  'http.error_threshold': 'From 0 to 10000 ms.',
  'tcp.warning_threshold': 'From 0 to 10000 ms.',
  'tcp.error_threshold': 'From 0 to 10000 ms.',
  cert_warning_days: 'From 0 to 3650.',
  cert_error_days: 'From 0 to 3650.',
  expected_status: 'Enter numbers from 100 to 599 separated by commas.',
  port: 'From 1 to 65535.',
  unit: 'Enter the name of a unit.',
  search_last_days: 'From 1 to 9999, or empty.',
  search_last_minutes: 'From 1 to 525600.',
  number_of_events_b4_alert: 'From 1 to 10000.',
  min_count: 'From 1 to 100000.',
  max_count: 'Enter a whole number up to 100000, or leave it empty.',
  max_memory_mb: 'Enter a whole number, or leave it empty.',
  max_age_minutes: 'Enter a whole number, or leave it empty.',
  max_size_mb: 'Enter a whole number, or leave it empty.',
  fails_b4_alert: 'From 1 to 10.',
  run_interval: 'From 10 to 86400 seconds, or empty.',
}

function parseForm(type: CheckType, form: CheckForm) {
  const { fails_b4_alert, depends_on, ...fields } = form
  const run_interval = fromFormValue('run_interval', form.run_interval)
  const { run_interval: _, ...own } = { ...fields, ...hiddenFields(fields) }
  const sent = Object.entries(own).map(([name, value]) => [name, fromFormValue(name, value)])
  const settings: unknown = { ...Object.fromEntries(sent), check_type: type }
  const parsed = createCheck.body?.safeParse({ settings, fails_b4_alert, run_interval, depends_on })
  return parsed?.success === true
    ? { data: parsed.data, issues: [] }
    : { data: undefined, issues: parsed?.error.issues ?? [] }
}

/** Fields hidden by other values; their content does not count. */
function hiddenFields({ method, expect, url, ignore_certificate }: CheckForm): CheckForm {
  const needsNoCertificate = url !== undefined && (ignore_certificate === true || !isSecure(url))
  return {
    // A HEAD response has no body.
    ...(method === 'HEAD' ? { text_present: '', text_absent: '' } : {}),
    ...(needsNoCertificate ? usualOf('http', ['cert_warning_days', 'cert_error_days']) : {}),
    ...(expect === 'not_running' ? usualOf('process', ['min_count', 'max_count', 'max_memory_mb']) : {}),
    ...(expect === 'missing' ? usualOf('file', ['max_age_minutes', 'max_size_mb']) : {}),
  }
}

function usualOf(type: CheckType, names: readonly string[]): CheckForm {
  const usual = newCheckForm(type)
  return Object.fromEntries(names.map((name) => [name, usual[name]]))
}

export const isSecure = (url: unknown): boolean => /^\s*https:/i.test(String(url))

/** Number and wildcard of an event id are one form field, in the contract's format. */
function withEventId({ event_id_is_wildcard: isWildcard, ...fields }: CheckForm): CheckForm {
  return isWildcard === undefined
    ? fields
    : { ...fields, event_id: isWildcard === true ? '*' : `${String(fields.event_id)}` }
}

function fromFormValue(name: string, value: unknown): unknown {
  if (CODE_LISTS.has(name)) return readCodes(String(value))
  if (EMPTY_AT_ZERO.has(name)) return value === '' ? 0 : value
  if (name === 'metric_thresholds')
    return asRows(value).map((row) => mapRow(row, (field) => (field === '' ? null : field)))
  return OPTIONAL_TEXTS.has(name) && String(value).trim() === '' ? null : value
}

function toFormValue(name: string, value: unknown): unknown {
  if (OPTIONAL_TEXTS.has(name)) return value ?? ''
  if (CODE_LISTS.has(name)) return Array.isArray(value) ? value.join(', ') : ''
  if (name === 'script') return value === '' ? null : `${String(value)}`
  if (EMPTY_AT_ZERO.has(name)) return value === 0 ? '' : value
  if (name === 'metric_thresholds') return asRows(value).map((row) => mapRow(row, (field) => field ?? ''))
  return value
}

/** Changes the thresholds of a metric: 0 is a value, and an empty field is null. */
function mapRow(row: CheckForm, change: (threshold: unknown) => unknown): CheckForm {
  const { warning_threshold, error_threshold } = row
  return {
    ...row,
    warning_threshold: change(warning_threshold),
    error_threshold: change(error_threshold),
  }
}

/** `0, 3010` as numbers; invalid parts are left for the schema to reject. */
function readCodes(text: string): unknown[] {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '')
  return [...new Set(parts)].map((part) => (/^\d{1,10}$/.test(part) ? Number(part) : part))
}

export const asTexts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
export const asRows = (value: unknown): CheckForm[] =>
  // List items of the form that are not texts are rows of fields.
  Array.isArray(value)
    ? value.filter((one) => typeof one === 'object' && one !== null).map((one) => one as CheckForm)
    : []
