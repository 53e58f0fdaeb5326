import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { IdParams, Nothing } from '../fields.ts'
import { ScriptShell } from './scripts.ts'

/** A piece of code that scripts include as `{{name}}`. */
export const Snippet = z.object({
  id: z.int(),
  name: z
    .string()
    .trim()
    .min(1, 'A name is needed.')
    .max(40, 'A name has at most 40 characters.')
    .regex(/^[^{}\p{Cc}]*$/u, 'A name holds no braces: scripts write {{name}}.')
    .refine(
      (name) => !/^(agent|client|site|global|alert)\./.test(name),
      'This name looks like a variable. Choose another name.',
    ),
  desc: z.string().max(1000),
  code: z.string().max(200_000, 'A snippet has at most 200,000 characters.'),
  shell: ScriptShell,
  modified: z.string(),
})
export type Snippet = z.infer<typeof Snippet>

export const listSnippets = endpoint({
  method: 'GET',
  path: '/scripts/snippets/',
  access: 'can_list_scripts',
  summary: 'List snippets with their code',
  response: z.array(Snippet),
})

export const createSnippet = endpoint({
  method: 'POST',
  path: '/scripts/snippets/',
  access: 'can_manage_scripts',
  summary: 'Add a snippet; scripts include it as {{name}}',
  body: Snippet.pick({ name: true, code: true, shell: true }).extend({
    desc: Snippet.shape.desc.default(''),
  }),
  response: Snippet,
})

export const getSnippet = endpoint({
  method: 'GET',
  path: '/scripts/snippets/:id/',
  access: 'can_list_scripts',
  summary: 'One snippet',
  params: IdParams,
  response: Snippet,
})

export const editSnippet = endpoint({
  method: 'PUT',
  path: '/scripts/snippets/:id/',
  access: 'can_manage_scripts',
  summary: 'Change a snippet. With `modified`, refused if another user has saved since',
  params: IdParams,
  body: Snippet.omit({ id: true }).partial(),
  volatile: [],
  response: Snippet,
})

export const deleteSnippet = endpoint({
  method: 'DELETE',
  path: '/scripts/snippets/:id/',
  access: 'can_manage_scripts',
  summary: 'Delete a snippet; scripts that include it keep the name as text',
  params: IdParams,
  response: Nothing,
})
