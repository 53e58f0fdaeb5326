import { z } from 'zod'
import { AgentVersion } from '../agent/updates.ts'
import { endpoint } from '../endpoint.ts'
import { AgentId } from '../fields.ts'
import { TargetParams } from '../policies/assigned-policies.ts'
import { AgentUpdate } from './agents.ts'

/** `automatic`: in waves. `paused`: only when a user orders it. `pinned`: the same, until the server offers `version`. */
export const UpdateMode = z.enum(['automatic', 'paused', 'pinned'])
export type UpdateMode = z.infer<typeof UpdateMode>

export const AgentVersionRow = z.object({
  agent_id: AgentId,
  hostname: z.string(),
  client: z.string(),
  site: z.string(),
  version: z.string(),
  connected: z.boolean(),
  /** False = too old, or not installed by an installer: reinstall the agent once. */
  can_update: z.boolean(),
  mode: UpdateMode,
  pinned_version: z.string().nullable(),
  update: AgentUpdate.nullable(),
})
export type AgentVersionRow = z.infer<typeof AgentVersionRow>

export const listAgentVersions = endpoint({
  method: 'GET',
  path: '/agents/versions/',
  access: 'can_list_agents',
  summary:
    'List the versions of the agent that the server offers, newest first, and the version of every machine',
  response: z.object({ versions: z.array(z.string()), agents: z.array(AgentVersionRow) }),
})

export const updateAgents = endpoint({
  method: 'POST',
  path: '/agents/update/',
  access: 'can_update_agents',
  summary: 'Update these agents now, offline ones when they reconnect; also where updates are paused',
  body: z.object({ agent_ids: z.array(AgentId).min(1).max(50_000) }),
  response: z.literal('ok'),
})

const Counts = z.object({
  /** Machines that this update is meant for. */
  total: z.int(),
  waiting: z.int(),
  in_progress: z.int(),
  confirmed: z.int(),
  failed: z.int(),
  rolled_back: z.int(),
})

/** The update of all machines to the version that the server offers. */
export const Rollout = z.object({
  /** Null = the agent has not been built on this server. */
  version: z.string().nullable(),
  state: z.enum(['running', 'halted', 'done', 'off']),
  /** Counts from 0. */
  wave: z.int(),
  /** Percent of the machines that have been offered the version at the end of each wave. */
  waves: z.array(z.number()),
  /** Why it was halted, or why machines of a client get no offers. */
  reason: z.string().nullable(),
  counts: Counts,
})
export type Rollout = z.infer<typeof Rollout>

export const getRollout = endpoint({
  method: 'GET',
  path: '/agents/updates/',
  access: 'can_view_core_settings',
  summary: 'Get how far the update of all machines is',
  response: Rollout,
})

export const resumeRollout = endpoint({
  method: 'POST',
  path: '/agents/updates/resume/',
  access: 'can_edit_core_settings',
  summary: 'Continue an update that was halted after rollbacks, which then no longer count',
  response: Rollout,
})

export const UpdateSettings = z.object({
  /** Null = inherited. */
  mode: UpdateMode.nullable(),
  /** The version to stay at, with `pinned`. */
  version: AgentVersion.nullable(),
  /** For all machines, a client or a site: growing percentages, the last one 100. Null = inherited. */
  waves: z
    .array(z.number().gt(0).max(100))
    .min(1)
    .max(10)
    .refine((waves) => waves.every((share, i) => share > (waves[i - 1] ?? 0)), 'Each wave must be larger.')
    .refine((waves) => waves.at(-1) === 100, 'The last wave must be 100 %.')
    .nullable(),
  /** Only for all machines: above this number of rollbacks an update is halted. */
  max_rollbacks: z.int().min(0).max(10_000).nullable(),
})
export type UpdateSettings = z.infer<typeof UpdateSettings>

const TargetUpdateSettings = z.object({
  /** Name of the machine, site or client; empty for all machines. */
  name: z.string(),
  settings: UpdateSettings,
  /** The effective values without own settings. */
  inherited: z.object({
    mode: UpdateMode,
    version: z.string().nullable(),
    waves: z.array(z.number()),
    max_rollbacks: z.int(),
  }),
  /** Changes with the settings. */
  modified: z.string(),
})
export type TargetUpdateSettings = z.infer<typeof TargetUpdateSettings>

export const getUpdateSettings = endpoint({
  method: 'GET',
  path: '/agents/updates/settings/:level/:id/',
  access: 'can_list_agents',
  summary: 'Get how the agents of a machine, site or client are updated; for all machines `id` is "all"',
  params: TargetParams,
  response: TargetUpdateSettings,
})

export const setUpdateSettings = endpoint({
  method: 'PUT',
  path: '/agents/updates/settings/:level/:id/',
  access: 'can_update_agents',
  summary:
    'Pause, pin or release the updates of a machine, site, client or of all machines. With `modified`, refused if another user has saved since',
  params: TargetParams,
  body: UpdateSettings.extend({ modified: z.string().max(200).optional() }),
  response: TargetUpdateSettings,
})
