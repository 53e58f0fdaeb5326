import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentId, Id, MonitoringType } from '../fields.ts'
import { SamplePoint } from '../checks/check-samples.ts'
import { CheckSettings } from './checks.ts'

export const MachineMetrics = z.object({
  /** 0 = every sample, otherwise the seconds that each point represents. */
  resolution: z.int(),
  /** Names as in agent/metrics.ts, in the order of their first sample. */
  series: z.array(z.object({ name: z.string(), unit: z.string(), points: z.array(SamplePoint) })),
})
export type MachineMetrics = z.infer<typeof MachineMetrics>

export const getMachineMetrics = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/metrics/',
  access: 'can_list_agents',
  summary: 'Get the metrics of a machine between two times, in as many points as a graph needs',
  params: z.object({ agent_id: AgentId }),
  query: z.object({
    /** Unix seconds. */
    from: z.coerce.number().int().min(0),
    to: z.coerce.number().int().min(0),
  }),
  response: MachineMetrics,
})

export const LiveMetrics = z.object({
  /** `false` = the machine is offline and sends nothing. Not an error, because it may happen at any time. */
  connected: z.boolean(),
  samples: z.array(
    z.object({
      /** Unix seconds with fractions. */
      at: z.number(),
      /** By the names of agent/metrics.ts. */
      values: z.record(z.string(), z.number()),
    }),
  ),
  /** Pass it as `after` in the next request. */
  next: z.int(),
})
export type LiveMetrics = z.infer<typeof LiveMetrics>

export const watchMachineMetrics = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/metrics/live/',
  access: 'can_list_agents',
  summary:
    'Get the current metrics of a machine, each second while requests continue; waits some seconds for values newer than `after`, and stores nothing',
  params: z.object({ agent_id: AgentId }),
  query: z.object({ after: z.coerce.number().int().min(0).default(0) }),
  response: LiveMetrics,
})

/** The last values of a machine in percent; null = none in the last minutes. */
export const LatestMetrics = z.object({
  agent_id: AgentId,
  cpu: z.number().nullable(),
  memory: z.number().nullable(),
})
export type LatestMetrics = z.infer<typeof LatestMetrics>

export const listLatestMetrics = endpoint({
  method: 'GET',
  path: '/agents/metrics/latest/',
  access: 'can_list_agents',
  summary: 'List the last processor load and memory use of the machines that reported in the last minutes',
  query: z.object({
    monitoring_type: MonitoringType.optional(),
    client: Id.optional(),
    site: Id.optional(),
  }),
  response: z.array(LatestMetrics),
})

/** Maximum number of lines that can be distinguished on one graph. */
export const MAX_COMPARED = 10

/**
 * A metric of agent/metrics.ts, or `check:7:percent`: that value of check 7, and of the same check on other
 * machines.
 */
const Compared = z.string().min(1).max(300)

export const Comparison = z.object({
  unit: z.string(),
  lines: z.array(
    z.object({
      agent_id: AgentId,
      hostname: z.string(),
      /** The check that measured it; null = a metric, or the machine has no such check. */
      check: z.int().nullable(),
      /** 0 = every sample, otherwise the seconds that each point represents. */
      resolution: z.int(),
      points: z.array(SamplePoint),
    }),
  ),
  /** A series that at least one of these machines has. */
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
    'Compare one metric, or one value of one check, of up to ten machines between two times; checks require the permission to list checks',
  query: z.object({
    /** Agent ids, separated by commas. */
    agents: z
      .string()
      .max(2000)
      .transform((text) => [...new Set(text.split(','))])
      .pipe(z.array(AgentId).min(1).max(MAX_COMPARED, `At most ${MAX_COMPARED} machines can be compared.`)),
    what: Compared,
    /** Unix seconds. */
    from: z.coerce.number().int().min(0),
    to: z.coerce.number().int().min(0),
  }),
  response: Comparison,
})

export const scrapeMachines = endpoint({
  method: 'GET',
  path: '/metrics/machines/',
  access: 'can_list_agents',
  summary:
    'Get the state of each machine in the Prometheus text format; open alerts and pending patches require the permissions to see them',
  query: z.object({
    monitoring_type: MonitoringType.optional(),
    client: Id.optional(),
    site: Id.optional(),
  }),
  text: true,
  response: z.string(),
})
