import { checkRules, type RuledCheck, type RuledMeasurement } from './table.ts'
import { fail, type Judgement } from './judgement.ts'

/** Decides from what was measured whether a check passes; one file for each type, listed in checks/table.ts. */

export type CheckToJudge = RuledCheck
export type MeasuredValues = RuledMeasurement | { check_type: 'unmeasurable'; reason: string }

/** The verdict on what was measured by a check of the same type. Of another type: it could not be measured. */
export function judgeCheck(check: CheckToJudge, measured: MeasuredValues): Judgement {
  if (measured.check_type === 'unmeasurable') return fail('error', measured.reason)
  if (measured.check_type !== check.check_type) return fail('error', 'The machine measured something else.')
  const judge = checkRules[check.check_type].judge as (
    check: CheckToJudge,
    measured: MeasuredValues,
  ) => Judgement
  return judge(check, measured)
}
