import type { Session } from '@muster/contract/api/sessions'
import type { Caller } from '../../../platform/http/caller.ts'
import type { SessionRow } from './queries.ts'

export function viewSession(row: SessionRow, caller: Caller): Session {
  return {
    digest: row.digest,
    user: row.username,
    created: row.created_at,
    expiry: row.expires_at,
    last_used: row.last_used_at,
    source: row.source,
    user_agent: row.user_agent,
    current: row.digest === caller.session?.digest,
  }
}
