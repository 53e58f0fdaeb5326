import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentId, Id, MonitoringType } from '../fields.ts'
import { CustomFieldModel, CustomFieldType } from '../custom-field-values.ts'

export const searchAgents = endpoint({
  method: 'POST',
  path: '/agents/search/',
  access: 'can_list_agents',
  withLowDisk: true,
  summary: 'Find machines by a search, of one client or site, or all',
  body: z.object({
    /** In the language of docs/search.md. Empty = every machine. */
    search: z.string().max(5000),
    client: Id.optional(),
    site: Id.optional(),
    monitoring_type: MonitoringType.optional(),
  }),
  response: z.object({
    ids: z.array(AgentId),
    /**
     * Terms for facts that rows of the machines table do not have, with the machines that match each of them. A console
     * with these rows evaluates the rest of the search itself.
     */
    terms: z.array(z.object({ term: z.string(), ids: z.array(AgentId) })),
  }),
})

export const listSearchFields = endpoint({
  method: 'GET',
  path: '/agents/search/fields/',
  access: 'can_list_agents',
  summary: 'List the custom fields of machines, clients and sites that a search can use',
  response: z.array(
    z.object({ id: z.int(), name: z.string(), type: CustomFieldType, model: CustomFieldModel }),
  ),
})
