import { z } from 'zod'

/** One service. Tools of the system would take patterns for many, and paths for files. */
export const ServiceName = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^*?[/]*$/, 'Enter one name, without * ? [ and /.')
  .regex(/^[^\s\p{Cc}-][^\p{Cc}]*$/u, 'Invalid service name')

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

/** `disabled`: cannot be started at all; on systemd this is masked, and `manual` is systemd's disabled. */
export const WantedStartType = z.enum(['auto', 'autodelay', 'manual', 'disabled'])
export type WantedStartType = z.infer<typeof WantedStartType>

export const MachineService = z.object({
  name: z.string().max(255),
  display_name: z.string().max(255),
  description: z.string().max(500),
  status: ServiceStatus,
  /** The system's own term. */
  detail: z.string().max(100),
  /** `fixed`: started by something else. */
  start_type: z.enum(['auto', 'manual', 'disabled', 'fixed']),
  /** For `auto`: some minutes after the others. */
  autodelay: z.boolean(),
  /** 0 = none. */
  pid: z.int().min(0),
  username: z.string().max(255),
  binpath: z.string().max(500),
})
export type MachineService = z.infer<typeof MachineService>

export const MAX_SERVICES = 1500
export const MAX_LOG_LINES = 1000
