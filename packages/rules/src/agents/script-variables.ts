const VARIABLE_SCOPES = ['agent', 'client', 'site', 'global', 'alert'] as const
export type VariableScope = (typeof VARIABLE_SCOPES)[number]

/** `{{agent.hostname}}`: the scope and what is asked of it. */
export interface Variable {
  scope: VariableScope
  name: string
}

/** What a variable stands for. */
export interface VariableValue {
  text: string
  /** Of the key store: shown to nobody. */
  isSecret: boolean
}

export type FindValue = (variable: Variable) => VariableValue | undefined

/** What stands in the history in place of a secret, and in output that repeats one. */
export const HIDDEN_TEXT = '••••••'

export interface FilledText {
  /** For the machine. */
  text: string
  /** For people: secrets are hidden. */
  shown: string
  /** The variables that stand for nothing, as they are written. */
  missing: string[]
  secrets: string[]
}

// Braces inside are none of ours: other template languages keep theirs, as do names of no scope (`{{.Names}}`).
const VARIABLE = /\{\{\s{0,20}(agent|client|site|global|alert)\.([^{}]{1,200})\}\}/g

export const hasVariables = (text: string): boolean => text.search(VARIABLE) >= 0

/** The variables of a text, in their order. */
export function findVariables(text: string): Variable[] {
  return Array.from(text.matchAll(VARIABLE), ([, scope, name = '']) => ({
    // One of the words of the pattern.
    scope: scope as VariableScope,
    name: name.trim(),
  }))
}

/** Puts values in place of variables, once: a value that looks like a variable stays the text that it is. */
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

/** How a script is called: whole arguments, and variables of the environment as `NAME=value`. */
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

/** Fills a call in. A variable is never part of a name in the environment, and never becomes a second argument. */
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

/** Why a call cannot be sent, as a sentence; undefined when it can. */
export function describeMissing(missing: readonly string[], hostname: string): string | undefined {
  if (missing.length === 0) return undefined
  const [first, ...others] = missing
  const names = others.length === 0 ? first : `${missing.slice(0, -1).join(', ')} and ${missing.at(-1)}`
  return `${names} ${others.length === 0 ? 'has' : 'have'} no value for ${hostname}: check the name, or give it one.`
}

/** A custom field's value as an argument: lists with commas, flags as the shell writes them. */
export function formatFieldValue(value: string | boolean | readonly string[], shell: string): string {
  if (typeof value === 'boolean') {
    if (shell === 'powershell') return value ? '$True' : '$False'
    return value ? '1' : '0'
  }
  return typeof value === 'string' ? value : value.join(',')
}

/**
 * A script's text with snippets in place of `{{name}}`. What is no snippet stays, since other languages have braces
 * of their own; a snippet is put in as it is, without looking for more in it.
 */
export function expandSnippets(body: string, codeOf: (name: string) => string | undefined): string {
  return body.replaceAll(
    /\{\{([^{}\n]{1,100})\}\}/g,
    (written, name: string) => codeOf(name.trim()) ?? written,
  )
}
