import { describe, expect, test } from 'vitest'
import { type PreviewSettings, previewThresholds } from './thresholds.ts'

const CPU: PreviewSettings = {
  warning_threshold: 70,
  error_threshold: 90,
  reverse: false,
  fails_b4_alert: 1,
  run_interval_seconds: 100,
}
const DISK: PreviewSettings = { ...CPU, warning_threshold: 25, error_threshold: 10, reverse: true }

/** Samples every 100 s from 0 on. */
const raw = (...values: number[]) => ({
  resolution: 0,
  points: values.map((value, index) => [index * 100, value, value, value] as const),
})
const until = (count: number) => count * 100

describe('samples', () => {
  const cases = [
    { name: 'nothing was measured', values: [], alerts: 0, error: 0, warning: 0 },
    { name: 'all is well', values: [10, 20, 30], alerts: 0, error: 0, warning: 0 },
    { name: 'at a threshold is not beyond it', values: [70, 70], alerts: 0, error: 0, warning: 0 },
    { name: 'once in warning', values: [10, 80, 10], alerts: 1, error: 0, warning: 100 },
    { name: 'twice in error', values: [95, 10, 95, 95], alerts: 2, error: 300, warning: 0 },
    { name: 'from warning to error is one alert', values: [80, 95, 80], alerts: 1, error: 100, warning: 200 },
  ]
  test.each(cases)('$name', ({ values, alerts, error, warning }) => {
    const preview = previewThresholds([raw(...values)], CPU, until(values.length))
    expect(preview).toMatchObject({ alerts, errorSeconds: error, warningSeconds: warning })
  })

  test('in reverse mode values below fail', () => {
    const preview = previewThresholds([raw(50, 20, 5, 50)], DISK, until(4))
    expect(preview).toMatchObject({ alerts: 1, errorSeconds: 100, warningSeconds: 100, since: 0 })
    expect(preview.failures).toEqual([
      { from: 100, to: 200, severity: 'warning' },
      { from: 200, to: 300, severity: 'error' },
    ])
  })

  test('consecutive failed runs are required', () => {
    const preview = previewThresholds(
      [raw(95, 95, 10, 95, 95, 95, 95)],
      { ...CPU, fails_b4_alert: 3 },
      until(7),
    )
    expect(preview).toMatchObject({ alerts: 1, errorSeconds: 200 })
    expect(preview.failures).toEqual([{ from: 500, to: 700, severity: 'error' }])
  })

  test('0 and negative numbers are thresholds', () => {
    const freezer = { ...CPU, warning_threshold: -15, error_threshold: 0 }
    expect(previewThresholds([raw(-18, -12, 1, -18)], freezer, until(4))).toMatchObject({
      alerts: 1,
      errorSeconds: 100,
      warningSeconds: 100,
    })
  })

  test('an unset threshold never fails', () => {
    expect(previewThresholds([raw(99)], { ...CPU, error_threshold: null }, 100)).toMatchObject({
      alerts: 1,
      errorSeconds: 0,
      warningSeconds: 100,
    })
  })

  test('a sample does not count through a long gap', () => {
    const part = { resolution: 0, points: [[0, 95, 95, 95] as const, [10_000, 10, 10, 10] as const] }
    expect(previewThresholds([part], CPU, 10_100).errorSeconds).toBe(200)
  })
})

describe('averages', () => {
  const mean = (from: number, value: number, least: number, most: number) =>
    [from, value, least, most] as const

  test('an average beyond counts for all of its runs', () => {
    const part = { resolution: 300, points: [mean(0, 95, 92, 99), mean(300, 20, 10, 30)] }
    expect(previewThresholds([part], { ...CPU, fails_b4_alert: 3 }, 600)).toMatchObject({
      alerts: 1,
      errorSeconds: 300,
    })
  })

  test('a peak in a good average is one run', () => {
    const part = { resolution: 300, points: [mean(0, 40, 10, 95), mean(300, 20, 10, 30)] }
    expect(previewThresholds([part], CPU, 600)).toMatchObject({ alerts: 1, errorSeconds: 100 })
    expect(previewThresholds([part], { ...CPU, fails_b4_alert: 2 }, 600).alerts).toBe(0)
  })

  test('a minimum counts in reverse mode', () => {
    const part = { resolution: 3600, points: [mean(0, 40, 5, 60)] }
    expect(previewThresholds([part], DISK, 3600)).toMatchObject({ alerts: 1, errorSeconds: 100 })
  })

  test('a failure across averages and samples is one alert', () => {
    const older = { resolution: 300, points: [mean(0, 20, 10, 30), mean(300, 95, 95, 95)] }
    const newer = { resolution: 0, points: [mean(600, 95, 95, 95), mean(700, 10, 10, 10)] }
    const preview = previewThresholds([older, newer], CPU, 800)
    expect(preview).toMatchObject({ alerts: 1, errorSeconds: 400, since: 0 })
    expect(preview.failures).toEqual([{ from: 300, to: 700, severity: 'error' }])
  })
})
