import { AppError } from '@muster/contract/errors'
import type { Caller } from './caller.ts'

/** Refuses callers with a limited scope, because the change affects every client. */
export function refuseLimited({ scope }: Pick<Caller, 'scope'>, what: string): void {
  if (scope.all) return
  throw new AppError(
    'not_allowed',
    `${what} may affect every client, and your role is limited to some of them. Ask an administrator.`,
  )
}
