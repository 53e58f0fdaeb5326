import { z } from 'zod'
import { PackageName } from '../agent/patches.ts'
import { InstalledPackage, PackageSource } from '../agent/software.ts'
import { endpoint } from '../endpoint.ts'
import { AgentId, AgentParams, Instant, ListQuery, Platform } from '../fields.ts'
import { AgentHistory } from './runs.ts'

/** Names a package of the fleet, whatever its version: who lists it and how it is called. */
const TitleId = z.string().regex(/^[0-9a-f]{32}$/, 'That names no package.')

export const Software = z.object({
  software: z.array(InstalledPackage.extend({ title: TitleId })),
  /** When the machine last looked, and when what it saw was last another; null = it has never said. */
  looked_at: Instant.nullable(),
  changed_at: Instant.nullable(),
  /** Packages beyond what is kept of one machine. */
  left_out: z.int().min(0),
})
export type Software = z.infer<typeof Software>

export const getSoftware = endpoint({
  method: 'GET',
  path: '/software/:agent_id/',
  access: 'can_list_software',
  summary: 'What is installed on a machine',
  params: AgentParams,
  response: Software,
})

export const refreshSoftware = endpoint({
  method: 'PUT',
  path: '/software/:agent_id/',
  access: 'can_manage_software',
  summary: 'Have a machine list its software anew; answers the list',
  params: AgentParams,
  response: Software,
})

export const installSoftware = endpoint({
  method: 'POST',
  path: '/software/:agent_id/',
  access: 'can_manage_software',
  summary: "Have a machine's package manager install a package; its output is that of a run of the history",
  params: AgentParams,
  body: z.object({
    name: PackageName,
    /** Taken, in this order, where the system does not know the first. */
    alternatives: z.array(PackageName).max(4).default([]),
    /** Seconds that it may take. */
    timeout: z.int().min(60).max(86_400).default(1800),
  }),
  response: AgentHistory,
})

export const SoftwareTitle = z.object({
  title: TitleId,
  name: z.string(),
  publisher: z.string(),
  source: PackageSource,
  /** Machines that the caller may see. */
  machines: z.int().min(0),
  /** The most widespread first. */
  versions: z.array(z.object({ version: z.string(), machines: z.int().min(1) })),
})
export type SoftwareTitle = z.infer<typeof SoftwareTitle>

/** Each is counted over the whole fleet. */
export const MOST_TITLES = 100

export const findSoftware = endpoint({
  method: 'GET',
  path: '/software/',
  access: 'can_list_software',
  summary:
    'Packages of all machines by name, a page at a time, with how many machines have which version; every word of the search stands in name or publisher',
  query: z.object({
    search: z.string().max(200).default(''),
    source: PackageSource.optional(),
    sort: z.enum(['name', '-name']).default('name'),
    page: z.coerce.number().int().min(1).max(1_000_000).default(1),
    page_size: z.coerce.number().int().min(1).max(MOST_TITLES).default(50),
  }),
  response: z.object({
    total: z.int().min(0),
    page: z.int(),
    page_size: z.int(),
    results: z.array(SoftwareTitle),
  }),
})

export const SoftwareMachine = z.object({
  agent_id: AgentId,
  hostname: z.string(),
  plat: Platform,
  client: z.string(),
  site: z.string(),
  /** Of the package. */
  name: z.string(),
  version: z.string(),
  publisher: z.string(),
  install_date: z.iso.date().nullable(),
})
export type SoftwareMachine = z.infer<typeof SoftwareMachine>

export const listSoftwareMachines = endpoint({
  method: 'GET',
  path: '/software/titles/:title/',
  access: 'can_list_software',
  summary: 'The machines that have a package, and in which version',
  params: z.object({ title: TitleId }),
  query: ListQuery,
  response: z.array(SoftwareMachine),
  paged: true,
})
