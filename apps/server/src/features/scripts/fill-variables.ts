import { AppError } from '@muster/contract/errors'
import {
  describeMissing,
  type FilledCall,
  fillCall,
  type ScriptCall,
} from '@muster/rules/agents/script-variables'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Author } from '../keystore/key-use.ts'
import { type FindAllowed, loadVariables } from './load-variables.ts'

const MAX_TEXT_LENGTH = 10_000
/** In arguments cmd interprets these, however they are quoted. */
const CMD_SIGNS = /[&|<>^%!"\r\n]/

export interface CallTarget {
  agentId: string
  hostname: string
  /** Flags are written in the syntax of this shell. */
  shell: string
  /** Keys of the store are read with the role of this user. */
  author: Author
}

/** A call with its values, or the reason why it cannot be sent. */
export type ReadyCall = FilledCall & { problem: string | undefined; isRefused: boolean }

/**
 * Replaces the variables of a call by values, and throws if one has none. Everything that sends a script calls this:
 * `args` and `env_vars` are for the machine only, `shown` is what users may see, and `secrets` are sent along so that
 * the machine masks them in the output. `alert`: the values of `{{alert.x}}`.
 *
 *     const call = await fillVariables(ctx, ctx.db, { agentId, hostname, shell, author }, { args, env_vars })
 */
export async function fillVariables(
  ctx: Pick<Context, 'secrets'>,
  db: Db,
  target: CallTarget,
  call: VariableCall,
): Promise<FilledCall> {
  const { agentId, author } = target
  return (await openVariables(ctx, db, { agentIds: [agentId], author, call }))(target)
}

type VariableCall = ScriptCall & { alert?: Readonly<Record<string, string>> }

/** The same for one call on many machines: reads all values once. */
export async function openVariables(
  ctx: Pick<Context, 'secrets'>,
  db: Db,
  { agentIds, author, call }: { agentIds: readonly string[]; author: Author; call: VariableCall },
): Promise<(target: CallTarget) => FilledCall> {
  const texts = [...call.args, ...call.env_vars]
  const book = await loadVariables(db, ctx.secrets, { agentIds, authors: [author], texts })
  return (target) => {
    const values = withAlert(book.valuesOf(target.agentId, target.shell, target.author), call.alert)
    const { problem, isRefused, ...filled } = readyCall(target, call, values)
    if (problem !== undefined)
      throw new AppError(isRefused ? 'not_allowed' : 'invalid', problem, { fields: { args: [problem] } })
    return filled
  }
}

/** Works without the database, and returns a refusal as a sentence. */
export function readyCall(target: CallTarget, call: ScriptCall, findValue: FindAllowed): ReadyCall {
  let refusal: string | undefined
  const unsafe = new Set<string>()
  const filled = fillCall(call, (variable) => {
    const value = findValue(variable)
    if (value?.refusal !== undefined) {
      refusal ??= value.refusal
      return undefined
    }
    if (value !== undefined && CMD_SIGNS.test(value.text))
      unsafe.add(`{{${variable.scope}.${variable.name}}}`)
    return value
  })
  const tooLong = [...filled.args, ...filled.env_vars].some((text) => text.length > MAX_TEXT_LENGTH)
  const nul = [...filled.args, ...filled.env_vars].some((text) => text.includes('\0'))
  const problem =
    refusal ??
    describeMissing(filled.missing, target.hostname) ??
    (tooLong
      ? `An argument or variable is longer than ${MAX_TEXT_LENGTH} characters with its values. Shorten it.`
      : undefined) ??
    (nul ? 'A value contains a NUL character, which no program accepts.' : undefined) ??
    (target.shell === 'cmd' && unsafe.size > 0
      ? `cmd would interpret characters in ${[...unsafe].join(', ')} as commands. Use PowerShell for this script.`
      : undefined)
  return { ...filled, problem, isRefused: refusal !== undefined }
}

function withAlert(findValue: FindAllowed, alert: Readonly<Record<string, string>> | undefined): FindAllowed {
  if (alert === undefined) return findValue
  return (variable) => {
    if (variable.scope !== 'alert') return findValue(variable)
    const text = Object.hasOwn(alert, variable.name) ? alert[variable.name] : undefined
    return text === undefined ? undefined : { text, isSecret: false }
  }
}
