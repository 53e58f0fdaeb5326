import type { PendingAction } from '@muster/contract/api/pending-actions'
import type { ActionRow } from './queries.ts'

const DESCRIPTIONS: Record<ActionRow['action_type'], string> = { schedreboot: 'Reboot' }

export function viewAction(row: ActionRow): PendingAction {
  const { id, action_type, status, due, agent_id, hostname, client, site, username, entry_time, output } = row
  return {
    id,
    action_type,
    status,
    due,
    description: DESCRIPTIONS[action_type],
    agent_id,
    hostname,
    client,
    site,
    username,
    entry_time,
    details: { output },
  }
}
