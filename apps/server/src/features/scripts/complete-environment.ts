import { AppError } from '@muster/contract/errors'
import { completeParameters } from '@muster/rules/agents/script-parameters'
import { readParametersColumn, type ScriptRow } from './queries.ts'

/**
 * The environment of a call with the default values of the script's parameters. Throws `invalid` for a missing or wrong
 * value, with the field `parameters.NAME`, after `path`.
 */
export function completeEnvironment(
  script: Pick<ScriptRow, 'parameters'>,
  env_vars: readonly string[],
  path = '',
): string[] {
  const complete = completeParameters(readParametersColumn(script), env_vars)
  const [first] = complete.problems
  if (first === undefined) return complete.env_vars
  const fields = complete.problems.map(({ name, sentence }) => [`${path}parameters.${name}`, [sentence]])
  throw new AppError('invalid', first.sentence, { fields: Object.fromEntries(fields) })
}
