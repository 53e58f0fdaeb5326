/**
 * Parameters of scripts travel in the environment of a call, as `MUSTER_PARAM_NAME=value`. So they need no part of the
 * protocol: jobs, tasks and runs carry them like any other variable, secrets are sealed and masked like keys in other
 * variables, and no shell reads a value. Text may contain `{{agent.x}}`, as in other variables.
 */

export const PARAMETER_TYPES = ['text', 'number', 'boolean', 'choice', 'secret'] as const
export type ParameterType = (typeof PARAMETER_TYPES)[number]

/** A parameter that a script declares: the contract's ScriptParameter. */
export interface ScriptParameter {
  name: string
  type: ParameterType
  description: string
  required: boolean
  /** Used if a call gives no value; empty = none. */
  default: string
  /** For a choice. */
  choices: readonly string[]
}

const PREFIX = 'MUSTER_PARAM_'
const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/
/** A secret is a key of the key store, so that its value is never part of a call. */
const KEY = /^\{\{\s*global\.([^{}]{1,200})\}\}$/

/** The environment variable that carries a parameter. Without a value it is not set. */
export function parameterVariable(name: string): string {
  return PREFIX + name.toUpperCase()
}

export const keyReference = (key: string): string => (key === '' ? '' : `{{global.${key}}}`)

/** The name of the key that a secret refers to; empty if it is none. */
export const keyOfReference = (value: string): string => KEY.exec(value)?.[1]?.trim() ?? ''

/** Returns what is wrong with a value, as a sentence, or undefined. An empty one is no value. */
export function findValueProblem(parameter: ScriptParameter, value: string): string | undefined {
  if (value === '') return parameter.required ? `${parameter.name} needs a value.` : undefined
  switch (parameter.type) {
    case 'text':
      return undefined
    case 'number':
      return NUMBER.test(value) ? undefined : `${parameter.name} needs a number, such as 10 or -0.5.`
    case 'boolean':
      return value === 'true' || value === 'false' ? undefined : `${parameter.name} must be true or false.`
    case 'choice':
      return parameter.choices.includes(value)
        ? undefined
        : `${parameter.name} must be one of: ${parameter.choices.join(', ')}.`
    case 'secret':
      return KEY.test(value) ? undefined : `${parameter.name} needs a key of the key store.`
  }
}

/** The values of parameters in the environment of a call, by name, and its other variables. */
export function readParameters(
  parameters: readonly ScriptParameter[],
  env_vars: readonly string[],
): { values: Map<string, string>; others: string[] } {
  const names = new Map(parameters.map(({ name }) => [parameterVariable(name), name]))
  const values = new Map<string, string>()
  const others = env_vars.filter((text) => {
    const end = text.indexOf('=')
    const name = end < 0 ? undefined : names.get(text.slice(0, end))
    if (name !== undefined) values.set(name, text.slice(end + 1))
    return name === undefined
  })
  return { values, others }
}

/** The environment of a call with these values. */
export function writeParameters(
  parameters: readonly ScriptParameter[],
  { values, others }: { values: ReadonlyMap<string, string>; others: readonly string[] },
): string[] {
  const given = parameters.flatMap(({ name }) => {
    const value = values.get(name)
    return value === undefined ? [] : [`${parameterVariable(name)}=${value}`]
  })
  return [...others, ...given]
}

export interface ParameterProblem {
  name: string
  sentence: string
}

/** The environment with defaults for parameters without a value, and what is wrong with it. */
export function completeParameters(
  parameters: readonly ScriptParameter[],
  env_vars: readonly string[],
): { env_vars: string[]; problems: ParameterProblem[] } {
  if (parameters.length === 0) return { env_vars: [...env_vars], problems: [] }
  const { values, others } = readParameters(parameters, env_vars)
  const complete = new Map<string, string>()
  const problems: ParameterProblem[] = []
  for (const parameter of parameters) {
    const given = values.get(parameter.name) ?? ''
    const value = given === '' ? parameter.default : given
    const sentence = findValueProblem(parameter, value)
    if (sentence !== undefined) problems.push({ name: parameter.name, sentence })
    if (value !== '') complete.set(parameter.name, value)
  }
  return { env_vars: writeParameters(parameters, { values: complete, others }), problems }
}

/** Returns what is wrong with declared parameters, as a sentence and its place, or undefined. */
export function findDeclarationProblem(
  parameters: readonly ScriptParameter[],
): { index: number; field: keyof ScriptParameter; sentence: string } | undefined {
  const seen = new Set<string>()
  for (const [index, parameter] of parameters.entries()) {
    const { name, type, choices } = parameter
    const variable = parameterVariable(name)
    if (seen.has(variable))
      return { index, field: 'name', sentence: `There is another parameter named ${name}.` }
    seen.add(variable)
    if (type === 'choice' && choices.length === 0)
      return { index, field: 'choices', sentence: `${name} needs at least one choice.` }
    if (type === 'secret' && parameter.default !== '')
      return { index, field: 'default', sentence: `${name} is secret and has no default.` }
    const sentence = findValueProblem({ ...parameter, required: false }, parameter.default)
    if (sentence !== undefined) return { index, field: 'default', sentence }
  }
  return undefined
}
