import type { CheckResult } from '@muster/contract/agent/checks'
import type { CheckSettings } from '@muster/contract/api/checks'
import type { Event } from '@muster/contract/events'
import {
  effectiveInterval,
  freshUntil,
  checkStateOf as stateOfResult,
} from '@muster/rules/checks/check-freshness'
import { seriesOf } from '@muster/rules/checks/table'
import type { Context } from '../../context.ts'
import type { Db } from '../../platform/database/database.ts'
import type { ReportLimits } from '../../fleet/report-limits.ts'
import { takeCheckFindings, type CheckFinding } from '../alerts/check-alerts.ts'
import { isSameSubject } from './definitions.ts'
import { secondsOf } from './reset-results.ts'
import { findDoubleDisks } from './same-disk.ts'
import { isServerType } from './from-server/server-kind.ts'
import {
  type AnyMeasured,
  judgeRun,
  PENDING,
  type CheckState,
  alertSeverityOf,
  hasOtherAlert,
} from './judge-result.ts'
import {
  findKnownChecks,
  insertTransitions,
  type KnownCheck,
  type ResultRow,
  type Transition,
  upsertResults,
} from './results-queries.ts'
import { ACCEPT_SECONDS } from '../../samples/partitions.ts'
import { type MeasuredValue, storeSamples } from '../../samples/store-samples.ts'
import { readSettings } from './view.ts'

export interface ReportedResults {
  agentId: string
  results: AnyResult[]
  /** Measured by the server itself. */
  fromServer?: boolean
  limits?: Pick<ReportLimits, 'takeResult'>
}
type AnyResult = Omit<CheckResult, 'measured'> & { measured: AnyMeasured }

/** Times of machines are corrected by the server's clock, but not to the second. */
const AHEAD_MS = 60_000

interface Progress {
  check: KnownCheck
  settings: CheckSettings
  current: CheckState
  lastRunMs: number
  /** Time of the newest accepted result, counted or not. */
  takenMs: number
  /** Its last result was too old to count, so the next one changes the counts. */
  wasOld: boolean
  /** The row to write, absent if no result was newer. */
  row?: ResultRow
}

/**
 * Stores results in the order in which they were measured. Each run counts, including those of an outage. Results of
 * other machines, unknown checks or another subject are dropped; results that are older than the known one or from the
 * future do not replace it.
 */
export async function storeResults(
  tx: Db,
  emit: (event: Event) => void,
  ctx: Pick<Context, 'engine' | 'hooks' | 'jobs' | 'now'>,
  reports: ReportedResults[],
): Promise<void> {
  const now = ctx.now()
  const checks = await findProgress(tx, ctx.engine, reports, now)
  const runs = reports
    .flatMap(({ results, ...from }) =>
      results.map((result) => ({ from, result, atMs: Date.parse(result.at) })),
    )
    .filter(({ from, result }) => belongs(checks.get(result.check_id), from, result))
    .toSorted((a, b) => a.atMs - b.atMs)
    .filter(({ from: { limits }, result, atMs }) => {
      // Guaranteed by belongs().
      const progress = checks.get(result.check_id)!
      return limits === undefined || isTaken(progress, limits, { atMs, now })
    })
  const values = runs.flatMap(({ result, atMs }): MeasuredValue[] => {
    // Guaranteed by belongs().
    const { check } = checks.get(result.check_id)!
    const owner = { check_id: check.id, agent_id: check.agent_id, agent: check.agent }
    const at = Math.floor(atMs / 1000)
    return seriesOf(result.measured).map((value) => ({ owner, at, ...value }))
  })
  await storeSamples(tx, now, values)
  const doubleDisks = await findDoubleDisks(
    tx,
    runs.map(({ from: { agentId }, result: { check_id, measured } }) => ({
      agentId,
      checkId: check_id,
      measured,
    })),
  )
  const transitions: Transition[] = []
  const findings: CheckFinding[] = []
  for (const { result, atMs } of runs) {
    // Guaranteed by belongs().
    const progress = checks.get(result.check_id)!
    if (atMs <= progress.lastRunMs || atMs > now.getTime() + AHEAD_MS) continue
    const at = new Date(atMs)
    const before = progress.current
    const measured = doubleDisks.has(result.check_id)
      ? { ...result.measured, has_other_check: true as const }
      : result.measured
    transitions.push(...takeRun(progress, measured, at))
    if (!hasOtherAlert(before, progress.current)) continue
    const text = progress.row?.more_info ?? ''
    findings.push({ checkId: progress.check.id, at, severity: alertSeverityOf(progress.current), text })
  }
  const taken = [...checks.values()].filter(({ row }) => row !== undefined)
  if (taken.length === 0) return
  await upsertResults(
    tx,
    taken.flatMap(({ row }) => row ?? []),
  )
  await insertTransitions(tx, transitions)
  await takeCheckFindings({ ctx, tx, emit }, findings, 'machine')
  await ctx.hooks.checksFailed(
    ctx,
    tx,
    taken.filter(hasBegunToFail).map(({ check }) => check.id),
  )
  emit({
    type: 'check.changed',
    ids: taken.map(({ check }) => check.id),
    agent_ids: taken.map(({ check }) => check.agent_id),
  })
  const recounted = [...new Set(taken.filter(hasOtherCount).map(({ check }) => check.agent_id))]
  if (recounted.length > 0)
    emit({ type: 'agent.changed', ids: recounted, agent_ids: recounted, passing: true })
}

async function findProgress(
  tx: Db,
  engine: Context['engine'],
  reports: ReportedResults[],
  now: Date,
): Promise<Map<number, Progress>> {
  const ids = new Set(reports.flatMap(({ results }) => results.map(({ check_id }) => check_id)))
  // Ids outside the range of the column belong to no check.
  const possible = [...ids].filter((id) => id > 0 && id <= 2_147_483_647)
  const known = await findKnownChecks(tx, engine, possible)
  return new Map(
    known.map((check) => [
      check.id,
      {
        check,
        settings: readSettings(check),
        current: checkStateOf(check),
        ...timesOf(check),
        wasOld: isOld(check, now),
      },
    ]),
  )
}

function belongs(
  progress: Progress | undefined,
  { agentId, fromServer = false }: Omit<ReportedResults, 'results'>,
  result: AnyResult,
): boolean {
  if (progress === undefined || progress.check.agent_id !== agentId) return false
  // A machine cannot report results of server checks.
  if (isServerType(progress.check.check_type) !== fromServer) return false
  const { check_type } = result.measured
  if (check_type !== 'unmeasurable' && check_type !== progress.check.check_type) return false
  return isSameSubject(result.revision, progress.check.revision)
}

/** Limits a machine to one result per due run, and few others. */
function isTaken(
  progress: Progress,
  limits: Pick<ReportLimits, 'takeResult'>,
  { atMs, now }: { atMs: number; now: Date },
): boolean {
  const { check, takenMs } = progress
  const isPossible = atMs > now.getTime() - ACCEPT_SECONDS * 1000 && atMs <= now.getTime() + AHEAD_MS
  const gapMs = isPossible ? atMs - takenMs : 0
  const intervalMs = effectiveInterval(check, check.check_interval) * 1000
  if (!limits.takeResult(check.agent_id, { atMs, gapMs, intervalMs })) return false
  progress.takenMs = Math.max(takenMs, atMs)
  return true
}

function timesOf({ last_run }: KnownCheck): Pick<Progress, 'lastRunMs' | 'takenMs'> {
  const lastRunMs = last_run === null ? Number.NEGATIVE_INFINITY : Date.parse(last_run)
  return { lastRunMs, takenMs: lastRunMs }
}

function takeRun(progress: Progress, measured: AnyMeasured, at: Date): Transition[] {
  const { check, settings, current } = progress
  const last_run = at.toISOString()
  const verdict = judgeRun({ settings, fails_b4_alert: check.fails_b4_alert }, current, {
    measured,
    at: last_run,
  })
  const { more_info, ...after } = verdict
  progress.current = after
  progress.lastRunMs = at.getTime()
  progress.row = {
    check_id: check.id,
    ...after,
    more_info,
    last_run,
    ran_at: secondsOf(at),
    measured: JSON.stringify(measured),
  }
  if (after.alert_severity === current.alert_severity) return []
  const { alert_severity: severity } = after
  return [{ check_id: check.id, agent_id: check.agent_id, at: secondsOf(at), severity }]
}

function checkStateOf({ status, alert_severity, fail_count, failing_since }: KnownCheck): CheckState {
  if (status === null || fail_count === null) return PENDING
  return { status, alert_severity, fail_count, failing_since }
}

function hasBegunToFail({ check, current }: Progress): boolean {
  return check.alert_severity === null && current.alert_severity !== null
}

function isOld(check: KnownCheck, now: Date): boolean {
  const interval = effectiveInterval(check, check.check_interval)
  const state = { status: check.status ?? 'pending', fresh_until: freshUntil(check.last_run, interval) }
  return stateOfResult(state, now.getTime()) === 'old'
}

function hasOtherCount({ check, current, wasOld }: Progress): boolean {
  return (
    wasOld ||
    (check.status ?? 'pending') !== current.status ||
    check.alert_severity !== current.alert_severity
  )
}
