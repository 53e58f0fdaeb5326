import { z } from 'zod'
import { MAX_PATCHES, Patch, PatchGuid, PatchSeverity } from '../agent/patches.ts'
import { endpoint } from '../endpoint.ts'
import { AgentId, AgentParams, Instant, ListQuery, Platform } from '../fields.ts'
import { OwnPatchPolicy, PATCH_SECTIONS } from '../policies/patch-policy.ts'
import { AgentHistory } from './runs.ts'

/**
 * `approve` = installed with approved patches, `ignore` = left out, `inherit` = decided by the policies of the machine,
 * undecided without one, `nothing` = undecided, whatever the policies say.
 */
export const PatchAction = z.enum(['inherit', 'approve', 'ignore', 'nothing'])
export type PatchAction = z.infer<typeof PatchAction>

/** The maximum id. */
const MAX_PATCH_ID = 2_147_483_647_999_999

/** A patch of one machine. A newer version is another one, without a decision; so is an installed one. */
export const MachinePatch = Patch.extend({
  id: z.int(),
  action: PatchAction,
  /** A policy of the machine has decided, and may decide otherwise later. */
  by_policy: z.boolean(),
  installed: z.boolean(),
  /** Null unless installed. */
  date_installed: Instant.nullable(),
})
export type MachinePatch = z.infer<typeof MachinePatch>

export const listPatches = endpoint({
  method: 'GET',
  path: '/winupdate/:agent_id/',
  access: 'can_manage_winupdates',
  summary: 'List the patches that a machine can install, as of its last scan, then its newest installed ones',
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

/** Identifies one version of a patch across machines. */
export const PatchVersionId = z.string().regex(/^[0-9a-f]{32}$/, 'Invalid patch id')

/** One version of a patch, with the number of machines that can install it. */
export const FleetPatch = Patch.pick({
  guid: true,
  source: true,
  title: true,
  kb: true,
  version: true,
  severity: true,
  security: true,
  needs_reboot: true,
}).extend({
  patch: PatchVersionId,
  /** The first report of any machine. */
  first_seen: Instant,
  machines: z.int().min(1),
  approved: z.int().min(0),
  ignored: z.int().min(0),
})
export type FleetPatch = z.infer<typeof FleetPatch>

/** `undecided`, `approved` and `ignored`: at least one machine with that decision. */
export const PatchDecision = z.enum(['undecided', 'approved', 'ignored'])
export type PatchDecision = z.infer<typeof PatchDecision>

const ClientFilter = { client: z.coerce.number().int().min(1).max(2_147_483_647).optional() }

export const findPatches = endpoint({
  method: 'GET',
  path: '/patches/',
  access: 'can_manage_winupdates',
  summary:
    'List the patches that machines can install, a page at a time; every word of the search must match title, KB or name',
  query: z.object({
    search: z.string().max(200).default(''),
    /** `none` = without a severity. */
    severity: z.enum(['Critical', 'Important', 'Moderate', 'Low', 'none']).optional(),
    security: z.enum(['true', 'false']).optional(),
    decision: PatchDecision.optional(),
    ...ClientFilter,
    sort: z.enum(['severity', '-machines', 'title', '-first_seen']).default('severity'),
    page: z.coerce.number().int().min(1).max(1_000_000).default(1),
    page_size: z.coerce.number().int().min(1).max(200).default(100),
  }),
  response: z.object({
    total: z.int().min(0),
    page: z.int(),
    page_size: z.int(),
    results: z.array(FleetPatch),
  }),
})

export const PatchMachine = z.object({
  agent_id: AgentId,
  hostname: z.string(),
  plat: Platform,
  client: z.string(),
  site: z.string(),
  action: PatchAction,
  current_version: z.string(),
  looked_at: Instant,
})
export type PatchMachine = z.infer<typeof PatchMachine>

export const listPatchMachines = endpoint({
  method: 'GET',
  path: '/patches/versions/:patch/',
  access: 'can_manage_winupdates',
  summary: 'List the machines that can install one version of a patch, with their decisions',
  params: z.object({ patch: PatchVersionId }),
  query: ListQuery.extend(ClientFilter),
  response: z.array(PatchMachine),
  paged: true,
})

export const decidePatches = endpoint({
  method: 'POST',
  path: '/patches/decide/',
  access: 'can_manage_winupdates',
  summary: 'Approve or ignore patches on all machines that can install them, or on those named',
  body: z.object({
    patches: z.array(PatchVersionId).min(1, 'Choose a patch.').max(200),
    action: PatchAction,
    agents: z.array(AgentId).min(1, 'Choose a machine.').max(10_000).optional(),
    client: z.int().min(1).max(2_147_483_647).optional(),
  }),
  response: z.object({
    /** Number of machines with a changed decision. */
    machines: z.int().min(0),
  }),
})

export const PatchSummary = z.object({
  /** Machines whose agent has reported a list of patches, and all. */
  scanned: z.int().min(0),
  machines: z.int().min(0),
  /** Nothing is pending. Ignored patches do not count. */
  up_to_date: z.int().min(0),
  /** Machines whose last scan failed. */
  failed_scans: z.int().min(0),
  severities: z.array(
    z.object({
      severity: PatchSeverity,
      security: z.boolean(),
      patches: z.int().min(1),
      machines: z.int().min(1),
    }),
  ),
  /** The last 90 days, oldest first; days without a record are absent. */
  days: z.array(z.object({ day: z.iso.date(), scanned: z.int(), up_to_date: z.int() })),
})
export type PatchSummary = z.infer<typeof PatchSummary>

export const getPatchSummary = endpoint({
  method: 'GET',
  path: '/patches/summary/',
  access: 'can_manage_winupdates',
  summary: 'Count machines with missing patches, by severity, now and over the last 90 days',
  query: z.object(ClientFilter),
  response: PatchSummary,
})

/** A machine whose last scan or installation failed. */
export const PatchFailure = z.object({
  agent_id: AgentId,
  hostname: z.string(),
  connected: z.boolean(),
  client: z.string(),
  site: z.string(),
  /** `policy`: an installation by a policy that did not come to install anything. */
  kind: z.enum(['scan', 'install', 'policy']),
  /** Why, as a sentence. */
  reason: z.string(),
  at: Instant,
  /** The installation in the history. */
  run: z.int().nullable(),
})
export type PatchFailure = z.infer<typeof PatchFailure>

export const listPatchFailures = endpoint({
  method: 'GET',
  path: '/patches/failures/',
  access: 'can_manage_winupdates',
  summary: 'List the machines whose last scan for patches or last installation failed, with the reason',
  query: ListQuery.extend(ClientFilter),
  response: z.array(PatchFailure),
  paged: true,
})

/** An installation by a policy. */
export const PolicyInstall = z.object({
  due_at: Instant,
  /** Nothing is started after it: a machine that is offline until then misses it. */
  until: Instant,
  step: z.enum(['before', 'install', 'after', 'reboot']),
  state: z.enum(['running', 'succeeded', 'failed', 'missed']),
  /** As a sentence: why it failed, or is tried again, or what is left to do. */
  reason: z.string().nullable(),
  patches: z.int().min(0),
  finished_at: Instant.nullable(),
})
export type PolicyInstall = z.infer<typeof PolicyInstall>

export const MachinePatchPolicy = z.object({
  /** Each from the nearest policy that sets it. Absent sections are not set. */
  sections: z.array(
    z.object({
      section: z.enum(PATCH_SECTIONS),
      what: z.string(),
      /** Null = the machine's own. */
      policy: z.object({ id: z.int(), name: z.string() }).nullable(),
    }),
  ),
  own: OwnPatchPolicy,
  /** Null = no installation is planned. */
  next: z.object({ at: Instant, until: Instant }).nullable(),
  /** The zone of the schedule: the machine's own, or UTC as long as that is unknown. */
  time_zone: z.string(),
  ring: z.int().min(1),
  /** Decisions of the policy about patches that no user has decided, by their id. */
  verdicts: z.array(
    z.object({
      id: z.int(),
      decision: z.enum(['approve', 'manual', 'ignore', 'wait']),
      /** When it is approved; null = unknown, or approved already. */
      at: Instant.nullable(),
      why: z.string(),
    }),
  ),
  /** The newest installation by a policy. */
  last: PolicyInstall.nullable(),
})
export type MachinePatchPolicy = z.infer<typeof MachinePatchPolicy>

export const getPatchPolicy = endpoint({
  method: 'GET',
  path: '/winupdate/:agent_id/policy/',
  access: 'can_manage_winupdates',
  summary:
    'Get the effective patch policy of a machine: what it approves, the next installation, and the sources',
  params: AgentParams,
  response: MachinePatchPolicy,
})

export const setOwnPatchPolicy = endpoint({
  method: 'PUT',
  path: '/winupdate/:agent_id/policy/',
  access: 'can_manage_winupdates',
  summary:
    "Set a machine's own patch policy. A section that is null comes from its policies, an omitted one stays",
  params: AgentParams,
  body: OwnPatchPolicy,
  response: MachinePatchPolicy,
})
