import type { AlertType } from '@muster/contract/api/alerts'
import type { AlertHold } from '@muster/rules/alerts/alert-state'
import type { Dependency } from './dependencies.ts'

/** What is wrong, and of what. */
export interface Subject {
  cause: string
  alert_type: AlertType
  agent_id: string | null
  check_id: number | null
  /** Of what has no machine. */
  site_id: number | null
  /** Why an alert of it that opens now is not told. */
  hold: AlertHold | null
  /** Of a check that depends on another one: that one is asked first. */
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

/** Keys are apart for each machine and site: nobody reaches an alert that is not seen by guessing its key. */
export function causeOfCustom(of: { agent?: string; site?: number }, key: string): string {
  // As the database stores it, or it would not be found again.
  const stored = key.toWellFormed().replaceAll('\0', '\uFFFD')
  return `custom:${of.agent ?? (of.site === undefined ? '' : `site ${of.site}`)}:${stored}`
}

export const CHECK_CAUSE = 'check:'
const TASK_CAUSE = 'task:'
export const MACHINE_CAUSE = 'availability:'
export const SITE_CAUSE = 'site:'
