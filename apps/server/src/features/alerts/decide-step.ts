import {
  type AlertHold,
  type AlertStep,
  endCause,
  endSnooze,
  holdAlert,
  letGo,
  releaseAlert,
  tellLate,
} from '@muster/rules/alerts/alert-state'
import type { Dependency } from './dependencies.ts'
import { isOverdue } from './overdue.ts'
import type { AlertRow } from './queries.ts'
import type { SiteStanding } from './sites.ts'
import { MORE_TO_COME_MS } from './take-findings.ts'

/** What is known of the machine and the check of an open alert. */
export interface Surroundings {
  machine: Machine | undefined
  /** The last run of its check. */
  last_run: string | null
  /** Of the alert of a whole site. */
  site: SiteStanding | undefined
  /** Of the site of its machine: an alert is open for all of it. */
  isSiteTold: boolean
  /** Of the site of its machine: it is about to be down as a whole. */
  isSiteGoingDown: boolean
  /** Of a check that depends on another one. */
  dependency: Dependency | undefined
}

interface Machine {
  last_seen: string | null
  connected: 0 | 1
  offline_time: number
  overdue_time: number
  maintenance_mode: 0 | 1
  watched: boolean
}

/** Machines of a site come back one after the other: who is still down is told after this. */
const SITE_GRACE_MS = 120_000

/** What time and surroundings make of an open alert; undefined when nothing. Ask again after each step. */
export function decideStep(alert: AlertRow, around: Surroundings, now: Date): AlertStep | undefined {
  const at = now.toISOString()
  const end = endOf(alert, around, now)
  if (end !== undefined) return endCause(alert, end)
  if (alert.state === 'snoozed' && alert.snooze_until !== null && alert.snooze_until <= at) {
    return endSnooze(alert, { at })
  }
  const hold = reasonToHold(alert, around, now)
  if (hold !== undefined) return holdAlert(alert, { at, hold })
  const isDue = alert.look_after !== null && alert.look_after <= at
  if (alert.hold === null) return isDue || isAnswered(alert, around, now) ? tellLate(alert) : undefined
  if (alert.look_after === null) {
    const graceMs = alert.hold === 'site_down' ? SITE_GRACE_MS : 0
    return letGo(alert, { after: new Date(now.getTime() + graceMs).toISOString() })
  }
  if (waitsForRun(alert)) {
    const hasRun = around.last_run !== null && around.last_run > alert.look_after
    return hasRun ? releaseAlert(alert, { at }) : undefined
  }
  return isDue ? releaseAlert(alert, { at }) : undefined
}

/** It waited for what it depends on, and that has run since and passes. */
function isAnswered({ alert_time, created_at }: AlertRow, { dependency }: Surroundings, now: Date): boolean {
  const since = dependency?.passesSince ?? null
  return since !== null && since > alert_time && now.getTime() - Date.parse(created_at) >= MORE_TO_COME_MS
}

/** After maintenance, and after its machine was down, the check says first whether it is still so. */
function waitsForRun({ alert_type, check_id, hold }: AlertRow): boolean {
  return alert_type === 'check' && check_id !== null && hold !== 'flapping'
}

function endOf(
  alert: AlertRow,
  { machine, site }: Surroundings,
  now: Date,
): { at: string; text: string } | undefined {
  if (alert.alert_type !== 'availability') return undefined
  const at = now.toISOString()
  if (machine !== undefined) {
    const { last_seen } = machine
    if (last_seen !== null && last_seen > alert.alert_time)
      return { at: last_seen, text: 'The machine is back.' }
    if (!machine.watched) return { at, text: 'Nobody asks to be told when this machine is overdue.' }
    if (!isOverdue(machine, now)) return { at, text: 'By its settings the machine is not overdue any more.' }
  } else if (alert.agent_id === null && alert.site_id !== null && site?.isDown !== true) {
    return { at, text: 'Not every machine of the site is overdue any more.' }
  }
  return undefined
}

function reasonToHold(alert: AlertRow, around: Surroundings, now: Date): AlertHold | undefined {
  const { machine, site } = around
  if (machine?.maintenance_mode === 1 || site?.isInMaintenance === true) return 'maintenance'
  if (machine === undefined) return undefined
  if (alert.alert_type === 'check') {
    if (isOverdue(machine, now)) return 'machine_down'
    return around.dependency?.fails === true ? 'dependency' : undefined
  }
  if (alert.alert_type !== 'availability') return undefined
  const waitsForSite = alert.hold === 'site_down' && around.isSiteGoingDown
  return around.isSiteTold || waitsForSite ? 'site_down' : undefined
}
