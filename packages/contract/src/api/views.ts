import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { IdParams, Instant, ListQuery, Nothing } from '../fields.ts'
import { MachineColumnChoices } from '../machine-columns.ts'

const ViewForm = z.object({
  name: z.string().trim().min(1, 'Enter a name.').max(60, 'A name has at most 60 characters.'),
  /** Every user may open it. Only its owner and superusers change it. */
  shared: z.boolean(),
  /** The text of the search field. */
  search: z.string().max(500),
  /** A column, with `-` before it for descending; empty = the default order. */
  sort: z.string().regex(/^(-?[a-z][a-z0-9_]{0,39})?$/, 'Enter a column, such as hostname or -status.'),
  columns: MachineColumnChoices,
})

/** A saved view of the machines table. */
export const MachineView = ViewForm.extend({
  id: z.int(),
  /** The user who made it. */
  username: z.string(),
  /** Whether the caller may change it. */
  editable: z.boolean(),
  modified: Instant,
})
export type MachineView = z.infer<typeof MachineView>

export const listViews = endpoint({
  method: 'GET',
  path: '/views/',
  access: 'can_list_agents',
  summary: "List the caller's saved views of the machines table, and those that others share",
  query: ListQuery,
  response: z.array(MachineView),
  paged: true,
})

export const createView = endpoint({
  method: 'POST',
  path: '/views/',
  access: 'can_list_agents',
  summary: 'Save a view of the machines table',
  body: ViewForm.partial().extend({ name: ViewForm.shape.name }),
  response: MachineView,
})

export const editView = endpoint({
  method: 'PUT',
  path: '/views/:id/',
  access: 'can_list_agents',
  summary: 'Change a saved view. With `modified`, refused if another user has saved since',
  params: IdParams,
  body: ViewForm.partial().extend({ modified: z.string().optional() }),
  response: MachineView,
})

export const deleteView = endpoint({
  method: 'DELETE',
  path: '/views/:id/',
  access: 'can_list_agents',
  summary: 'Delete a saved view',
  params: IdParams,
  response: Nothing,
})
