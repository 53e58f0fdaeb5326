import type { PolicyCheck } from '@muster/contract/policies/policy-content'
import type { Db } from '../../../platform/database/database.ts'
import { takeCheckFindings } from '../../alerts/check-alerts.ts'
import { lockChecks } from '../../alerts/queries.ts'
import type { TxContext } from '../../alerts/store-alerts.ts'
import { resetResults } from '../../checks/reset-results.ts'
import { rejudgeLast } from '../../checks/judge-result.ts'
import { findChecksByIds, updateCheck } from '../../checks/queries.ts'
import { markChecksStale } from '../../checks/mark-checks-stale.ts'
import { chunk } from '../queries.ts'
import {
  dependenciesOf,
  findHeldChecks,
  type HeldRow,
  isSame,
  type WantedCheck,
  wantedOf,
} from './held-checks.ts'
import type { Resolved } from './kind.ts'

type Machines = readonly Resolved<PolicyCheck | undefined>[]
interface Change {
  added: (WantedCheck & { agentId: string })[]
  changed: { row: HeldRow; check: PolicyCheck }[]
  removed: HeldRow[]
  /** Own checks that become overridden, and by which policy. Null = no longer overridden. */
  resting: { id: number; agentId: string; by: number | null }[]
  /** Whether a check depends on another one, or did. */
  hasLinks: boolean
}

const SLICE = 200
/** Empty, because the history of the policy names the user. */
const BY_POLICY = ''

/** Creates, changes and deletes the rows of policy checks on machines. Only machines with a difference are notified. */
export async function applyChecks(txContext: TxContext, machines: Machines): Promise<void> {
  const { ctx, tx, emit } = txContext
  const at = ctx.now()
  const change = await compare(tx, machines)
  await removeChecks(txContext, change.removed, at)
  await restChecks(txContext, change.resting, at)
  const added = await addChecks(tx, change.added, at)
  const changed = await changeChecks(txContext, change.changed, at)
  const linked = change.hasLinks ? await linkChecks(tx, machines) : []
  const woken = change.resting.filter(({ by }) => by === null)
  await markChecksStale(tx, emit, {
    checkIds: [...added, ...changed, ...woken].map(({ id }) => id),
    agentIds: [
      ...change.removed.map(({ agent_id }) => agent_id),
      ...change.resting.filter(({ by }) => by !== null).map(({ agentId }) => agentId),
    ],
  })
  const touched = [
    ...added,
    ...changed,
    ...change.removed.map(({ id, agent_id }) => ({ id, agentId: agent_id })),
    ...change.resting,
    ...linked,
  ]
  for (const slice of chunk(touched)) {
    emit({
      type: 'check.changed',
      ids: slice.map(({ id }) => id),
      agent_ids: slice.map(({ agentId }) => agentId),
    })
  }
  const agentIds = [...new Set(touched.map(({ agentId }) => agentId))]
  for (const ids of chunk(agentIds)) emit({ type: 'agent.changed', ids, agent_ids: ids })
}

async function compare(tx: Db, machines: Machines): Promise<Change> {
  const change: Change = { added: [], changed: [], removed: [], resting: [], hasLinks: false }
  const heldOf = await findHeldChecks(
    tx,
    machines.map(({ machine }) => machine.agent_id),
  )
  for (const resolved of machines) {
    const agentId = resolved.machine.agent_id
    const held = heldOf.get(agentId) ?? { ofPolicies: [], resting: new Map() }
    const wanted = wantedOf(resolved)
    change.hasLinks ||=
      held.ofPolicies.some(({ depends_on }) => depends_on !== null) ||
      wanted.checks.values().some(({ check }) => check.depends_on !== undefined)
    const kept = new Set<string>()
    for (const row of held.ofPolicies) {
      const key = `${row.policy_id} ${row.policy_check}`
      const check = wanted.checks.get(key)?.check
      if (check === undefined || check.settings.check_type !== row.check_type) {
        change.removed.push(row)
        continue
      }
      kept.add(key)
      if (!isSame(row, check)) change.changed.push({ row, check })
    }
    for (const [key, one] of wanted.checks) if (!kept.has(key)) change.added.push({ ...one, agentId })
    for (const [id, by] of wanted.resting) {
      if (held.resting.get(id) !== by) change.resting.push({ id, agentId, by })
    }
    for (const id of held.resting.keys()) {
      if (!wanted.resting.has(id)) change.resting.push({ id, agentId, by: null })
    }
  }
  // In the order in which results lock them.
  change.removed.sort((a, b) => a.id - b.id)
  change.changed.sort((a, b) => a.row.id - b.row.id)
  change.resting.sort((a, b) => a.id - b.id)
  return change
}

async function removeChecks({ ctx, tx, emit }: TxContext, rows: HeldRow[], at: Date): Promise<void> {
  for (const slice of chunk(rows, SLICE)) {
    const ids = slice.map(({ id }) => id)
    // Concurrent results are stored before, and their alerts end with the checks.
    await lockChecks(tx, ctx.engine, ids)
    const text = 'The check was removed from the policies of the machine.'
    const over = ids.map((checkId) => ({ checkId, at, severity: null, text }))
    await takeCheckFindings({ ctx, tx, emit }, over, 'server')
    await tx.deleteFrom('checks').where('id', 'in', ids).execute()
  }
}

async function restChecks(txContext: TxContext, resting: Change['resting'], at: Date): Promise<void> {
  const { tx } = txContext
  for (const [by, group] of Map.groupBy(resting, (one) => one.by)) {
    for (const slice of chunk(group, SLICE)) {
      const ids = slice.map(({ id }) => id)
      if (by !== null) {
        const known = await findChecksByIds(tx, ids)
        await resetResults(txContext, known, { at, why: 'Overridden by a check of an enforced policy.' })
        await tx.deleteFrom('server_check_runs').where('check_id', 'in', ids).execute()
      }
      // The empty revision is set again, and the machine notified, once the check is no longer overridden.
      await tx.updateTable('checks').set({ overridden_by: by, revision: '' }).where('id', 'in', ids).execute()
    }
  }
}

async function addChecks(
  tx: Db,
  wanted: Change['added'],
  at: Date,
): Promise<{ id: number; agentId: string }[]> {
  const scripts = await findScripts(tx, wanted)
  const added: { id: number; agentId: string }[] = []
  for (const slice of chunk(wanted, SLICE)) {
    const rows = await tx
      .insertInto('checks')
      .values(
        slice.map(({ agentId, policyId, check }) => ({
          agent_id: agentId,
          ...columnsOf(check, scripts),
          check_type: check.settings.check_type,
          only_key: null,
          revision: '',
          policy_id: policyId,
          policy_check: check.id ?? 0,
          created_at: at.toISOString(),
          modified: at.toISOString(),
          modified_by: BY_POLICY,
        })),
      )
      .returning(['id', 'agent_id as agentId'])
      .execute()
    added.push(...rows)
  }
  return added
}

async function changeChecks(
  txContext: TxContext,
  changes: Change['changed'],
  at: Date,
): Promise<{ id: number; agentId: string }[]> {
  const { tx } = txContext
  const scripts = await findScripts(tx, changes)
  for (const slice of chunk(changes, SLICE)) {
    const ids = slice.map(({ row }) => row.id)
    const before = await findChecksByIds(tx, ids)
    for (const { row, check } of slice) {
      await updateCheck(tx, row.id, { ...columnsOf(check, scripts), modified: at.toISOString() })
    }
    const after = new Map((await findChecksByIds(tx, ids)).map((row) => [row.id, row]))
    for (const row of before) {
      const now = after.get(row.id)
      if (now !== undefined) await rejudgeLast(txContext, { before: row, after: now, at })
    }
  }
  return changes.map(({ row }) => ({ id: row.id, agentId: row.agent_id }))
}

/** After all rows exist: sets dependencies between checks of the same machine. */
async function linkChecks(tx: Db, machines: Machines): Promise<{ id: number; agentId: string }[]> {
  const heldOf = await findHeldChecks(
    tx,
    machines.map(({ machine }) => machine.agent_id),
  )
  const linked: { id: number; agentId: string }[] = []
  for (const resolved of machines) {
    const rows = heldOf.get(resolved.machine.agent_id)?.ofPolicies ?? []
    const wanted = wantedOf(resolved).checks
    const dependencyOf = dependenciesOf(rows)
    for (const row of rows) {
      const check = wanted.get(`${row.policy_id} ${row.policy_check}`)?.check
      const depends_on = check === undefined ? null : dependencyOf(row, check)
      if (row.depends_on === depends_on) continue
      await updateCheck(tx, row.id, { depends_on })
      linked.push({ id: row.id, agentId: row.agent_id })
    }
  }
  return linked
}

function columnsOf({ settings, fails_b4_alert, run_interval }: PolicyCheck, scripts: ReadonlySet<number>) {
  const { check_type: _, ...own } = settings
  const script = settings.check_type === 'script' ? settings.script : undefined
  return {
    settings: JSON.stringify(own),
    // A deleted script cannot be referenced: the check waits, like others with that script.
    script_id: script !== undefined && scripts.has(script) ? script : null,
    fails_b4_alert,
    run_interval,
  }
}

async function findScripts(tx: Db, wanted: readonly { check: PolicyCheck }[]): Promise<Set<number>> {
  const ids = new Set(
    wanted.flatMap(({ check }) => (check.settings.check_type === 'script' ? [check.settings.script] : [])),
  )
  if (ids.size === 0) return new Set()
  const rows = await tx
    .selectFrom('scripts')
    .select('id')
    .where('id', 'in', [...ids])
    .execute()
  return new Set(rows.map(({ id }) => id))
}
