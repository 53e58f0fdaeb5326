import { z } from 'zod'
import { Instant } from '../fields.ts'

/** `\Microsoft\Windows\Defrag\ScheduledDefrag` on Windows, `logrotate.timer` with systemd. */
export const SystemTaskName = z
  .string()
  .min(1)
  .max(400)
  // Tools of the system would take patterns for many tasks, and paths for files.
  .regex(/^[^*?/]*$/, 'Enter one name, without * ? and /.')
  .regex(/^[^\s\p{Cc}-][^\p{Cc}]*$/u, 'Invalid task name')

export const SystemTaskAction = z.enum(['run', 'enable', 'disable'])
export type SystemTaskAction = z.infer<typeof SystemTaskAction>

/** A task of the system's own scheduler: the Task Scheduler of Windows, or a timer of systemd. */
export const SystemTask = z.object({
  name: z.string().max(400),
  description: z.string().max(500),
  state: z.enum(['ready', 'running', 'disabled', 'failed', 'unknown']),
  /** Whether it can be enabled and disabled. */
  can_change: z.boolean(),
  /** In words; empty if it only runs on request. */
  schedule: z.string().max(255),
  /** The program, or the service that it starts. */
  command: z.string().max(500),
  username: z.string().max(255),
  /** Null = never, or not known. */
  last_run: Instant.nullable(),
  /** `success`, `failed (0x1)`; empty if there is none. */
  last_result: z.string().max(100),
  /** Null = not by time. */
  next_run: Instant.nullable(),
})
export type SystemTask = z.infer<typeof SystemTask>

export const MAX_SYSTEM_TASKS = 1500
