import type { PolicyDocument } from '@muster/contract/api/automation'
import { AppError } from '@muster/contract/errors'

/**
 * Gives new checks their numbers, each used once in the life of a policy: by them machines keep what a check has found,
 * also when it was changed, or when an earlier version is put back.
 */
export function numberChecks(
  document: PolicyDocument,
  last: number,
): { document: PolicyDocument; last: number } {
  const given = document.content.checks.flatMap(({ id }) => (id === undefined ? [] : [id]))
  if (new Set(given).size < given.length || given.some((id) => id > last)) {
    throw new AppError('invalid', 'A new check of a policy has no id, and each of the others its own.', {
      fields: { 'content.checks': ['Leave out the id of a new check.'] },
    })
  }
  let next = last
  const checks = document.content.checks.map((check) => ({ ...check, id: check.id ?? (next += 1) }))
  return { document: { ...document, content: { ...document.content, checks } }, last: next }
}
