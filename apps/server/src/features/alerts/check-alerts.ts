import type { AlertHold, AlertSeverity } from '@muster/rules/alerts/alert-state'
import type { CheckSettings } from '@muster/contract/api/checks'
import { nameCheck } from '@muster/rules/checks/check-name'
import { chunk } from '../../platform/database/sql.ts'
import { causeOfCheck, type Subject } from './causes.ts'
import { type Dependency, findDependencies } from './dependencies.ts'
import { isOverdue } from './overdue.ts'
import type { TxContext } from './store-alerts.ts'
import { type Finding, takeFindings } from './take-findings.ts'

/** A changed state of a check. */
export interface CheckFinding {
  checkId: number
  at: Date
  /** Null: it no longer fails. */
  severity: AlertSeverity | null
  /** The finding, or the reason for the end. */
  text: string
}

/**
 * Raises, changes and resolves the alerts of checks, in order. `from: 'machine'`: the results were just received, so
 * the machine is online, whatever its row says.
 */
export async function takeCheckFindings(
  txContext: TxContext,
  found: readonly CheckFinding[],
  from: 'machine' | 'server',
): Promise<void> {
  if (found.length === 0) return
  const subjects = new Map<string, Subject>()
  const names = new Map<number, string>()
  const ids = [...new Set(found.map(({ checkId }) => checkId))]
  const now = txContext.ctx.now()
  const dependencies = await findDependencies(txContext.tx, txContext.ctx.engine, { checkIds: ids, now })
  for (const check of await findChecks(txContext, ids)) {
    const cause = causeOfCheck(check.id)
    subjects.set(cause, {
      cause,
      alert_type: 'check',
      agent_id: check.agent_id,
      check_id: check.id,
      site_id: null,
      hold: holdOf(check, { from, now, dependency: dependencies.get(check.id) }),
      dependency: dependencies.get(check.id),
    })
    names.set(check.id, nameAlertedCheck(check))
  }
  const findings = found.map(({ checkId, at, severity, text }): Finding => {
    const cause = causeOfCheck(checkId)
    const name = names.get(checkId)
    const isNamed = severity !== null && name !== undefined
    return { cause, at, severity, text: isNamed ? (text === '' ? name : `${name}: ${text}`) : text }
  })
  await takeFindings(txContext, subjects, findings)
}

interface Around {
  from: 'machine' | 'server'
  now: Date
  dependency: Dependency | undefined
}

function holdOf(check: KnownCheck, { from, now, dependency }: Around): AlertHold | null {
  if (check.maintenance_mode === 1) return 'maintenance'
  if (from === 'server' && isOverdue(check, now)) return 'machine_down'
  return dependency?.fails === true ? 'dependency' : null
}

type KnownCheck = Awaited<ReturnType<typeof findChecks>>[number]

/** Messages of the check's alerts begin with it. */
export function nameAlertedCheck({
  check_type,
  settings,
  script_name,
}: Pick<KnownCheck, 'check_type' | 'settings' | 'script_name'>): string {
  // Stored by write-check.ts with the contract's schema, without its type.
  return nameCheck({ settings: { ...JSON.parse(settings), check_type } as CheckSettings, script_name })
}

async function findChecks({ tx }: TxContext, ids: number[]) {
  const found = []
  for (const slice of chunk(ids)) {
    const rows = await tx
      .selectFrom('checks')
      .innerJoin('agents', 'agents.agent_id', 'checks.agent_id')
      .leftJoin('scripts', 'scripts.id', 'checks.script_id')
      .select(['checks.id', 'checks.agent_id', 'check_type', 'settings', 'scripts.name as script_name'])
      .select(['maintenance_mode', 'connected', 'last_seen', 'offline_time', 'overdue_time'])
      .where('checks.id', 'in', slice)
      .execute()
    found.push(...rows)
  }
  return found
}
