import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentId } from '../fields.ts'
import { SamplePoint } from '../checks/check-samples.ts'
import { CheckSettings } from './checks.ts'

export const MachineMetrics = z.object({
  /** 0 = every sample as it was measured, else the seconds that each point stands for. */
  resolution: z.int(),
  /** Names as in agent/metrics.ts, in the order in which they were first measured. */
  series: z.array(z.object({ name: z.string(), unit: z.string(), points: z.array(SamplePoint) })),
})
export type MachineMetrics = z.infer<typeof MachineMetrics>

export const getMachineMetrics = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/metrics/',
  access: 'can_list_agents',
  summary: 'What a machine measured of itself between two moments, in as many points as a graph needs',
  params: z.object({ agent_id: AgentId }),
  query: z.object({
    /** Unix seconds. */
    from: z.coerce.number().int().min(0),
    to: z.coerce.number().int().min(0),
  }),
  response: MachineMetrics,
})

export const LiveMetrics = z.object({
  /** False = nothing comes while the machine is away: that is no error, it may go at any moment. */
  connected: z.boolean(),
  samples: z.array(
    z.object({
      /** Unix seconds, with parts of them. */
      at: z.number(),
      /** By the names of agent/metrics.ts. */
      values: z.record(z.string(), z.number()),
    }),
  ),
  /** To be given back as `after`. */
  next: z.int(),
})
export type LiveMetrics = z.infer<typeof LiveMetrics>

export const watchMachineMetrics = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/metrics/live/',
  access: 'can_list_agents',
  summary:
    'What a machine measures of itself now, each second for as long as somebody asks; waits some seconds for something newer than `after`, and stores nothing',
  params: z.object({ agent_id: AgentId }),
  query: z.object({ after: z.coerce.number().int().min(0).default(0) }),
  response: LiveMetrics,
})

/** As many lines as can be told apart on one graph. */
export const MOST_COMPARED = 10

/** A metric of agent/metrics.ts, or `check:7:percent`: that number of check 7, and of the same check of other machines. */
const Compared = z.string().min(1).max(300)

export const Comparison = z.object({
  unit: z.string(),
  lines: z.array(
    z.object({
      agent_id: AgentId,
      hostname: z.string(),
      /** The check that measured it; null = the machine itself, or it has no such check. */
      check: z.int().nullable(),
      /** 0 = every sample as it was measured, else the seconds that each point stands for. */
      resolution: z.int(),
      points: z.array(SamplePoint),
    }),
  ),
  /** What at least one of these machines has measured. */
  choices: z.array(
    z.object({
      what: Compared,
      series: z.string(),
      /** Null = a metric. */
      check: z.object({ settings: CheckSettings, script_name: z.string().nullable() }).nullable(),
    }),
  ),
})
export type Comparison = z.infer<typeof Comparison>

export const compareMachines = endpoint({
  method: 'GET',
  path: '/agents/metrics/compare/',
  access: 'can_list_agents',
  summary:
    'One metric, or one number of one check, of up to ten machines between two moments; checks are for who may list checks',
  query: z.object({
    /** Agent ids, with commas between them. */
    agents: z
      .string()
      .max(2000)
      .transform((text) => [...new Set(text.split(','))])
      .pipe(z.array(AgentId).min(1).max(MOST_COMPARED, `At most ${MOST_COMPARED} machines can be compared.`)),
    what: Compared,
    /** Unix seconds. */
    from: z.coerce.number().int().min(0),
    to: z.coerce.number().int().min(0),
  }),
  response: Comparison,
})
