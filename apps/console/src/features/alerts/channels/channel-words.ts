import type { AlertChannel } from '@muster/contract/api/alert-channels'
import { AlertType } from '@muster/contract/api/alerts'
import { formatDuration } from '@muster/rules/text/duration'
import { SEVERITIES, SEVERITY_LABELS, TYPE_LABELS } from '../alert-words.ts'

export type ChannelState = 'working' | 'failing' | 'unused' | 'off'

/** Whether it works, as far as anybody knows. */
export function channelState({ rules, health }: Pick<AlertChannel, 'rules' | 'health'>): ChannelState {
  if (!rules.enabled) return 'off'
  if (health.failing_since !== null) return 'failing'
  return health.last_sent === null ? 'unused' : 'working'
}

export const describeWaiting = ({ waiting }: AlertChannel['health']): string | undefined =>
  waiting === 0 ? undefined : `${waiting} ${waiting === 1 ? 'message waits' : 'messages wait'}`

/** Which alerts go there: `Error and warning; only checks; 2 clients; quiet 22:00 to 06:00`. */
export function describeRules({ rules }: Pick<AlertChannel, 'rules'>): string {
  const severities = SEVERITIES.filter((severity) => rules.severities.includes(severity))
  const types = AlertType.options.filter((type) => rules.alert_types.includes(type))
  return [
    join(severities.map((severity) => SEVERITY_LABELS[severity])),
    ...(types.length === AlertType.options.length
      ? []
      : [`only ${join(types.map((type) => TYPE_LABELS[type])).toLowerCase()}`]),
    ...(rules.clients.length === 0
      ? []
      : [`${rules.clients.length} ${rules.clients.length === 1 ? 'client' : 'clients'}`]),
    ...(rules.on_resolved ? [] : ['not when it is over']),
    ...(rules.repeat_minutes === 0 ? [] : [`again after ${formatDuration(rules.repeat_minutes * 60)}`]),
    ...(rules.quiet_from === '' ? [] : [`quiet ${rules.quiet_from} to ${rules.quiet_to}`]),
  ].join('; ')
}

function join(words: readonly string[]): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)?.toLowerCase()}`
}
