import { type CheckRule, fail, type Judgement, type SeriesValue } from './judgement.ts'
import { cpuload, diskspace, memory } from './resources.ts'
import { dns, ping, tcp } from './network.ts'
import { eventlog, file, journal } from './logs.ts'
import { http } from './http.ts'
import { process, service } from './processes.ts'
import { script } from './script.ts'

/** The rules of every type of check. A new type is a file in this folder, and a line here. */
const checkRules = {
  diskspace,
  cpuload,
  memory,
  ping,
  service,
  script,
  process,
  file,
  eventlog,
  journal,
  http,
  tcp,
  dns,
}

type Rules = typeof checkRules
type SettingsOf<Rule> = Rule extends CheckRule<infer Settings, infer _> ? Settings : never
type MeasuredBy<Rule> = Rule extends CheckRule<infer _, infer Measured> ? Measured : never

/** A check of any type with the settings that its verdict needs. */
type RuledCheck = {
  [Type in keyof Rules]: { check_type: Type } & SettingsOf<Rules[Type]>
}[keyof Rules]
/** The measurement of a check of any type. */
type RuledMeasurement = {
  [Type in keyof Rules]: { check_type: Type } & MeasuredBy<Rules[Type]>
}[keyof Rules]

/** Decides whether a check passes. Each type has its own file, listed in checks/table.ts. */

export type CheckToJudge = RuledCheck
export type MeasuredValues =
  | RuledMeasurement
  | { check_type: 'unmeasurable'; reason: string; not_measured?: true | undefined }

/** The verdict on a measurement of the same type. A measurement of another type fails. */
export function judgeCheck(check: CheckToJudge, measured: MeasuredValues): Judgement {
  if (measured.check_type === 'unmeasurable')
    return measured.not_measured === true
      ? { ...fail('warning', `Not measured: ${measured.reason}`), not_measured: true }
      : fail('error', measured.reason)
  if (measured.check_type !== check.check_type)
    return fail('error', 'The machine sent a result of another type.')
  const judge = checkRules[check.check_type].judge as (
    check: CheckToJudge,
    measured: MeasuredValues,
  ) => Judgement
  return judge(check, measured)
}

/** The values of a measurement that are stored as a history, rounded, the most important one first. */
export function seriesOf(measured: MeasuredValues): SeriesValue[] {
  if (measured.check_type === 'unmeasurable') return []
  const series = checkRules[measured.check_type].series as (measured: MeasuredValues) => SeriesValue[]
  return series(measured)
}
