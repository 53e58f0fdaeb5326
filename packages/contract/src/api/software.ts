import { z } from 'zod'
import { PackageName } from '../agent/patches.ts'
import { InstalledPackage, PackageChange, PackageSource } from '../agent/software.ts'
import { endpoint } from '../endpoint.ts'
import { AgentId, AgentParams, Instant, ListQuery, Platform, QueryFlag } from '../fields.ts'
import { AgentHistory } from './runs.ts'

/** Identifies a package of the fleet by source and name, without its version. */
const TitleId = z.string().regex(/^[0-9a-f]{32}$/, 'Invalid package id')

/** The name by which a package manager of the machine upgrades and removes it; null = none does. */
const ChangeableName = PackageName.nullable()

export const Software = z.object({
  software: z.array(
    InstalledPackage.omit({ package_id: true }).extend({
      title: TitleId,
      available: InstalledPackage.shape.available.unwrap().nullable(),
      states: InstalledPackage.shape.states.unwrap(),
      package_name: ChangeableName,
    }),
  ),
  /** Time of the last scan, and of the last scan with another result; null = never. */
  looked_at: Instant.nullable(),
  changed_at: Instant.nullable(),
  /** Number of packages beyond the limit of one machine. */
  left_out: z.int().min(0),
  /** Why newer versions may be missing. */
  upgrades_problem: z.string().nullable(),
})
export type Software = z.infer<typeof Software>

export const getSoftware = endpoint({
  method: 'GET',
  path: '/software/:agent_id/',
  access: 'can_list_software',
  summary: 'List the installed software of a machine',
  params: AgentParams,
  response: Software,
})

export const refreshSoftware = endpoint({
  method: 'PUT',
  path: '/software/:agent_id/',
  access: 'can_manage_software',
  summary: 'Scan the installed software of a machine; returns the list',
  params: AgentParams,
  response: Software,
})

export const installSoftware = endpoint({
  method: 'POST',
  path: '/software/:agent_id/',
  access: 'can_manage_software',
  summary:
    "Install, upgrade or remove a package with the machine's package manager; its output is that of a run in the history",
  params: AgentParams,
  body: z.object({
    do: PackageChange.default('install'),
    name: PackageName,
    /** Used in this order if the system does not know the first one. */
    alternatives: z.array(PackageName).max(4).default([]),
    /** Time limit in seconds. */
    timeout: z.int().min(60).max(86_400).default(1800),
  }),
  response: AgentHistory,
})

export const uninstallSoftware = endpoint({
  method: 'POST',
  path: '/software/:agent_id/uninstall/',
  access: 'can_manage_software',
  summary:
    'Remove a program by the uninstall command that the machine reports; another command needs the permission to send commands',
  params: AgentParams,
  body: z.object({
    name: z.string().min(1).max(255),
    command: z.string().trim().min(1, 'Enter a command.').max(2000),
    run_as_user: z.boolean().default(false),
    /** Time limit in seconds. */
    timeout: z.int().min(1).max(86_400).default(1800),
  }),
  response: AgentHistory,
})

export const SoftwareTitle = z.object({
  title: TitleId,
  name: z.string(),
  publisher: z.string(),
  source: PackageSource,
  /** Number of machines that the caller may see. */
  machines: z.int().min(0),
  /** Number of machines that are offered a newer version. */
  upgradable: z.int().min(0),
  /** Most common first. */
  versions: z.array(z.object({ version: z.string(), machines: z.int().min(1) })),
})
export type SoftwareTitle = z.infer<typeof SoftwareTitle>

/** Counted over the whole fleet. */
export const MAX_TITLES = 100

export const findSoftware = endpoint({
  method: 'GET',
  path: '/software/',
  access: 'can_list_software',
  summary:
    'List packages of all machines by name, a page at a time, with the number of machines per version; every word of the search must match name or publisher',
  query: z.object({
    search: z.string().max(200).default(''),
    source: PackageSource.optional(),
    /** Only packages that some machine can upgrade. */
    upgradable: QueryFlag.default(false),
    sort: z.enum(['name', '-name']).default('name'),
    page: z.coerce.number().int().min(1).max(1_000_000).default(1),
    page_size: z.coerce.number().int().min(1).max(MAX_TITLES).default(50),
  }),
  response: z.object({
    total: z.int().min(0),
    page: z.int(),
    page_size: z.int(),
    results: z.array(SoftwareTitle),
  }),
})

export const listChocolateyNames = endpoint({
  method: 'GET',
  path: '/software/chocos/',
  access: 'can_list_software',
  summary:
    'List the names of Chocolatey packages that machines have installed; others can be installed by their name as well',
  query: ListQuery,
  response: z.array(z.object({ name: z.string() })),
  paged: true,
})

export const SoftwareMachine = z.object({
  agent_id: AgentId,
  hostname: z.string(),
  plat: Platform,
  client: z.string(),
  site: z.string(),
  /** The package's name. */
  name: z.string(),
  version: z.string(),
  publisher: z.string(),
  install_date: z.iso.date().nullable(),
  /** A newer version that a package manager of the machine offers. */
  available: z.string().nullable(),
  package_name: ChangeableName,
})
export type SoftwareMachine = z.infer<typeof SoftwareMachine>

export const listSoftwareMachines = endpoint({
  method: 'GET',
  path: '/software/titles/:title/',
  access: 'can_list_software',
  summary: 'List the machines with a package, and their versions',
  params: z.object({ title: TitleId }),
  query: ListQuery,
  response: z.array(SoftwareMachine),
  paged: true,
})
