import { z } from 'zod'
import { CustomFieldPayloads, CustomFieldValue } from '../custom-field-values.ts'
import { endpoint } from '../endpoint.ts'
import { TagNames } from '../tag-names.ts'
import { CompanyName, Id, IdParams, ListQuery, NodeName, Nothing } from '../fields.ts'

/** Whether a node has a failing machine, by severity. */
export const FailingChecks = z.object({ error: z.boolean(), warning: z.boolean() })

const NodeState = {
  agent_count: z.int(),
  /** It has machines, and all of them are in maintenance. */
  maintenance_mode: z.boolean(),
  /** Machines in maintenance. */
  maintenance_count: z.int(),
  failing_checks: FailingChecks,
  block_policy_inheritance: z.boolean(),
  custom_fields: z.array(CustomFieldValue),
  /** Assigned here; the effective one of a machine may be another. */
  alert_template: z.int().nullable(),
  /** The first policy assigned here, for machines of this type. */
  server_policy: z.int().nullable(),
  workstation_policy: z.int().nullable(),
}

export const Site = z.object({
  id: z.int(),
  name: z.string(),
  client: z.int(),
  client_name: z.string(),
  ...NodeState,
})
export type Site = z.infer<typeof Site>

export const Client = z.object({
  id: z.int(),
  name: z.string(),
  sites: z.array(Site),
  /** They count for its machines too. */
  tags: z.array(z.string()),
  ...NodeState,
})
export type Client = z.infer<typeof Client>

/** Assignments of a node. With several policies, the first for machines of each type; null = none. */
const NodeFields = {
  alert_template: Id.nullable().optional(),
  server_policy: Id.nullable().optional(),
  workstation_policy: Id.nullable().optional(),
  block_policy_inheritance: z.boolean().optional(),
}

const MoveQuery = z.object({ move_to_site: Id.optional() })

export const listClients = endpoint({
  method: 'GET',
  path: '/clients/',
  access: 'can_list_clients',
  summary: 'List clients with their sites that the caller may see',
  query: ListQuery,
  response: z.array(Client),
  paged: true,
})

export const createClient = endpoint({
  method: 'POST',
  path: '/clients/',
  access: 'can_manage_clients',
  summary: 'Add a client with its first site; with initialsetup, finish the first-time setup',
  body: z.object({
    client: z.object({ name: NodeName }),
    site: z.object({ name: NodeName }),
    /** The client's fields. */
    custom_fields: CustomFieldPayloads.optional(),
    initialsetup: z.boolean().optional(),
    /** Only with initialsetup; see the setting of the same name. */
    companyname: CompanyName.optional(),
    /**
     * Superusers only, and only with initialsetup: anyone who runs commands on that machine can read every secret.
     */
    monitor_server: z.boolean().optional(),
  }),
  response: Client,
})

export const getClient = endpoint({
  method: 'GET',
  path: '/clients/:id/',
  access: 'can_list_clients',
  summary: 'Get one client with its sites',
  params: IdParams,
  response: Client,
})

export const editClient = endpoint({
  method: 'PUT',
  path: '/clients/:id/',
  access: 'can_manage_clients',
  summary: 'Rename a client, set its custom fields or tags, or give it policies or an alert template',
  params: IdParams,
  body: z.object({
    /** `tags`: all of them; unknown names become new tags. */
    client: z.object({ name: NodeName.optional(), tags: TagNames.optional(), ...NodeFields }),
    custom_fields: CustomFieldPayloads.optional(),
  }),
  volatile: ['agent_count', 'maintenance_mode', 'maintenance_count', 'failing_checks', 'sites'],
  response: Client,
})

export const deleteClient = endpoint({
  method: 'DELETE',
  path: '/clients/:id/',
  access: 'can_manage_clients',
  summary: 'Delete a client with its sites; its machines move to the given site first',
  params: IdParams,
  query: MoveQuery,
  response: Nothing,
})

export const listSites = endpoint({
  method: 'GET',
  path: '/clients/sites/',
  access: 'can_list_sites',
  summary: 'List the sites of every client that the caller may see',
  query: ListQuery,
  response: z.array(Site),
  paged: true,
})

export const createSite = endpoint({
  method: 'POST',
  path: '/clients/sites/',
  access: 'can_manage_sites',
  summary: 'Add a site to a client',
  body: z.object({
    site: z.object({ client: Id, name: NodeName }),
    custom_fields: CustomFieldPayloads.optional(),
  }),
  response: Site,
})

export const getSite = endpoint({
  method: 'GET',
  path: '/clients/sites/:id/',
  access: 'can_list_sites',
  summary: 'One site',
  params: IdParams,
  response: Site,
})

export const editSite = endpoint({
  method: 'PUT',
  path: '/clients/sites/:id/',
  access: 'can_manage_sites',
  summary:
    'Rename a site, move it to another client, set its custom fields, or give it policies or an alert template',
  params: IdParams,
  body: z.object({
    site: z.object({
      name: NodeName.optional(),
      client: Id.optional(),
      ...NodeFields,
    }),
    custom_fields: CustomFieldPayloads.optional(),
  }),
  volatile: ['agent_count', 'maintenance_mode', 'maintenance_count', 'failing_checks', 'client_name'],
  response: Site,
})

export const deleteSite = endpoint({
  method: 'DELETE',
  path: '/clients/sites/:id/',
  access: 'can_manage_sites',
  summary: 'Delete a site; its machines move to the given site first',
  params: IdParams,
  query: MoveQuery,
  response: Nothing,
})
