import type { AlertType } from '@muster/contract/api/alerts'
import type { AlertHold } from '@muster/rules/alerts/alert-state'
import type { Dependency } from './dependencies.ts'

/** The cause of an alert and the object that it belongs to. */
export interface Subject {
  cause: string
  alert_type: AlertType
  agent_id: string | null
  check_id: number | null
  /** Set for objects without a machine. */
  site_id: number | null
  /** Why a new alert is held without notification. */
  hold: AlertHold | null
  /** For a check that depends on another one, whose state is decided first. */
  dependency?: Dependency | undefined
}

export function causeOfCheck(checkId: number): string {
  return `${CHECK_CAUSE}${checkId}`
}

export function causeOfTask(taskId: number): string {
  return `${TASK_CAUSE}${taskId}`
}

export function causeOfMachine(agentId: string): string {
  return `${MACHINE_CAUSE}${agentId}`
}

export function causeOfSite(siteId: number): string {
  return `${SITE_CAUSE}${siteId}`
}

/** Keys are scoped by machine and site, so an invisible alert cannot be reached by guessing its key. */
export function causeOfCustom(of: { agent?: string; site?: number }, key: string): string {
  // Normalized as the database stores it. Otherwise it would not be found again.
  const stored = key.toWellFormed().replaceAll('\0', '\uFFFD')
  return `custom:${of.agent ?? (of.site === undefined ? '' : `site ${of.site}`)}:${stored}`
}

export const CHECK_CAUSE = 'check:'
const TASK_CAUSE = 'task:'
export const MACHINE_CAUSE = 'availability:'
export const SITE_CAUSE = 'site:'
