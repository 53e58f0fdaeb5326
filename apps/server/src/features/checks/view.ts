import type { Check, CheckSettings, CheckState } from '@muster/contract/api/checks'
import { effectiveInterval, freshUntil } from '@muster/rules/checks/check-freshness'
import { nameCheck } from '@muster/rules/checks/check-name'
import type { AnyMeasured } from './judge-result.ts'
import type { CheckRow } from './queries.ts'

export function viewCheck(row: CheckRow): Check {
  const settings = readSettings(row)
  return {
    id: row.id,
    agent_id: row.agent_id,
    settings,
    readable_desc: nameCheck({ settings, script_name: row.script_name }),
    script_name: row.script_name,
    fails_b4_alert: row.fails_b4_alert,
    run_interval: row.run_interval,
    policy: row.policy_id,
    policy_name: row.policy_name,
    overridden_by_policy: row.overridden_by !== null,
    depends_on: row.depends_on,
    dependency: viewDependency(row),
    check_result: { id: row.id, ...viewState(row) },
    modified: row.modified,
  }
}

export function readSettings(row: Pick<CheckRow, 'check_type' | 'settings'>): CheckSettings {
  // Stored by write-check.ts with the contract's schema, without its type.
  return { ...JSON.parse(row.settings), check_type: row.check_type } as CheckSettings
}

export function readMeasured(measured: string): AnyMeasured {
  // Stored by store-results.ts with the contract's schema.
  return JSON.parse(measured) as AnyMeasured
}

/** The fields of a check in audit rows. */
export function viewForAudit(row: CheckRow) {
  const { settings, readable_desc, fails_b4_alert, run_interval, depends_on, dependency } = viewCheck(row)
  const depends = depends_on === null ? {} : { depends_on: dependency?.readable_desc ?? depends_on }
  return { check: readable_desc, ...settings, fails_b4_alert, run_interval, ...depends }
}

function viewDependency({ dependency: other }: CheckRow): Check['dependency'] {
  if (other == null) return null
  const { id, agent_id, hostname, script_name, status } = other
  const readable_desc = nameCheck({ settings: readSettings(other), script_name })
  return { id, agent_id, hostname, readable_desc, status: status ?? 'pending' }
}

function viewState(row: CheckRow): CheckState {
  const measured = row.measured === null ? undefined : readMeasured(row.measured)
  const ran = measured?.check_type === 'script' ? measured : undefined
  return {
    status: row.status ?? 'pending',
    alert_severity: row.alert_severity,
    more_info: row.more_info ?? '',
    last_run: row.last_run,
    fresh_until: freshUntil(row.last_run, effectiveInterval(row, row.check_interval)),
    fail_count: row.fail_count ?? 0,
    failing_since: row.failing_since,
    stdout: ran?.stdout ?? (measured === undefined ? '' : outputOf(measured)),
    stderr: ran?.stderr ?? '',
    retcode: ran?.retcode ?? null,
    execution_time: ran?.execution_time ?? null,
  }
}

/** The output of a check besides its numbers, as text. */
function outputOf(measured: AnyMeasured): string {
  switch (measured.check_type) {
    case 'ping':
      return measured.output
    case 'eventlog':
    case 'journal':
      return measured.entries
        .map(({ at, source, event_id, message }) =>
          [at, source, event_id, message].filter((part) => part !== '').join('  '),
        )
        .join('\n')
    default:
      return ''
  }
}
