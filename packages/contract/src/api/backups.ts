import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Instant } from '../fields.ts'

/** A scheduled backup that has ended. */
const BackupRun = z.object({
  started_at: Instant,
  finished_at: Instant,
  /** The sentence of the command: its result or its error. */
  message: z.string(),
  ok: z.boolean(),
})

export const Backups = z.object({
  /** Null = not scheduled: MUSTER_BACKUP_FOLDER is not set. */
  schedule: z
    .object({
      folder: z.string(),
      /** HH:MM in the server's time zone. */
      time: z.string(),
      /** How many days, and how many weeks, keep their newest backup. */
      daily: z.int(),
      weekly: z.int(),
    })
    .nullable(),
  /** One is being written, or waits to be. */
  running: z.boolean(),
  /** Null = none has ended. */
  last: BackupRun.nullable(),
  last_success: Instant.nullable(),
  /** The files in the folder, newest first; empty where it cannot be read. */
  files: z.array(z.object({ name: z.string(), at: Instant, bytes: z.int() })),
})
export type Backups = z.infer<typeof Backups>

export const getBackups = endpoint({
  method: 'GET',
  path: '/core/backups/',
  access: 'can_view_core_settings',
  summary: 'Get the schedule of backups, the last result and the files',
  response: Backups,
})

export const startBackup = endpoint({
  method: 'POST',
  path: '/core/backups/',
  access: 'can_edit_core_settings',
  summary: 'Write a backup into the folder of scheduled backups now',
  response: Backups,
})
