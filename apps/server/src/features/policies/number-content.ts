import type { PolicyDocument } from '@muster/contract/api/policies'
import { AppError } from '@muster/contract/errors'

type Numbered = { id?: number | undefined }

/**
 * Numbers new checks and tasks. Numbers are never reused within a policy: machines keep results by number, also after a
 * change or a revert.
 */
export function numberContent(
  document: PolicyDocument,
  last: number,
): { document: PolicyDocument; last: number } {
  const { checks, tasks } = document.content
  const given = [...checks, ...tasks].flatMap(({ id }: Numbered) => (id === undefined ? [] : [id]))
  if (new Set(given).size < given.length || given.some((id) => id > last)) {
    throw new AppError(
      'invalid',
      'A new check or task of a policy has no id, and existing ones have different ids.',
      {
        fields: { content: ['Leave out the id of a new check or task.'] },
      },
    )
  }
  let next = last
  const number = <One extends Numbered>(one: One) => ({ ...one, id: one.id ?? (next += 1) })
  const content = { ...document.content, checks: checks.map(number), tasks: tasks.map(number) }
  return { document: { ...document, content }, last: next }
}
