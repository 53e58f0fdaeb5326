import { type AlertChannel, ChannelRules } from '@muster/contract/api/alert-channels'
import type { ChannelRow } from './queries.ts'
import { maskSettings } from './seal-settings.ts'

export function viewChannel(row: ChannelRow, waiting: number): AlertChannel {
  return {
    id: row.id,
    name: row.name,
    settings: maskSettings(row.settings),
    rules: readRules(row),
    health: {
      last_sent: row.last_sent,
      failing_since: row.failing_since,
      last_error: row.last_error,
      waiting,
    },
    modified: row.modified,
  }
}

export function readRules(row: Pick<ChannelRow, 'rules'>): ChannelRules {
  return ChannelRules.parse(JSON.parse(row.rules))
}

/** Audit rows contain no secrets of a channel, not even masked ones. */
export function viewForAudit(row: ChannelRow) {
  return { name: row.name, settings: maskSettings(row.settings), rules: readRules(row) }
}
