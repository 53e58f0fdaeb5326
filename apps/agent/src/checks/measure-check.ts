import { CheckDefinition, type MachineCheckType, Measured } from '@muster/contract/agent/checks'
import { describeError } from '../log/log.ts'
import { MeasureError, NotMeasuredError } from '../errors.ts'
import { type CheckContext, checkTable, type DefinitionOf } from './table.ts'
import type { UnknownCheck } from './definitions.ts'

/**
 * Measures once and never rejects: a check that fails or times out returns `unmeasurable` with a message. A check
 * that still hangs from an earlier run is not started again.
 */
export async function measureCheck(
  definition: CheckDefinition | UnknownCheck,
  context: CheckContext,
): Promise<Measured> {
  if (definition.check_type === 'unknown') return notMeasured(definition.reason)
  if (context.hanging.has(definition.id))
    return unmeasurable('The previous run of this check has not finished yet.')
  try {
    return fit(await measureWithin(definition, context))
  } catch (cause) {
    if (cause instanceof NotMeasuredError) return notMeasured(cause.message)
    if (cause instanceof MeasureError) return unmeasurable(cause.message)
    if (!context.signal.aborted)
      context.log.info({ check_id: definition.id, cause }, 'failed to measure check')
    return unmeasurable(`Failed to measure: ${describeError(cause)}.`)
  }
}

async function measureWithin<Type extends MachineCheckType>(
  definition: DefinitionOf<Type>,
  context: CheckContext,
): Promise<Measured> {
  // Each entry of the table has the type of its name. TypeScript loses that through the generic index.
  const kind = await checkTable[definition.check_type as Type]()
  const limitMs = kind.limitMs(definition)
  const giveUp = new AbortController()
  const over = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    giveUp.abort()
    over.reject(new MeasureError(`Timed out after ${Math.round(limitMs / 1000)} seconds.`))
  }, limitMs)
  const signal = AbortSignal.any([context.signal, giveUp.signal])
  context.hanging.add(definition.id)
  const measured = kind
    .measure(definition, { ...context, signal })
    .finally(() => context.hanging.delete(definition.id))
  try {
    return await Promise.race([measured, over.promise])
  } finally {
    clearTimeout(timer)
    // Late errors after the timeout are ignored.
    measured.catch(() => {})
  }
}

/** A number that the contract refuses (infinite, negative) must not invalidate the whole batch of results. */
function fit(measured: Measured): Measured {
  const fitting = Measured.safeParse(measured)
  if (fitting.success) return fitting.data
  const [issue] = fitting.error.issues
  return unmeasurable(
    `The system returned an invalid value: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
  )
}

function unmeasurable(reason: string): Measured {
  return { check_type: 'unmeasurable', reason: reason.slice(0, 500) }
}

/** Nothing is known about the target: the machine lacks what the check needs. */
function notMeasured(reason: string): Measured {
  return { check_type: 'unmeasurable', reason: reason.slice(0, 500), not_measured: true }
}
