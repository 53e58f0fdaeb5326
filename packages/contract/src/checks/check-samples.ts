import { z } from 'zod'
import { AgentId, Id, Instant, Severity } from '../fields.ts'

/** Another check, of this or another machine: while that one fails, this one sends no notifications. Null = none. */
export const DependsOn = Id.nullable()

/** `not_measured`: the machine lacks what the check needs, such as the program ping. */
export const CheckStatus = z.enum(['passing', 'failing', 'pending', 'not_measured'])
export type CheckStatus = z.infer<typeof CheckStatus>

/** The other check, if the caller may see it. */
export const CheckDependency = z.object({
  id: z.int(),
  agent_id: AgentId,
  hostname: z.string(),
  readable_desc: z.string(),
  status: CheckStatus,
})

/** `[unix seconds, average, minimum, maximum]`; all three are the same for raw samples. */
export const SamplePoint = z.tuple([z.int(), z.number(), z.number(), z.number()])
export const CheckSamples = z.object({
  /** 0 = every sample, otherwise the seconds that each point represents. */
  resolution: z.int(),
  series: z.array(z.object({ name: z.string(), unit: z.string(), points: z.array(SamplePoint) })),
  /** When the check failed within the range, by severity; `to` null = it still fails. */
  failures: z.array(z.object({ from: z.int(), to: z.int().nullable(), severity: Severity })),
  /** When the machine was in maintenance, which holds alerts; `to` null = it still is. */
  maintenance: z.array(z.object({ from: z.int(), to: z.int().nullable(), reason: z.string() })),
})
export type CheckSamples = z.infer<typeof CheckSamples>

/** A sample of a check, or the start of a time span if there are too many samples. */
export const CheckHistoryPoint = z.object({
  x: Instant,
  /**
   * The value that thresholds apply to, in percent: load or memory in use, free disk space. Other types: 1 = failed.
   */
  y: z.number(),
  /** All values of the sample by name, such as the `retcode` of a script; averages for a time span. */
  results: z.record(z.string(), z.number()),
})
export type CheckHistoryPoint = z.infer<typeof CheckHistoryPoint>
