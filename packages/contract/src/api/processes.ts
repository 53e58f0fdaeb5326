import { z } from 'zod'
import { MachineProcess, Nice, ProcessStart } from '../agent/processes.ts'
import { endpoint } from '../endpoint.ts'
import { AgentId, AgentParams, QueryFlag } from '../fields.ts'

export const Process = MachineProcess.extend({
  /** Share of all processors together, since the last sample. */
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
  summary: 'List the current processes of a machine',
  params: AgentParams,
  response: z.array(Process.extend({ id: z.int() })),
})

export const LiveProcesses = z.object({
  /** `false` = the machine is offline and sends nothing. Not an error, because it may happen at any time. */
  connected: z.boolean(),
  /** Earlier data is obsolete. */
  whole: z.boolean(),
  /** There are more parts of this sample: request again at once. */
  more: z.boolean(),
  /** New or changed since `after`. */
  processes: z.array(Process),
  /** Ids of processes that have exited since. */
  gone: z.array(z.int()),
  /** Pass it as `after` in the next request. */
  next: z.string(),
  /** Number of processes that the machine does not list. */
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
    "Get the changes of a machine's processes since `after`, while requests continue; waits some seconds for a change, and stores nothing",
  params: AgentParams,
  query: z.object({ after: z.string().max(64).default('') }),
  response: LiveProcesses,
})

export const endProcess = endpoint({
  method: 'DELETE',
  path: '/agents/:agent_id/processes/:pid/',
  access: 'can_manage_procs',
  summary:
    'End a process, or kill it with `force`; with `tree` including its child processes. With `start`, a process with the same id and another start time is not touched; without it, the process that has the id now is ended',
  params: ProcessParams,
  query: z.object({
    start: ProcessStart.optional(),
    force: QueryFlag.optional(),
    tree: QueryFlag.optional(),
  }),
  response: z.object({
    ended: z.int(),
    /** Ids of processes that are still running. */
    left: z.array(z.int()),
  }),
})

export const setPriority = endpoint({
  method: 'PUT',
  path: '/agents/:agent_id/processes/:pid/',
  access: 'can_manage_procs',
  summary: 'Change the priority of a process',
  params: ProcessParams,
  body: z.object({ start: ProcessStart, nice: Nice }),
  response: z.object({ pid: z.int(), nice: Nice }),
})
