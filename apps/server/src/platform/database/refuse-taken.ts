import { AppError } from '@muster/contract/errors'
import { isUniqueViolation } from './sql.ts'

/**
 * Turns a unique violation into a validation error at its field. Wrap it around the transaction, which is void after a
 * violation:
 *
 *     return refuseTaken({ field: 'name', sentence }, () => ctx.transaction(async (tx, emit) => { ... }))
 */
export async function refuseTaken<Result>(
  taken: { field: string; sentence: string },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    if (!isUniqueViolation(cause)) throw cause
    throw new AppError('conflict', taken.sentence, { fields: { [taken.field]: [taken.sentence] }, cause })
  }
}
