import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentId, Id, IdParams, Instant, Nothing } from '../fields.ts'

/** Target of a window. Clients and sites include machines that are added later. */
export const MaintenanceTarget = z.discriminatedUnion('type', [
  z.object({ type: z.literal('client'), id: Id }),
  z.object({ type: z.literal('site'), id: Id }),
  z.object({ type: z.literal('agent'), id: AgentId }),
])
export type MaintenanceTarget = z.infer<typeof MaintenanceTarget>

/** Local date and time without a zone: `2026-11-22T02:00`. */
export const LocalTime = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d$/, 'Use a date and time such as 2026-11-22T02:00.')
  .refine((text) => !Number.isNaN(Date.parse(`${text}Z`)), 'There is no such date.')

/** When a window is active: once, or repeatedly. Wall-clock times of the zone, including daylight saving. */
export const MaintenanceSchedule = z.object({
  starts: LocalTime,
  /** Null = until it is ended manually; only for a window that does not recur. */
  minutes: z.int().min(1).max(527_040).nullable(),
  /** IANA name. */
  time_zone: z.string().min(1).max(64),
  recurs: z.enum(['once', 'daily', 'weekly', 'monthly']),
  /** For weekly: 0 = Sunday. */
  weekdays: z.array(z.int().min(0).max(6)).max(7).default([]),
  /** For monthly: days, -1 = the last. */
  month_days: z
    .array(z.union([z.int().min(1).max(31), z.literal(-1)]))
    .max(32)
    .default([]),
  /** No occurrence starts after this time; null = forever. */
  until: LocalTime.nullable().default(null),
})
export type MaintenanceSchedule = z.infer<typeof MaintenanceSchedule>

const body = {
  reason: z.string().trim().max(500).default(''),
  targets: z.array(MaintenanceTarget).min(1, 'Choose at least one client, site or machine.').max(5000),
  schedule: MaintenanceSchedule,
}

export const MaintenanceWindow = z.object({
  id: z.int(),
  reason: z.string(),
  targets: z.array(
    z.object({
      type: z.enum(['client', 'site', 'agent']),
      id: z.union([z.int(), AgentId]),
      name: z.string(),
    }),
  ),
  schedule: MaintenanceSchedule,
  /** Machines that it covers now. */
  agent_count: z.int(),
  /** End of the current occurrence (null = until ended manually). */
  active: z.boolean(),
  active_until: Instant.nullable(),
  /** Null = none. */
  next_start: Instant.nullable(),
  created_by: z.string(),
  modified: z.string(),
})
export type MaintenanceWindow = z.infer<typeof MaintenanceWindow>

export const listMaintenanceWindows = endpoint({
  method: 'GET',
  path: '/maintenance/',
  access: 'can_list_agents',
  summary: 'List maintenance windows with a target that the caller may see',
  response: z.array(MaintenanceWindow),
})

/** Maintenance without an end: a window, or machines that a user turned on without one. */
export const OpenMaintenance = z.object({
  /** Null = turned on without a window. */
  window_id: z.int().nullable(),
  targets: MaintenanceWindow.shape.targets,
  agent_count: z.int(),
  since: Instant.nullable(),
  reason: z.string(),
  /** Empty = unknown. */
  created_by: z.string(),
})
export type OpenMaintenance = z.infer<typeof OpenMaintenance>

export const listOpenMaintenance = endpoint({
  method: 'GET',
  path: '/maintenance/open/',
  access: 'can_list_agents',
  summary:
    'List maintenance without an end that the caller may see. Machines in maintenance without a window are one entry per client or site if all of its machines are in maintenance',
  response: z.array(OpenMaintenance),
})

export const createMaintenanceWindow = endpoint({
  method: 'POST',
  path: '/maintenance/',
  access: 'can_edit_agent',
  summary:
    'Add a maintenance window; the caller must be allowed to see every target. A window that starts at once includes machines in maintenance without a window, whose maintenance then ends with the window',
  body: z.object(body),
  response: MaintenanceWindow.extend({ taken_over: z.int() }),
})

export const editMaintenanceWindow = endpoint({
  method: 'PUT',
  path: '/maintenance/:id/',
  access: 'can_edit_agent',
  summary: 'Change a maintenance window. With `modified`, refused if another user has saved since',
  params: IdParams,
  body: z.object({ ...body, modified: z.string().optional() }),
  volatile: ['agent_count', 'active', 'active_until', 'next_start'],
  response: MaintenanceWindow,
})

export const endMaintenanceWindow = endpoint({
  method: 'POST',
  path: '/maintenance/:id/end/',
  access: 'can_edit_agent',
  withLowDisk: true,
  summary: 'End the current occurrence; a recurring window starts again at its next time',
  params: IdParams,
  response: MaintenanceWindow,
})

export const deleteMaintenanceWindow = endpoint({
  method: 'DELETE',
  path: '/maintenance/:id/',
  access: 'can_edit_agent',
  summary: 'Delete a maintenance window; its machines leave maintenance at once',
  params: IdParams,
  response: Nothing,
})
