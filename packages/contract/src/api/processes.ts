import { z } from 'zod'
import { MachineProcess, Nice, ProcessStart } from '../agent/processes.ts'
import { endpoint } from '../endpoint.ts'
import { AgentId, AgentParams, QueryFlag } from '../fields.ts'

export const Process = MachineProcess.extend({
  /** Of all processors together, since the look before. */
  cpu_percent: z.number(),
  membytes: z.number(),
})
export type Process = z.infer<typeof Process>

const ProcessParams = z.object({
  agent_id: AgentId,
  pid: z.coerce
    .number()
    .int()
    .min(0)
    .max(2 ** 32),
})

export const listProcesses = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/processes/',
  access: 'can_manage_procs',
  summary: 'The processes of a machine as they are now',
  params: AgentParams,
  response: z.array(Process.extend({ id: z.int() })),
})

export const LiveProcesses = z.object({
  /** False = nothing comes while the machine is away: that is no error, it may go at any moment. */
  connected: z.boolean(),
  /** What came before does not count any more. */
  whole: z.boolean(),
  /** There is more of the same look: ask again at once. */
  more: z.boolean(),
  /** New or changed since `after`. */
  processes: z.array(Process),
  /** Numbers of those that have ended since. */
  gone: z.array(z.int()),
  /** To be given back as `after`. */
  next: z.string(),
  /** How many there are that the machine does not tell of. */
  left_out: z.int(),
  cpu_percent: z.number(),
  memory_total: z.number(),
  memory_used: z.number(),
})
export type LiveProcesses = z.infer<typeof LiveProcesses>

export const watchProcesses = endpoint({
  method: 'GET',
  path: '/agents/:agent_id/processes/live/',
  access: 'can_manage_procs',
  summary:
    'What has changed among the processes of a machine since `after`, for as long as somebody asks; waits some seconds for a change, and stores nothing',
  params: AgentParams,
  query: z.object({ after: z.string().max(64).default('') }),
  response: LiveProcesses,
})

export const endProcess = endpoint({
  method: 'DELETE',
  path: '/agents/:agent_id/processes/:pid/',
  access: 'can_manage_procs',
  summary:
    'End a process: it is asked to, or with `force` made to; with `tree` also all that it has started. One with the same number and another start is left alone',
  params: ProcessParams,
  query: z.object({ start: ProcessStart, force: QueryFlag.optional(), tree: QueryFlag.optional() }),
  response: z.object({
    ended: z.int(),
    /** Numbers of those that went on. */
    left: z.array(z.int()),
  }),
})

export const setPriority = endpoint({
  method: 'PUT',
  path: '/agents/:agent_id/processes/:pid/',
  access: 'can_manage_procs',
  summary: 'Change how urgent a process is',
  params: ProcessParams,
  body: z.object({ start: ProcessStart, nice: Nice }),
  response: z.object({ pid: z.int(), nice: Nice }),
})
