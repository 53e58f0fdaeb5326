import { z } from 'zod'
import { MAX_PATCHES, Patch, PatchGuid } from '../agent/patches.ts'
import { endpoint } from '../endpoint.ts'
import { AgentParams, Instant } from '../fields.ts'
import { AgentHistory } from './runs.ts'

/** `approve` = installed with approved patches, `ignore` = left out, `inherit` and `nothing` = undecided. */
export const PatchAction = z.enum(['inherit', 'approve', 'ignore', 'nothing'])
export type PatchAction = z.infer<typeof PatchAction>

/** The maximum id. */
const MAX_PATCH_ID = 2_147_483_647_999_999

/** A patch of one machine. A newer version of the same patch is another one, without a decision. */
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
  summary: 'List the patches that a machine can install, as of its last scan',
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
  /** Time of the last scan, and of the last scan with another result; null = never. */
  looked_at: Instant.nullable(),
  changed_at: Instant.nullable(),
  /** Why the last scan failed, as a message. */
  problem: z.string().nullable(),
  /** Number of patches beyond the limit of one machine. */
  left_out: z.int().min(0),
  /** The last installation of patches, running or finished. */
  last_install: AgentHistory.nullable(),
})
export type PatchStatus = z.infer<typeof PatchStatus>

export const getPatchStatus = endpoint({
  method: 'GET',
  path: '/winupdate/:agent_id/status/',
  access: 'can_manage_winupdates',
  summary: "Get the age of a machine's patch list and the result of the last installation",
  params: AgentParams,
  response: PatchStatus,
})

export const scanPatches = endpoint({
  method: 'POST',
  path: '/winupdate/:agent_id/scan/',
  access: 'can_manage_winupdates',
  summary: 'Start a scan for patches; `looked_at` changes when it has finished',
  params: AgentParams,
  response: PatchStatus,
})

export const installPatches = endpoint({
  method: 'POST',
  path: '/winupdate/:agent_id/install/',
  access: 'can_manage_winupdates',
  summary:
    'Install the named patches on a machine, without guids the approved ones; `run` has the output, null = none is approved',
  params: AgentParams,
  body: z
    .object({
      guids: z.array(PatchGuid).min(1, 'Choose a patch.').max(MAX_PATCHES).optional(),
      /** Time limit in seconds. */
      timeout: z.int().min(60).max(86_400).default(7200),
    })
    .prefault({}),
  response: z.object({
    /** Number of patches to install. */
    patches: z.int(),
    run: AgentHistory.nullable(),
  }),
})
