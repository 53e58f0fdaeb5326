import { AppError } from '@muster/contract/errors'
import type { Caller } from './caller.ts'

/** Refuses callers who see only some clients: what they are about to write counts for every client. */
export function refuseLimited({ scope }: Pick<Caller, 'scope'>, what: string): void {
  if (scope.all) return
  throw new AppError(
    'not_allowed',
    `${what} may count for every client, and your role sees only some of them.`,
  )
}
