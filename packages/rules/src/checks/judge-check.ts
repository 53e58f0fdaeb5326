import { checkRules, type RuledCheck, type RuledMeasurement } from './table.ts'
import { fail, type Judgement } from './judgement.ts'

/** Decides whether a check passes. Each type has its own file, listed in checks/table.ts. */

export type CheckToJudge = RuledCheck
export type MeasuredValues = RuledMeasurement | { check_type: 'unmeasurable'; reason: string }

/** The verdict on a measurement of the same type. A measurement of another type fails. */
export function judgeCheck(check: CheckToJudge, measured: MeasuredValues): Judgement {
  if (measured.check_type === 'unmeasurable') return fail('error', measured.reason)
  if (measured.check_type !== check.check_type)
    return fail('error', 'The machine sent a result of another type.')
  const judge = checkRules[check.check_type].judge as (
    check: CheckToJudge,
    measured: MeasuredValues,
  ) => Judgement
  return judge(check, measured)
}
