import { AppError } from '@muster/contract/errors'
import type { Db } from '../../platform/database/database.ts'
import { type Caller, mayDo } from '../../platform/http/caller.ts'
import type { AssignmentFields } from '../clients/write-client.ts'
import { assignAt, requireTarget } from './assign-policies.ts'
import { blockPolicies } from './block-inheritance.ts'
import { listAt, type Listed, type AssignmentTarget } from './assignment-list.ts'
import { openSave, type Save } from './store-save.ts'

type Slot = 'server' | 'workstation'
type Level = { level: 'client' | 'site' | 'agent' | 'default'; id: string }

/**
 * Applies changed fields like the endpoints of policies do, with their permission, audit row and history. Call it
 * before other rows of the transaction are locked, because policies are always locked first.
 */
export async function changeAssignmentFields(
  parts: Omit<Save, 'set'>,
  at: Level,
  fields: AssignmentFields,
): Promise<void> {
  const { policy, server_policy, workstation_policy, block_policy_inheritance: block } = fields
  if ([policy, server_policy, workstation_policy, block].every((value) => value === undefined)) return
  const { tx, caller } = parts
  const save = await openSave(parts, undefined)
  const { target } = await requireTarget(tx, caller, at)
  const known = listAt(save.set, target)
  let wanted = known
  if (policy !== undefined) wanted = withFirst(wanted, undefined, policy)
  if (server_policy !== undefined) wanted = withFirst(wanted, 'server', server_policy)
  if (workstation_policy !== undefined) wanted = withFirst(wanted, 'workstation', workstation_policy)
  if (wanted !== known) {
    requireRight(caller)
    await assignAt(save, at, { policies: wanted })
  }
  if (block === undefined || target.level === 'default' || block === (await blocksAt(tx, target))) return
  requireRight(caller)
  await blockPolicies(parts, { target, block_policy_inheritance: block })
}

async function blocksAt(tx: Db, target: Exclude<AssignmentTarget, { level: 'default' }>): Promise<boolean> {
  const row =
    target.level === 'agent'
      ? await tx
          .selectFrom('agents')
          .select('block_policy_inheritance')
          .where('agent_id', '=', target.id)
          .executeTakeFirst()
      : await tx
          .selectFrom(target.level === 'client' ? 'clients' : 'sites')
          .select('block_policy_inheritance')
          .where('id', '=', target.id)
          .executeTakeFirst()
  return row?.block_policy_inheritance === 1
}

/**
 * The list with another first policy for one type of machine. Null = without a first policy. Returns the same list if
 * nothing changes.
 */
export function withFirst(list: Listed[], slot: Slot | undefined, id: number | null): Listed[] {
  const counts = (one: Listed) =>
    slot === undefined || one.monitoring_type === null || one.monitoring_type === slot
  const first = list.findIndex(counts)
  if ((list[first]?.id ?? null) === id) return list
  const others = list.flatMap((one, index) => {
    const goes = counts(one) && (id === null || index === first || one.id === id)
    if (!goes) return [{ one, index }]
    // A policy for both types stays for the other type.
    const rest = slot === 'server' ? 'workstation' : 'server'
    return slot !== undefined && one.monitoring_type === null
      ? [{ one: { id: one.id, monitoring_type: rest } as const, index }]
      : []
  })
  const before = others.filter(({ index }) => first === -1 || index < first).map(({ one }) => one)
  const after = others.filter(({ index }) => first !== -1 && index >= first).map(({ one }) => one)
  return id === null ? [...before, ...after] : [...before, { id, monitoring_type: slot ?? null }, ...after]
}

export function requireRight(caller: Caller): void {
  if (mayDo(caller, 'can_manage_automation_policies')) return
  throw new AppError(
    'not_allowed',
    'Your role does not allow changing policies (can_manage_automation_policies). Ask an administrator.',
  )
}
