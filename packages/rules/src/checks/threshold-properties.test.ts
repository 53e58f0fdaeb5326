import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseTimePeriod } from '../schedules/task-schedule.ts'
import { judgeCheck } from './table.ts'
import { limitsOf, type Severity, severityOf } from './judgement.ts'
import { previewThresholds, validateThresholds } from './thresholds.ts'

// 0 is "not set", and is generated often.
const threshold = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 99 }))
const pair = fc.record({ warning: threshold, error: threshold, reverse: fc.boolean() })
const working = pair.filter((one) => validateThresholds(one) === undefined)
const percent = fc.integer({ min: 0, max: 100 })
const RANK: Record<Severity | 'none', number> = { none: 0, info: 1, warning: 2, error: 3 }
const judge = (
  { warning, error, reverse }: { warning: number; error: number; reverse: boolean },
  value: number,
) =>
  severityOf({ ...limitsOf({ warning_threshold: warning, error_threshold: error }), reverse }, value) ??
  'none'

test('only invalid pairs are refused, with the correct message', () => {
  fc.assert(
    fc.property(pair, ({ warning, error, reverse }) => {
      const order = reverse ? warning > error : warning < error
      const both = warning > 0 && error > 0
      const expected =
        warning === 0 && error === 0
          ? 'Warning Threshold or Error Threshold need to be set'
          : both && !order
            ? `Warning Threshold must be ${reverse ? 'more' : 'less'} than Error Threshold`
            : undefined
      expect(validateThresholds({ warning, error, reverse })).toBe(expected)
    }),
  )
})

test('a value further beyond a threshold is never less severe, and unset thresholds have no effect', () => {
  fc.assert(
    fc.property(working, percent, percent, (one, a, b) => {
      const [better, worse] = one.reverse
        ? [Math.max(a, b), Math.min(a, b)]
        : [Math.min(a, b), Math.max(a, b)]
      expect(RANK[judge(one, worse)]).toBeGreaterThanOrEqual(RANK[judge(one, better)])
      if (one.warning === 0) expect(judge(one, worse)).not.toBe('warning')
      if (one.error === 0) expect(judge(one, worse)).not.toBe('error')
    }),
  )
})

test('reverse mode mirrors the normal mode', () => {
  const flip = (value: number) => (value === 0 ? 0 : 100 - value)
  fc.assert(
    fc.property(working, percent, (one, value) => {
      const other = { warning: flip(one.warning), error: flip(one.error), reverse: !one.reverse }
      expect(validateThresholds(other)).toBeUndefined()
      expect(judge(other, 100 - value)).toBe(judge(one, value))
    }),
  )
})

test('changed thresholds judge the last value as if they had always been set', () => {
  fc.assert(
    fc.property(working, percent, ({ warning, error, reverse }, value) => {
      const thresholds = { warning_threshold: warning, error_threshold: error }
      const check = reverse
        ? { check_type: 'diskspace' as const, disk: '/', threshold_unit: 'percent' as const, ...thresholds }
        : { check_type: 'cpuload' as const, ...thresholds }
      const measured = reverse
        ? {
            check_type: 'diskspace' as const,
            exists: true,
            total_bytes: 100,
            free_bytes: value,
            inodes_total: null,
            inodes_free: null,
          }
        : { check_type: 'cpuload' as const, percent: value }
      const { passing, severity } = judgeCheck(check, measured)
      expect(severity ?? 'none').toBe(judge({ warning, error, reverse }, value))
      expect(passing).toBe(severity === null)
    }),
    // 29 / 100 * 100 is less than 29.
    { examples: [[{ warning: 29, error: 0, reverse: true }, 29]] },
  )
})

test('the preview of samples matches judging them one by one', () => {
  const INTERVAL = 60
  fc.assert(
    fc.property(
      working,
      fc.array(percent, { maxLength: 60 }),
      fc.integer({ min: 1, max: 10 }),
      (one, values, runs) => {
        const points = values.map((value, index) => [index * INTERVAL, value, value, value] as const)
        const settings = {
          ...limitsOf({ warning_threshold: one.warning, error_threshold: one.error }),
          reverse: one.reverse,
          fails_b4_alert: runs,
          run_interval_seconds: INTERVAL,
        }
        let inARow = 0
        const failing = values.map((value) => {
          const severity = judge(one, value)
          inARow = severity === 'none' ? 0 : inARow + 1
          return inARow >= runs ? severity : 'none'
        })
        const seconds = (severity: Severity) => failing.filter((was) => was === severity).length * INTERVAL
        const preview = previewThresholds([{ resolution: 0, points }], settings, values.length * INTERVAL)
        expect(preview).toMatchObject({
          alerts: failing.filter((was, index) => was !== 'none' && (failing[index - 1] ?? 'none') === 'none')
            .length,
          errorSeconds: seconds('error'),
          warningSeconds: seconds('warning'),
        })
      },
    ),
  )
})

test('a time period is 1 to 3 digits and s, m, h or d in either case; anything else is 0 and logged', () => {
  const unit = fc.constantFrom('s', 'm', 'h', 'd', 'S', 'M', 'H', 'D')
  const seconds = { s: 1, m: 60, h: 3600, d: 86_400 }
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999 }), unit, (count, letter) => {
      const key = letter.toLowerCase() as keyof typeof seconds // One of the four above.
      expect(parseTimePeriod(`${count}${letter}`)).toBe(count * seconds[key])
    }),
  )
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('0', '1', '9', 's', 'm', 'H', 'D', 'x', ' ', '-', '.') }),
      (text) => {
        const logged: string[] = []
        const isOne = /^[0-9]{1,3}[smhdSMHD]$/.test(text)
        const result = parseTimePeriod(text, (message) => logged.push(message))
        expect(logged).toEqual(isOne ? [] : ['Time Period is invalid'])
        if (!isOne) expect(result).toBe(0)
      },
    ),
  )
})
