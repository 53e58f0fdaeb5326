import { AppError } from '@muster/contract/errors'
import { isUniqueViolation } from './sql.ts'

/**
 * Turns the refusal of a taken value into a sentence at its field. It goes around the transaction, not into it,
 * since the transaction is void after such a refusal:
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
