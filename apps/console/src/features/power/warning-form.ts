import type { PowerWarning } from '@muster/contract/api/power'

export interface WarningForm {
  message: string
  /** Minutes. */
  delay: number | string
  mayPostpone: boolean
}
export const NEW_WARNING: WarningForm = { message: '', delay: 5, mayPostpone: true }

export function checkDelay(delay: WarningForm['delay']): string | undefined {
  const minutes = Number(delay)
  const isGood = delay !== '' && Number.isInteger(minutes) && minutes >= 1 && minutes <= 1440
  return isGood ? undefined : 'Enter 1 to 1440 minutes.'
}

export function toWarning({ message, delay, mayPostpone }: WarningForm): PowerWarning {
  return { message: message.trim(), delay_minutes: Number(delay), may_postpone: mayPostpone }
}
