import { findDeclarationProblem, PARAMETER_TYPES } from '@muster/rules/agents/script-parameters'
import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Id, IdParams, Instant, ListQuery, Nothing, Platform, QueryFlag } from '../fields.ts'

export const ScriptShell = z.enum(['powershell', 'cmd', 'python', 'shell', 'nushell', 'deno', 'node'])
export type ScriptShell = z.infer<typeof ScriptShell>

const EnvVar = z
  .string()
  .max(10_000)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*=/, 'Write NAME=value.')

/** A value that a script needs. It gets it as the environment variable `MUSTER_PARAM_NAME`. */
export const ScriptParameter = z.object({
  name: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'Begin with a letter; use letters, digits and underscores.'),
  /** `boolean`: `true` or `false`. `secret`: a key of the key store, as `{{global.NAME}}`. */
  type: z.enum(PARAMETER_TYPES),
  description: z.string().trim().max(500).default(''),
  required: z.boolean().default(false),
  /** Used if a call gives no value; empty = none. */
  default: z.string().max(5000).default(''),
  /** For a choice. */
  choices: z.array(z.string().trim().min(1).max(255)).max(100).default([]),
})
export type ScriptParameter = z.infer<typeof ScriptParameter>

const ScriptParameters = z
  .array(ScriptParameter)
  .max(50)
  .superRefine((parameters, ctx) => {
    const problem = findDeclarationProblem(parameters)
    if (problem === undefined) return
    const { index, field, sentence } = problem
    ctx.addIssue({ code: 'custom', path: [index, field], message: sentence })
  })

export const ServerApproval = z.enum(['approved', 'waiting'])
export type ServerApproval = z.infer<typeof ServerApproval>

export const Script = z.object({
  id: z.int(),
  name: z.string().trim().min(1, 'A name is needed.').max(255),
  description: z.string().max(10_000),
  category: z.string().trim().max(255),
  shell: ScriptShell,
  script_type: z.enum(['userdefined', 'builtin']),
  args: z.array(z.string().max(10_000)).max(200),
  env_vars: z.array(EnvVar).max(200),
  parameters: ScriptParameters,
  filename: z.string().max(255),
  syntax: z.string().max(100_000),
  default_timeout: z.int().min(5, 'At least 5 seconds.').max(86_400),
  supported_platforms: z.array(Platform),
  favorite: z.boolean(),
  hidden: z.boolean(),
  run_as_user: z.boolean(),
  /** Whether the version that alert templates run on the server is approved; null = no template runs it there. */
  server_approval: ServerApproval.nullable(),
})
export type Script = z.infer<typeof Script>

export const ScriptDetail = Script.extend({
  script_body: z.string().max(1_000_000, 'A script has at most 1,000,000 characters.'),
  script_hash: z.string(),
  modified: z.string(),
})
export type ScriptDetail = z.infer<typeof ScriptDetail>

/** Editable fields of a script; all except name and body have defaults. */
export const ScriptForm = ScriptDetail.pick({ name: true, shell: true, script_body: true }).extend({
  description: Script.shape.description.default(''),
  category: Script.shape.category.default(''),
  args: Script.shape.args.default([]),
  env_vars: Script.shape.env_vars.default([]),
  parameters: ScriptParameters.default([]),
  filename: Script.shape.filename.default(''),
  syntax: Script.shape.syntax.default(''),
  default_timeout: Script.shape.default_timeout.default(90),
  supported_platforms: Script.shape.supported_platforms.default([]),
  favorite: z.boolean().default(false),
  hidden: z.boolean().default(false),
  run_as_user: z.boolean().default(false),
})

export const listScripts = endpoint({
  method: 'GET',
  path: '/scripts/',
  access: 'can_list_scripts',
  summary: 'List the script library, without the bodies',
  query: ListQuery.extend({
    showCommunityScripts: QueryFlag.optional(),
    showHiddenScripts: QueryFlag.optional(),
  }),
  response: z.array(Script),
  paged: true,
})

export const createScript = endpoint({
  method: 'POST',
  path: '/scripts/',
  access: 'can_manage_scripts',
  summary: 'Add a script to the library',
  body: ScriptForm,
  bodyLimit: 4 * 1024 * 1024,
  response: ScriptDetail,
})

export const getScript = endpoint({
  method: 'GET',
  path: '/scripts/:id/',
  access: 'can_list_scripts',
  summary: 'Get one script with its body',
  params: IdParams,
  response: ScriptDetail,
})

export const editScript = endpoint({
  method: 'PUT',
  path: '/scripts/:id/',
  access: 'can_manage_scripts',
  summary:
    'Change a script. Changing its code requires the permission to run it in every use; with `modified`, refused if another user has saved since',
  params: IdParams,
  body: ScriptDetail.omit({
    id: true,
    script_type: true,
    script_hash: true,
    server_approval: true,
  }).partial(),
  bodyLimit: 4 * 1024 * 1024,
  volatile: ['script_hash'],
  response: ScriptDetail,
})

export const deleteScript = endpoint({
  method: 'DELETE',
  path: '/scripts/:id/',
  access: 'can_manage_scripts',
  summary:
    'Delete a script, which requires the permission to run it in every use; its runs stay in the history',
  params: IdParams,
  response: Nothing,
})

export const downloadScript = endpoint({
  method: 'GET',
  path: '/scripts/:id/download/',
  access: 'can_list_scripts',
  summary: 'Get file name and code of a script, with snippets inserted on request',
  params: IdParams,
  query: z.object({ with_snippets: QueryFlag.optional() }),
  response: z.object({ filename: z.string(), code: z.string() }),
})

export const testScriptOnServer = endpoint({
  method: 'POST',
  path: '/core/serverscript/test/',
  access: 'can_run_server_scripts',
  needsProof: true,
  summary:
    'Run code that is not saved on the server itself, if that is enabled; responds when it has ended. Code with snippets also needs code_with_snippets',
  body: z.object({
    code: z.string().min(1, 'There is nothing to run.').max(1_000_000),
    /** The code with its snippets inserted, as shown to the caller: refused if anything else would run. */
    code_with_snippets: z.string().max(2_000_000).optional(),
    shell: ScriptShell,
    args: Script.shape.args.default([]),
    env_vars: Script.shape.env_vars.default([]),
    /** Seconds. */
    timeout: z.int().min(1).max(86_400).default(90),
  }),
  bodyLimit: 4 * 1024 * 1024,
  response: z.object({
    /** Null if it was killed; `reason` says why. */
    retcode: z.int().nullable(),
    reason: z.string(),
    execution_time: z.number(),
    stdout: z.string(),
    stderr: z.string(),
  }),
})

/** All editable fields of a script at one time. */
export const ScriptContent = ScriptDetail.omit({
  id: true,
  script_type: true,
  script_hash: true,
  modified: true,
  favorite: true,
  hidden: true,
  server_approval: true,
})
  // Versions that were saved before scripts had parameters.
  .extend({ parameters: ScriptParameters.default([]) })
export type ScriptContent = z.infer<typeof ScriptContent>

/** A saved version of a script. */
export const ScriptVersion = z.object({
  id: z.int(),
  /** Empty = unknown. */
  username: z.string(),
  saved_at: Instant,
})
export type ScriptVersion = z.infer<typeof ScriptVersion>

const VersionParams = IdParams.extend({ version_id: Id })

export const listScriptVersions = endpoint({
  method: 'GET',
  path: '/scripts/:id/versions/',
  access: 'can_list_scripts',
  summary: 'List the versions of a script, newest first; the first is the current one',
  params: IdParams,
  response: z.array(ScriptVersion),
})

export const getScriptVersion = endpoint({
  method: 'GET',
  path: '/scripts/:id/versions/:version_id/',
  access: 'can_list_scripts',
  summary: 'Get one version of a script',
  params: VersionParams,
  response: ScriptVersion.extend({ content: ScriptContent }),
})

export const restoreScriptVersion = endpoint({
  method: 'POST',
  path: '/scripts/:id/versions/:version_id/restore/',
  access: 'can_manage_scripts',
  summary: 'Restore an earlier version of a script; with `modified`, refused if another user has saved since',
  params: VersionParams,
  body: z.object({ modified: z.string().optional() }),
  response: ScriptDetail,
})

/** The code that runs on the server, with its snippets inserted. */
const ServerVersion = z.object({ shell: ScriptShell, code: z.string() })

export const ScriptApproval = z.object({
  state: Script.shape.server_approval,
  /** The version that may run on the server; null = none was ever approved. `username`: empty = the migration. */
  approved: ServerVersion.extend({ username: z.string(), approved_at: Instant }).nullable(),
  /** The stored version. */
  current: ServerVersion.extend({ hash: z.string() }),
  /** Names of the alert templates that run it on the server. */
  templates: z.array(z.string()),
})
export type ScriptApproval = z.infer<typeof ScriptApproval>

export const getScriptApproval = endpoint({
  method: 'GET',
  path: '/scripts/:id/approval/',
  access: 'can_list_scripts',
  summary: 'Get the version of a script that is approved to run on the server, and the stored version',
  params: IdParams,
  response: ScriptApproval,
})

export const approveScript = endpoint({
  method: 'POST',
  path: '/scripts/:id/approval/',
  access: 'can_run_server_scripts',
  needsProof: true,
  summary: 'Approve the version with this hash to run on the server; refused if another one is stored',
  params: IdParams,
  body: z.object({ hash: z.string().max(64) }),
  response: ScriptApproval,
})

export const generateScript = endpoint({
  method: 'POST',
  path: '/core/openai/generate/',
  access: 'can_manage_scripts',
  summary:
    'Generate code for a prompt with the configured OpenAI-compatible server; 412 if none is configured',
  body: z.object({ prompt: z.string().trim().min(1, 'A description is needed.').max(10_000) }),
  response: z.string(),
})
