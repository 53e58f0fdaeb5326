import { z } from 'zod'
import { Instant } from '../fields.ts'
import { Severity } from '../severity.ts'

/** `[unix seconds, mean, least, most]`; of raw samples all three are the same. */
export const SamplePoint = z.tuple([z.int(), z.number(), z.number(), z.number()])
export const CheckSamples = z.object({
  /** 0 = every sample as it was measured, else the seconds that each point stands for. */
  resolution: z.int(),
  series: z.array(z.object({ name: z.string(), unit: z.string(), points: z.array(SamplePoint) })),
  /** When the check began and ended to fail within the range, by severity; `to` null = it still does. */
  failures: z.array(z.object({ from: z.int(), to: z.int().nullable(), severity: Severity })),
  /** When the machine was in maintenance, and alerts were held back; `to` null = it still is. */
  maintenance: z.array(z.object({ from: z.int(), to: z.int().nullable(), reason: z.string() })),
})
export type CheckSamples = z.infer<typeof CheckSamples>

/** A moment of a check, or the beginning of a span of time where that many moments are too many. */
export const CheckHistoryPoint = z.object({
  x: Instant,
  /** What the thresholds judge, in percent: of load or memory in use, of the disk free. Of other types 1 = it failed. */
  y: z.number(),
  /** All numbers of that moment by name, such as the `retcode` of a script; of a span, their means. */
  results: z.record(z.string(), z.number()),
})
export type CheckHistoryPoint = z.infer<typeof CheckHistoryPoint>
