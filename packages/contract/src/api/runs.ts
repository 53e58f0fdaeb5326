import { z } from 'zod'
import { HISTORY_TYPES } from '@muster/rules/agents/history-state'
import { nameShell } from '../agent/shells.ts'
import { endpoint } from '../endpoint.ts'
import { AgentId, AgentParams, Id, Instant, ListQuery } from '../fields.ts'
import { ScriptShell } from './scripts.ts'

export const HistoryState = z.enum([
  'queued',
  'sent',
  'accepted',
  'running',
  'done',
  'failed',
  'expired',
  'cancelled',
])
export type HistoryState = z.infer<typeof HistoryState>

/** A command or script that was sent to a machine, with its result. */
export const AgentHistory = z.object({
  id: z.int(),
  agent_id: AgentId,
  time: Instant,
  type: z.enum(HISTORY_TYPES),
  state: HistoryState,
  /** Why it failed, expired or was cancelled, as a sentence. */
  reason: z.string().nullable(),
  command: z.string(),
  script: z.int().nullable(),
  script_name: z.string().nullable(),
  shell: z.string(),
  args: z.array(z.string()),
  username: z.string(),
  /** The job that it is part of; null = none. */
  job: z.int().nullable(),
  /** A user name, or `signed-in user`; null = the agent's own user. */
  run_as_user: z.string().nullable(),
  timeout: z.int(),
  expires_at: Instant,
  started_at: Instant.nullable(),
  finished_at: Instant.nullable(),
  retcode: z.int().nullable(),
  /** Seconds. */
  execution_time: z.number().nullable(),
  /** Stored bytes, and bytes that were left out: between the first and the last part of a stream, see docs/protocol.md. */
  output_bytes: z.int(),
  output_cut_bytes: z.int(),
})
export type AgentHistory = z.infer<typeof AgentHistory>

export const AgentHistoryResult = AgentHistory.extend({ stdout: z.string(), stderr: z.string() })
export type AgentHistoryResult = z.infer<typeof AgentHistoryResult>

const Timeout = z.int().min(1).max(86_400)
const RunOptions = {
  timeout: Timeout.optional(),
  env_vars: z
    .array(
      z
        .string()
        .max(10_000)
        .regex(/^[A-Za-z_][A-Za-z0-9_]*=/, 'Write NAME=value.'),
    )
    .max(200)
    .optional(),
  /** A user name on Linux; `true` = the user who is signed in when it starts. */
  run_as_user: z.union([z.boolean(), z.string().max(64)]).optional(),
  /** How many seconds it may wait for an offline machine. */
  expires_in: z
    .int()
    .min(1)
    .max(30 * 86_400)
    .default(3600),
  /** true: respond when it has ended (or waits for an offline machine); false: respond at once. */
  wait: z.boolean().default(true),
}

/** A body that may also name a shell by its path and give numbers as text, as other programs do. */
function alsoLoose<Schema extends z.ZodType>(schema: Schema): z.ZodType<z.output<Schema>, z.input<Schema>> {
  // The schema itself is what is documented.
  return z.preprocess((body) => {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
    const given: Record<string, unknown> = { ...body }
    const { timeout } = given
    if (typeof timeout === 'string' && /^\d{1,6}$/.test(timeout)) given['timeout'] = Number(timeout)
    return nameShell(given)
  }, schema) as unknown as z.ZodType<z.output<Schema>, z.input<Schema>>
}

export const sendCommand = endpoint({
  method: 'POST',
  path: '/agents/:agent_id/cmd/',
  access: 'can_send_cmd',
  summary: 'Send a command to a machine',
  params: AgentParams,
  body: alsoLoose(
    z
      .object({
        shell: z.enum(['bash', 'sh', 'cmd', 'powershell', 'custom']),
        custom_shell: z.string().max(1000).nullable().optional(),
        cmd: z.string().min(1, 'A command is needed.').max(100_000),
        ...RunOptions,
      })
      .refine((body) => body.shell !== 'custom' || (body.custom_shell ?? '').trim() !== '', {
        path: ['custom_shell'],
        message: 'Give the path of the shell.',
      }),
  ),
  response: AgentHistoryResult,
})

export const runScript = endpoint({
  method: 'POST',
  path: '/agents/:agent_id/runscript/',
  access: 'can_run_scripts',
  summary: 'Run a saved script on a machine',
  params: AgentParams,
  body: alsoLoose(
    z.object({
      script: Id,
      args: z.array(z.string().max(10_000)).max(200).optional(),
      /** `forget` responds at once; `note` also stores the output as a note. */
      output: z.enum(['wait', 'forget', 'note']).default('wait'),
      ...RunOptions,
    }),
  ),
  response: AgentHistoryResult,
})

export const testScript = endpoint({
  method: 'POST',
  path: '/scripts/:agent_id/test/',
  access: 'can_run_scripts',
  summary: 'Run code that is not saved on a machine',
  params: AgentParams,
  body: z.object({
    code: z.string().min(1, 'There is nothing to run.').max(1_000_000),
    shell: ScriptShell,
    args: z.array(z.string().max(10_000)).max(200).default([]),
    ...RunOptions,
  }),
  bodyLimit: 4 * 1024 * 1024,
  response: AgentHistoryResult,
})

export const listAgentHistory = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/history/',
  access: 'can_list_agent_history',
  summary: 'List commands and scripts of a machine, newest first',
  params: AgentParams,
  query: ListQuery,
  response: z.array(AgentHistory),
  paged: true,
})

export const getHistory = endpoint({
  method: 'GET',
  path: '/agents/history/:id/',
  access: 'can_list_agent_history',
  summary: 'Get one command or script with its output',
  params: z.object({ id: Id }),
  response: AgentHistoryResult,
})

export const getHistoryOutput = endpoint({
  method: 'GET',
  path: '/agents/history/:id/output/',
  access: 'can_list_agent_history',
  summary: 'Get the output after chunk number `after`',
  params: z.object({ id: Id }),
  query: z.object({ after: z.coerce.number().int().min(0).max(2_147_483_647).default(0) }),
  response: z.object({
    history: AgentHistory,
    chunks: z.array(z.object({ seq: z.int(), stream: z.enum(['stdout', 'stderr']), text: z.string() })),
  }),
})

export const cancelHistory = endpoint({
  method: 'POST',
  path: '/agents/history/:id/cancel/',
  access: 'can_send_cmd',
  withLowDisk: true,
  summary: 'Cancel a command or script that has not ended',
  params: z.object({ id: Id }),
  response: AgentHistory,
})
