import { z } from 'zod'
import { MOST_PATCHES, Patch, PatchGuid } from '../agent/patches.ts'
import { endpoint } from '../endpoint.ts'
import { AgentParams, Instant } from '../fields.ts'
import { AgentHistory } from './runs.ts'

/** `approve` = installed with the approved ones, `ignore` = left out, `inherit` and `nothing` = undecided. */
export const PatchAction = z.enum(['inherit', 'approve', 'ignore', 'nothing'])
export type PatchAction = z.infer<typeof PatchAction>

/** Beyond it the number of the machine is none. */
const MAX_PATCH_ID = 2_147_483_647_999_999

/** A patch of one machine. A newer version of the same patch is another one, which nobody has decided about. */
export const MachinePatch = Patch.extend({
  id: z.int(),
  action: PatchAction,
  installed: z.literal(false),
})
export type MachinePatch = z.infer<typeof MachinePatch>

export const listPatches = endpoint({
  method: 'GET',
  path: '/winupdate/:agent_id/',
  access: 'can_manage_winupdates',
  summary: 'Patches that a machine of any system can install, as of its last scan',
  params: AgentParams,
  response: z.array(MachinePatch),
})

export const editPatch = endpoint({
  method: 'PUT',
  path: '/winupdate/:id/',
  access: 'can_manage_winupdates',
  summary: 'Approve or ignore a patch of one machine',
  params: z.object({ id: z.coerce.number().int().min(1).max(MAX_PATCH_ID) }),
  body: z.object({ action: PatchAction }),
  response: MachinePatch,
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
  summary:
    'Have a machine install the named patches, without guids those that are approved; `run` has the output, null = none is approved',
  params: AgentParams,
  body: z
    .object({
      guids: z.array(PatchGuid).min(1, 'Choose a patch.').max(MOST_PATCHES).optional(),
      /** Seconds that it may take. */
      timeout: z.int().min(60).max(86_400).default(7200),
    })
    .prefault({}),
  response: z.object({
    /** How many patches are installed. */
    patches: z.int(),
    run: AgentHistory.nullable(),
  }),
})
