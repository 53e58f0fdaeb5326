import {
  type ScriptDetail,
  type ScriptParameter,
  ScriptShell,
  type createScript,
  type editScript,
} from '@muster/contract/api/scripts'
import type { Input } from '@muster/contract/endpoint'
import type { Platform } from '@muster/contract/fields'
import { findDeclarationProblem } from '@muster/rules/agents/script-parameters'
import { MAX_CODE_LENGTH } from './script-code.ts'
import { PLATFORMS } from './script-labels.ts'

/** All fields of a script except the code. */
export interface ScriptFields extends Record<string, unknown> {
  name: string
  description: string
  shell: ScriptShell
  supported_platforms: Platform[]
  category: string
  args: string[]
  env_vars: string[]
  parameters: ScriptParameter[]
  /** A text while the input is empty. */
  default_timeout: number | string
  syntax: string
  run_as_user: boolean
  filename: string
}

/** Initial state of the editor: a script of the library, a copy of one, or a new one. */
export interface ScriptDraft {
  fields: ScriptFields
  code: string
  /** The saved version to replace; absent for new scripts. */
  saved: { id: number; modified: string } | undefined
}

/** An empty script, in the default shell of a platform. */
export const newDraft = (plat: Platform): ScriptDraft => ({
  fields: {
    name: '',
    description: '',
    shell: plat === 'windows' ? 'powershell' : 'shell',
    supported_platforms: [],
    category: '',
    args: [],
    env_vars: [],
    parameters: [],
    default_timeout: 90,
    syntax: '',
    run_as_user: false,
    filename: '',
  },
  code: '',
  saved: undefined,
})

export function toDraft(script: ScriptDetail): ScriptDraft {
  const { name, description, shell, supported_platforms, category, args, env_vars, parameters } = script
  const { default_timeout, syntax, run_as_user, filename, script_body: code, id, modified } = script
  return {
    fields: {
      name,
      description,
      shell,
      supported_platforms,
      category,
      args,
      env_vars,
      parameters,
      default_timeout,
      syntax,
      run_as_user,
      filename,
    },
    code,
    saved: { id, modified },
  }
}

/** A copy of a script, without its file name, which must be unique. */
export function toClone(script: ScriptDetail): ScriptDraft {
  const { fields, code } = toDraft(script)
  const name = `Copy of ${fields.name}`.slice(0, 255)
  return { fields: { ...fields, name, filename: '' }, code, saved: undefined }
}

/** Errors by field. */
export function checkFields(fields: ScriptFields): Partial<Record<keyof ScriptFields, string>> {
  const timeout = fields.default_timeout
  const isTimeout =
    typeof timeout === 'number' && Number.isInteger(timeout) && timeout >= 5 && timeout <= 86_400
  const parameters = fields.parameters.map(checkName).find((sentence) => sentence !== undefined)
  const problem = parameters ?? findDeclarationProblem(fields.parameters)?.sentence
  return {
    ...(problem === undefined ? {} : { parameters: problem }),
    ...(fields.name.trim() === '' ? { name: 'A name is needed.' } : {}),
    ...(isTimeout ? {} : { default_timeout: 'Enter 5 to 86400 seconds.' }),
    ...(fields.args.length > MAX_LINES ? { args: `At most ${MAX_LINES} arguments.` } : {}),
    ...(fields.env_vars.length > MAX_LINES ? { env_vars: `At most ${MAX_LINES} variables.` } : {}),
    ...(fields.env_vars.some((text) => checkVariable(text) !== null) ? { env_vars: VARIABLE_HELP } : {}),
  }
}

function checkName({ name }: ScriptParameter): string | undefined {
  if (/^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name)) return undefined
  return name === '' ? 'A parameter needs a name.' : `${name}: use letters, digits and underscores.`
}

export const checkCode = (code: string): string | undefined =>
  code.length > MAX_CODE_LENGTH ? `Maximum: ${MAX_CODE_LENGTH.toLocaleString('en')} characters.` : undefined

/** `NAME=value` is an environment variable; empty lines are left out. */
export function checkVariable(text: string): string | null {
  return text === '' || /^[A-Za-z_][A-Za-z0-9_]*=/.test(text) ? null : VARIABLE_HELP
}

/** The request that saves it. Only for valid fields. */
export function toScriptBody(fields: ScriptFields, code: string): ScriptBody {
  return {
    ...fields,
    default_timeout: Number(fields.default_timeout),
    supported_platforms: PLATFORMS.filter((platform) => fields.supported_platforms.includes(platform)),
    args: fields.args.filter((arg) => arg !== ''),
    env_vars: fields.env_vars.filter((variable) => variable !== ''),
    script_body: code,
  }
}

export const readShell = (text: string | null): ScriptShell | undefined =>
  ScriptShell.options.find((shell) => shell === text)

type ScriptBody = Input<typeof createScript>['body'] & Input<typeof editScript>['body']
const MAX_LINES = 200
const VARIABLE_HELP = 'Write NAME=value.'
