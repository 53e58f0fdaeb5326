import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { AgentId, Id, IdParams, ListQuery, Nothing } from '../fields.ts'

/** Schemes that run code in the console or read files of the user's machine. */
const UNSAFE = /^(javascript|data|vbscript|blob|file|about|view-source):/i
const SCHEME = /^[a-z][a-z0-9+.-]*:./i
const AT_START = /^\{\{\s*(agent|client|site)\./

const UrlActionForm = z.object({
  name: z.string().trim().min(1, 'Enter a name.').max(60, 'A name has at most 60 characters.'),
  desc: z.string().trim().max(255, 'A description has at most 255 characters.'),
  /** A URL with variables, such as `https://docs.example.org/{{client.name}}`. */
  pattern: z
    .string()
    .trim()
    .min(1, 'Enter a URL.')
    .max(2000, 'A URL has at most 2,000 characters.')
    .refine(
      (text) => AT_START.test(text) || (SCHEME.test(text) && !UNSAFE.test(text)),
      'Enter a URL with its scheme, such as https://docs.example.org/{{agent.hostname}}.',
    )
    .refine((text) => !/\{\{\s*global\./.test(text), 'A URL would show the value of a key.'),
})

/** A link that is made for a machine, a site or a client. */
export const UrlAction = UrlActionForm.extend({
  id: z.int(),
  action_type: z.literal('web'),
  modified: z.string(),
})
export type UrlAction = z.infer<typeof UrlAction>

export const listUrlActions = endpoint({
  method: 'GET',
  path: '/core/urlaction/',
  access: 'can_run_urlactions',
  summary: 'List URL actions by name',
  query: ListQuery,
  response: z.array(UrlAction),
  paged: true,
})

export const createUrlAction = endpoint({
  method: 'POST',
  path: '/core/urlaction/',
  access: 'can_edit_core_settings',
  summary: 'Add a URL action',
  body: UrlActionForm.partial({ desc: true }),
  response: UrlAction,
})

export const editUrlAction = endpoint({
  method: 'PUT',
  path: '/core/urlaction/:id/',
  access: 'can_edit_core_settings',
  summary: 'Change a URL action. With `modified`, refused if another user has saved since',
  params: IdParams,
  body: UrlActionForm.partial().extend({ modified: z.string().optional() }),
  response: UrlAction,
})

export const deleteUrlAction = endpoint({
  method: 'DELETE',
  path: '/core/urlaction/:id/',
  access: 'can_edit_core_settings',
  summary: 'Delete a URL action',
  params: IdParams,
  response: Nothing,
})

export const runUrlAction = endpoint({
  method: 'PATCH',
  path: '/core/urlaction/run/',
  access: 'can_run_urlactions',
  summary: 'Get the URL of an action for a machine, a site or a client',
  body: z
    .object({ action: Id, agent_id: AgentId.optional(), site: Id.optional(), client: Id.optional() })
    .refine(
      ({ agent_id, site, client }) =>
        [agent_id, site, client].filter((one) => one !== undefined).length === 1,
      { message: 'Name a machine, a site or a client.', path: ['agent_id'] },
    ),
  response: z.string(),
})
