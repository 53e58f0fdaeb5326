import { z } from 'zod'
import { MOST_PATCHES, Patch, PatchGuid } from '../agent/patches.ts'
import { endpoint } from '../endpoint.ts'
import { AgentParams, Instant } from '../fields.ts'
import { AgentHistory } from './history.ts'

export const listPatches = endpoint({
  method: 'GET',
  path: '/winupdate/:agent_id/',
  access: 'can_manage_winupdates',
  summary: 'What a machine of any system may install, as it has told last',
  params: AgentParams,
  response: z.array(Patch.extend({ installed: z.literal(false) })),
})

export const PatchStatus = z.object({
  /** When the machine last looked, and when what it saw was last another; null = never. */
  looked_at: Instant.nullable(),
  changed_at: Instant.nullable(),
  /** What went wrong with the last look, as a sentence. */
  problem: z.string().nullable(),
  /** Patches beyond what is kept of one machine. */
  left_out: z.int().min(0),
  /** The last installation of patches, under way or over. */
  last_install: AgentHistory.nullable(),
})
export type PatchStatus = z.infer<typeof PatchStatus>

export const getPatchStatus = endpoint({
  method: 'GET',
  path: '/winupdate/:agent_id/status/',
  access: 'can_manage_winupdates',
  summary: 'How old the list of patches of a machine is, and what became of the last installation',
  params: AgentParams,
  response: PatchStatus,
})

export const scanPatches = endpoint({
  method: 'POST',
  path: '/winupdate/:agent_id/scan/',
  access: 'can_manage_winupdates',
  summary: 'Have a machine look for patches now; `looked_at` is another when it has',
  params: AgentParams,
  response: PatchStatus,
})

export const installPatches = endpoint({
  method: 'POST',
  path: '/winupdate/:agent_id/install/',
  access: 'can_manage_winupdates',
  summary: 'Have a machine install these patches, or all; its output is that of a run of the history',
  params: AgentParams,
  body: z
    .object({
      guids: z.array(PatchGuid).min(1, 'Choose a patch.').max(MOST_PATCHES).optional(),
      /** Seconds that it may take. */
      timeout: z.int().min(60).max(86_400).default(7200),
    })
    .prefault({}),
  response: AgentHistory,
})
