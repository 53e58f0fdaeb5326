import { z } from 'zod'
import { Consent, ConsentSeconds, RemoteHours, RemoteRules } from '../agent/remote-rules.ts'
import { endpoint } from '../endpoint.ts'
import { PlaceParams } from '../policies/place-policies.ts'

/** Of which machines something is recorded. */
export const RecordedMachines = z.enum(['servers', 'all', 'none'])
export type RecordedMachines = z.infer<typeof RecordedMachines>

/** What one place says about remote tools; null = as what stands above it (the site, the client, all machines). */
export const RemoteSettings = z.object({
  forbidden: z.boolean().nullable(),
  hours: z.union([RemoteHours, z.literal('always')]).nullable(),
  consent: Consent.nullable(),
  consent_seconds: ConsentSeconds.nullable(),
  banner: z.boolean().nullable(),
  /** Who opens a terminal, a desktop or VNC has to say why. */
  ask_purpose: z.boolean().nullable().default(null),
  record_terminals: RecordedMachines.nullable().default(null),
  record_desktops: RecordedMachines.nullable().default(null),
})

export type RemoteSettings = z.infer<typeof RemoteSettings>

/** So many machines are named. */
export const MOST_NAMED = 5

export const PlaceRemoteAccess = z.object({
  /** Of the machine, site or client; empty for all machines. */
  name: z.string(),
  settings: RemoteSettings,
  /** What counts where the settings say nothing. */
  inherited: RemoteRules.extend({
    ask_purpose: z.boolean(),
    record_terminals: RecordedMachines,
    record_desktops: RecordedMachines,
  }),
  /** Machines here whose agents are too old to enforce any of this: they open remote tools as before. */
  not_enforced: z.object({ count: z.int().min(0), hostnames: z.array(z.string()).max(MOST_NAMED) }),
  /** Another text once these settings are others. */
  modified: z.string(),
})
export type PlaceRemoteAccess = z.infer<typeof PlaceRemoteAccess>

export const getRemoteAccess = endpoint({
  method: 'GET',
  path: '/remoteaccess/:level/:id/',
  access: 'can_list_agents',
  summary: 'What one place says about remote tools, and what it inherits; of all machines `id` is "all"',
  params: PlaceParams,
  response: PlaceRemoteAccess,
})

export const setRemoteAccess = endpoint({
  method: 'PUT',
  path: '/remoteaccess/:level/:id/',
  access: 'can_manage_remote_access',
  summary:
    'Say when and how remote tools may be used: the machines enforce it. With `modified`, refused when somebody else was faster',
  params: PlaceParams,
  body: RemoteSettings.extend({ modified: z.string().max(200).optional() }),
  response: PlaceRemoteAccess,
})
