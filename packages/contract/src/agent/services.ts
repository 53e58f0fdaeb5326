import { z } from 'zod'

export const ServiceName = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^\s\p{Cc}/-][^\p{Cc}/]*$/u, 'That is no name of a service.')

export const ServiceStatus = z.enum([
  'running',
  'starting',
  'stopping',
  'stopped',
  'failed',
  'paused',
  'unknown',
])
export type ServiceStatus = z.infer<typeof ServiceStatus>

export const ServiceAction = z.enum(['start', 'stop', 'restart'])
export type ServiceAction = z.infer<typeof ServiceAction>

/** `disabled`: it cannot be started at all; on systemd that is masked, and `manual` what is called disabled there. */
export const WantedStartType = z.enum(['auto', 'autodelay', 'manual', 'disabled'])
export type WantedStartType = z.infer<typeof WantedStartType>

export const MachineService = z.object({
  name: z.string().max(255),
  display_name: z.string().max(255),
  description: z.string().max(500),
  status: ServiceStatus,
  /** The system's own word for it. */
  detail: z.string().max(100),
  /** `fixed`: something else decides when it starts. */
  start_type: z.enum(['auto', 'manual', 'disabled', 'fixed']),
  /** Of `auto`: some minutes after the others. */
  autodelay: z.boolean(),
  /** 0 = none. */
  pid: z.int().min(0),
  username: z.string().max(255),
  binpath: z.string().max(500),
})
export type MachineService = z.infer<typeof MachineService>

export const MOST_SERVICES = 1500
export const MOST_LOG_LINES = 1000
