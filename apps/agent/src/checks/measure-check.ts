import { CheckDefinition, Measured, type MachineCheckType } from '@muster/contract/agent/checks'
import { describeError } from '../log/log.ts'
import type { CheckContext, DefinitionOf } from './check-kind.ts'
import type { UnknownCheck } from './definitions.ts'
import { checkTable } from './table.ts'
import { Unmeasurable } from './unmeasurable.ts'

/**
 * Measures once, whatever happens: a check that fails or does not come to its end is `unmeasurable` with a sentence.
 * One that still hangs from an earlier time is not begun again.
 */
export async function measureCheck(
  definition: CheckDefinition | UnknownCheck,
  context: CheckContext,
): Promise<Measured> {
  if (definition.check_type === 'unknown') return unmeasurable(definition.reason)
  if (context.hanging.has(definition.id))
    return unmeasurable('The check before this one still has not come to its end.')
  try {
    return fit(await measureWithin(definition, context))
  } catch (cause) {
    if (cause instanceof Unmeasurable) return unmeasurable(cause.message)
    if (!context.signal.aborted)
      context.log.info({ check_id: definition.id, cause }, 'check could not be measured')
    return unmeasurable(`This cannot be measured: ${describeError(cause)}.`)
  }
}

async function measureWithin<Type extends MachineCheckType>(
  definition: DefinitionOf<Type>,
  context: CheckContext,
): Promise<Measured> {
  // The table has for each name the kind of that name; TypeScript does not follow that through the generic index.
  const kind = await checkTable[definition.check_type as Type]()
  const limitMs = kind.limitMs(definition)
  const giveUp = new AbortController()
  const over = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    giveUp.abort()
    over.reject(
      new Unmeasurable(`This took longer than ${Math.round(limitMs / 1000)} seconds and was given up.`),
    )
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
    // Nobody is left to hear of what comes too late.
    measured.catch(() => {})
  }
}

/** A number that no contract takes (an infinite one, one below zero) must not spoil a whole batch of results. */
function fit(measured: Measured): Measured {
  const fitting = Measured.safeParse(measured)
  if (fitting.success) return fitting.data
  const [issue] = fitting.error.issues
  return unmeasurable(
    `The system told something strange: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
  )
}

function unmeasurable(reason: string): Measured {
  return { check_type: 'unmeasurable', reason: reason.slice(0, 500) }
}
