import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentId, Id, Instant } from '../fields.ts'
import { AlertCause } from './alerts.ts'
import { FleetJob } from './fleet-jobs.ts'
import { MaintenanceWindow } from './maintenance.ts'

/** Number of machines in each part of the fleet; a machine counts once, in the worst part that fits. */
export const FleetCounts = z.object({
  overdue: z.int().min(0),
  failing: z.int().min(0),
  warning: z.int().min(0),
  offline: z.int().min(0),
  maintenance: z.int().min(0),
  /** Online, and nothing is checked on them. */
  unchecked: z.int().min(0),
  healthy: z.int().min(0),
})

export const OverviewClient = z.object({
  id: z.int(),
  name: z.string(),
  machines: z.int().min(1),
  counts: FleetCounts,
})
export type OverviewClient = z.infer<typeof OverviewClient>

export const OverviewCauses = z.object({
  total: z.int().min(0),
  /** Causes with an alert that nobody has acknowledged or snoozed. */
  unacknowledged: z.int().min(0),
  /** Compared with 24 hours ago: causes that were not open then, and those that no longer are. */
  new_since_yesterday: z.int().min(0),
  gone_since_yesterday: z.int().min(0),
  /** The first, worst first. */
  shown: z.array(AlertCause),
})
export type OverviewCauses = z.infer<typeof OverviewCauses>

/** A disk that fills up, if it goes on as in the last week. */
export const OverviewDisk = z.object({
  agent_id: AgentId,
  hostname: z.string(),
  mount: z.string(),
  /** Bytes, as the machine last reported them. */
  free: z.number(),
  used: z.number(),
  total: z.number(),
  full_at: Instant,
  /** `[unix seconds, percent used]`, a mean for each of the last 30 days. */
  points: z.array(z.tuple([z.number(), z.number()])),
})
export type OverviewDisk = z.infer<typeof OverviewDisk>

export const OverviewPatches = z.object({
  /** Machines with such a patch that is not ignored. */
  critical: z.int().min(0),
  important: z.int().min(0),
  /** When the oldest critical patch was first reported. */
  oldest_critical: Instant.nullable(),
  /** Patches that neither a user nor a policy has decided about. */
  undecided: z.int().min(0),
})
export type OverviewPatches = z.infer<typeof OverviewPatches>

export const OverviewMaintenance = z.object({
  targets: MaintenanceWindow.shape.targets,
  machines: z.int().min(0),
  reason: z.string(),
  /** Null = until a user ends it. */
  until: Instant.nullable(),
  /** Null = unknown. */
  since: Instant.nullable(),
})
export type OverviewMaintenance = z.infer<typeof OverviewMaintenance>

/** A planned job, maintenance or installation. */
export const OverviewNext = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('job'),
    at: Instant,
    name: z.string(),
    /** Null = a repeating job, which is planned at that time. */
    job: Id.nullable(),
  }),
  z.object({
    kind: z.literal('maintenance'),
    at: Instant,
    targets: MaintenanceWindow.shape.targets,
    machines: z.int().min(0),
  }),
  /** The next installation of approved patches by a policy. */
  z.object({ kind: z.literal('patches'), at: Instant, machines: z.int().min(1) }),
])
export type OverviewNext = z.infer<typeof OverviewNext>

export const Overview = z.object({
  machines: z.int().min(0),
  connected: z.int().min(0),
  counts: FleetCounts,
  /** Clients with machines, worst first. */
  clients: z.array(OverviewClient),
  needs_reboot: z.int().min(0),
  /** Null where the role does not allow it, like patches and jobs. */
  causes: OverviewCauses.nullable(),
  disks: z.object({ total: z.int().min(0), shown: z.array(OverviewDisk) }),
  patches: OverviewPatches.nullable(),
  /** Jobs that run, or that wait for a time or a person. */
  jobs: z.array(FleetJob).nullable(),
  maintenance: z.array(OverviewMaintenance),
  /** The next job, maintenance and installation that the role may see, the soonest first. */
  next: z.array(OverviewNext),
})
export type Overview = z.infer<typeof Overview>

export const getOverview = endpoint({
  method: 'GET',
  path: '/overview/',
  access: 'can_list_agents',
  summary: 'Get the state of the fleet, or of one client: counts, causes of alerts, disks, patches and jobs',
  query: z.object({ client: Id.optional() }),
  response: Overview,
})
