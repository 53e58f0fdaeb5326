import type { PolicyItem } from '@muster/contract/fields'
import type { PolicyCheck, PolicyTask } from '@muster/contract/policies/policy-content'
import { AppError } from '@muster/contract/errors'
import { policyItemId } from '@muster/contract/policies/policy-items'
import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { requireRight } from './assignment-fields.ts'
import { requireWholePolicy } from './require-policy.ts'
import { writeChange } from './save-policy.ts'
import { openSave } from './store-save.ts'

type Item = { kind: 'checks'; item: PolicyCheck } | { kind: 'tasks'; item: PolicyTask }

const WORDS = { checks: 'check', tasks: 'task' } as const
/** The limits of the contract's `PolicyContent`. */
const MAX_COUNT = { checks: 200, tasks: 50 } as const

/**
 * Adds a check or task to a policy as its next version, with the permission, audit row and history of any other change.
 */
export function addPolicyItem(
  ctx: Context,
  caller: Caller,
  { policyId, added: { kind, item } }: { policyId: number; added: Item },
): Promise<PolicyItem> {
  return ctx.transaction(async (tx, emit) => {
    const save = await openSave({ ctx, tx, emit, caller }, undefined)
    const policy = await requireWholePolicy(tx, caller, save.set, policyId)
    requireRight(caller)
    const { content } = policy.document
    if (content[kind].length >= MAX_COUNT[kind])
      throw new AppError('conflict', `A policy is limited to ${MAX_COUNT[kind]} ${kind}. Delete one first.`)
    const document = {
      ...policy.document,
      content: { ...content, [kind]: [...content[kind], item] },
    }
    await writeChange(save, policy, { document, reason: `Added a ${WORDS[kind]}` })
    // Only the new item is numbered, from here on.
    const number = policy.row.last_number + 1
    return { id: policyItemId(policyId, number), policy: policyId, number }
  })
}
