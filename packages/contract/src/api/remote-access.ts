import { z } from 'zod'
import { Consent, ConsentSeconds, RemoteHours, RemoteRules } from '../agent/remote.ts'
import { endpoint } from '../endpoint.ts'
import { TargetParams } from '../policies/assigned-policies.ts'

/** The machines whose sessions are recorded. */
export const RecordedMachines = z.enum(['servers', 'all', 'none'])
export type RecordedMachines = z.infer<typeof RecordedMachines>

/** Remote settings of one machine, site, client or of all machines; null = inherited. */
export const RemoteSettings = z.object({
  forbidden: z.boolean().nullable(),
  hours: z.union([RemoteHours, z.literal('always')]).nullable(),
  consent: Consent.nullable(),
  consent_seconds: ConsentSeconds.nullable(),
  banner: z.boolean().nullable(),
  /** A reason is required to open a terminal, a desktop or VNC. */
  ask_purpose: z.boolean().nullable().default(null),
  record_terminals: RecordedMachines.nullable().default(null),
  record_desktops: RecordedMachines.nullable().default(null),
  /** Levels below cannot change what is set here. */
  enforced: z.boolean().default(false),
})

export type RemoteSettings = z.infer<typeof RemoteSettings>

/** Maximum number of named machines. */
export const MAX_NAMED = 5

export const TargetRemoteAccess = z.object({
  /** Name of the machine, site or client; empty for all machines. */
  name: z.string(),
  settings: RemoteSettings,
  /** The effective value if the settings have none. */
  inherited: RemoteRules.extend({
    ask_purpose: z.boolean(),
    record_terminals: RecordedMachines,
    record_desktops: RecordedMachines,
  }),
  /** Names of the settings that a level above enforces: those of this level do not count. */
  enforced: z.array(z.string()),
  /** Machines here whose agents are too old to enforce these settings: their remote tools open as before. */
  not_enforced: z.object({ count: z.int().min(0), hostnames: z.array(z.string()).max(MAX_NAMED) }),
  /** Changes with the settings. */
  modified: z.string(),
})
export type TargetRemoteAccess = z.infer<typeof TargetRemoteAccess>

export const getRemoteAccess = endpoint({
  method: 'GET',
  path: '/remoteaccess/:level/:id/',
  access: 'can_list_agents',
  summary:
    'Get the remote settings of a machine, site or client, and what it inherits; for all machines `id` is "all"',
  params: TargetParams,
  response: TargetRemoteAccess,
})

export const setRemoteAccess = endpoint({
  method: 'PUT',
  path: '/remoteaccess/:level/:id/',
  access: 'can_manage_remote_access',
  summary:
    'Set when and how remote tools may be used, which the machines enforce. With `modified`, refused if another user has saved since',
  params: TargetParams,
  body: RemoteSettings.extend({ modified: z.string().max(200).optional() }),
  response: TargetRemoteAccess,
})
