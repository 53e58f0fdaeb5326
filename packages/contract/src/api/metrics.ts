import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentId } from '../fields.ts'
import { SamplePoint } from './checks.ts'

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
