const VARIABLE_SCOPES = ['agent', 'client', 'site', 'global', 'alert'] as const
export type VariableScope = (typeof VARIABLE_SCOPES)[number]

/** `{{agent.hostname}}`: the scope and the name. */
export interface Variable {
  scope: VariableScope
  name: string
}

/** The value of a variable. */
export interface VariableValue {
  text: string
  /** From the key store: never shown. */
  isSecret: boolean
}

export type FindValue = (variable: Variable) => VariableValue | undefined

/** Shown in place of a secret in the history and in output. */
export const HIDDEN_TEXT = '••••••'

export interface FilledText {
  /** For the machine. */
  text: string
  /** For display: secrets are hidden. */
  shown: string
  /** Variables without a value, as they are written. */
  missing: string[]
  secrets: string[]
}

// Nested braces and names without a known scope (`{{.Names}}`) are not variables, because other template languages
// use them.
const VARIABLE = /\{\{\s{0,20}(agent|client|site|global|alert)\.([^{}]{1,200})\}\}/g

export const hasVariables = (text: string): boolean => text.search(VARIABLE) >= 0

/** The variables of a text in order. */
export function findVariables(text: string): Variable[] {
  return Array.from(text.matchAll(VARIABLE), ([, scope, name = '']) => ({
    // One of the alternatives of the pattern.
    scope: scope as VariableScope,
    name: name.trim(),
  }))
}

/** Replaces variables once: a value that looks like a variable stays text. */
export function fillText(text: string, findValue: FindValue): FilledText {
  const filled: FilledText = { text: '', shown: '', missing: [], secrets: [] }
  let end = 0
  for (const match of text.matchAll(VARIABLE)) {
    const [written, scope, name = ''] = match
    const before = text.slice(end, match.index)
    const value = findValue({ scope: scope as VariableScope, name: name.trim() })
    if (value === undefined) filled.missing.push(written)
    else if (value.isSecret) filled.secrets.push(value.text)
    filled.text += before + (value?.text ?? written)
    filled.shown += before + (value === undefined ? written : value.isSecret ? HIDDEN_TEXT : value.text)
    end = match.index + written.length
  }
  filled.text += text.slice(end)
  filled.shown += text.slice(end)
  return filled
}

/** The call of a script: arguments, and environment variables as `NAME=value`. */
export interface ScriptCall {
  args: readonly string[]
  env_vars: readonly string[]
}

export interface FilledCall {
  args: string[]
  env_vars: string[]
  shown: { args: string[]; env_vars: string[] }
  missing: string[]
  secrets: string[]
}

/** Fills in a call. A variable is never part of an environment name, and never becomes a second argument. */
export function fillCall(call: ScriptCall, findValue: FindValue): FilledCall {
  const args = call.args.map((text) => fillText(text, findValue))
  const variables = call.env_vars.map((text) => {
    const start = text.indexOf('=') + 1
    return { name: text.slice(0, start), value: fillText(text.slice(start), findValue) }
  })
  const all = [...args, ...variables.map(({ value }) => value)]
  return {
    args: args.map(({ text }) => text),
    env_vars: variables.map(({ name, value }) => name + value.text),
    shown: {
      args: args.map(({ shown }) => shown),
      env_vars: variables.map(({ name, value }) => name + value.shown),
    },
    missing: [...new Set(all.flatMap(({ missing }) => missing))],
    secrets: [...new Set(all.flatMap(({ secrets }) => secrets))],
  }
}

/** Why a call cannot be sent, as a sentence; undefined if it can. */
export function describeMissing(missing: readonly string[], hostname: string): string | undefined {
  if (missing.length === 0) return undefined
  const [first, ...others] = missing
  const names = others.length === 0 ? first : `${missing.slice(0, -1).join(', ')} and ${missing.at(-1)}`
  return `${names} ${others.length === 0 ? 'has' : 'have'} no value for ${hostname}. Check the name or set a value.`
}

/** A custom field's value as an argument: lists with commas, booleans in the syntax of the shell. */
export function formatFieldValue(value: string | boolean | readonly string[], shell: string): string {
  if (typeof value === 'boolean') {
    if (shell === 'powershell') return value ? '$True' : '$False'
    return value ? '1' : '0'
  }
  return typeof value === 'string' ? value : value.join(',')
}

/**
 * Replaces `{{name}}` with snippets. Other text in braces stays, because other languages use braces too. Snippets
 * inside snippets are not replaced.
 */
export function expandSnippets(body: string, codeOf: (name: string) => string | undefined): string {
  return body.replaceAll(
    /\{\{([^{}\n]{1,100})\}\}/g,
    (written, name: string) => codeOf(name.trim()) ?? written,
  )
}
