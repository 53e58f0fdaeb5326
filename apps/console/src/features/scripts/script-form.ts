import type { Input } from '@muster/contract/endpoint'
import { type ScriptDetail, type ScriptShell, createScript } from '@muster/contract/api/scripts'
import type { Platform } from '@muster/contract/fields'

/** A script as the editor holds it. */
export type ScriptForm = {
  name: string
  description: string
  category: string
  shell: ScriptShell
  supported_platforms: Platform[]
  args: string[]
  env_vars: string[]
  default_timeout: number | string
  syntax: string
  run_as_user: boolean
  filename: string
  script_body: string
}

export const SHELLS: { value: ScriptShell; label: string }[] = [
  { value: 'shell', label: 'Shell (bash, sh)' },
  { value: 'python', label: 'Python' },
  { value: 'powershell', label: 'PowerShell' },
  { value: 'cmd', label: 'Windows CMD' },
  { value: 'node', label: 'Node' },
  { value: 'deno', label: 'Deno' },
  { value: 'nushell', label: 'Nushell' },
]

export const NEW_SCRIPT: ScriptForm = {
  name: '',
  description: '',
  category: '',
  shell: 'shell',
  supported_platforms: [],
  args: [],
  env_vars: [],
  default_timeout: 90,
  syntax: '',
  run_as_user: false,
  filename: '',
  script_body: '#!/bin/bash\n',
}

export function readScript(script: ScriptDetail): ScriptForm {
  const { name, description, category, shell, supported_platforms, args, env_vars } = script
  const { default_timeout, syntax, run_as_user, filename, script_body } = script
  return {
    name,
    description,
    category,
    shell,
    supported_platforms,
    args,
    env_vars,
    default_timeout,
    syntax,
    run_as_user,
    filename,
    script_body,
  }
}

/** The form of a copy: its name is free to be saved at once. */
export function cloneScript(script: ScriptDetail): ScriptForm {
  return { ...readScript(script), name: `Copy of ${script.name}`.slice(0, 255) }
}

export function toScriptBody(form: ScriptForm): Input<typeof createScript>['body'] {
  return {
    ...form,
    default_timeout: Number(form.default_timeout),
    args: form.args.filter((text) => text !== ''),
    env_vars: form.env_vars.filter((text) => text !== ''),
  }
}

/** What is wrong with the form, by field, in the words of the contract. */
export function checkScript(form: ScriptForm): Record<string, string> {
  const parsed = createScript.body?.safeParse(toScriptBody(form))
  if (parsed === undefined || parsed.success) return {}
  return Object.fromEntries(parsed.error.issues.map(({ path, message }) => [String(path[0]), message]))
}

/** Why the code will surprise on Linux and macOS; undefined when it will not. */
export function shebangWarning({
  shell,
  script_body,
}: Pick<ScriptForm, 'shell' | 'script_body'>): string | undefined {
  if (
    (shell !== 'shell' && shell !== 'python') ||
    script_body.trim() === '' ||
    script_body.startsWith('#!')
  ) {
    return undefined
  }
  return shell === 'shell'
    ? 'Without a first line like #!/bin/bash it runs in whichever shell the machine has.'
    : 'Without a first line like #!/usr/bin/env python3 it runs in whichever Python the machine has.'
}
