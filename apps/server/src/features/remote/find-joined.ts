import type { ChannelEnd } from '@muster/contract/agent/channel'
import type { ChannelHello, TerminalJoin } from '@muster/contract/channels'
import type { Context } from '../../context.ts'
import { listOpenSessions, type SessionRow } from './queries.ts'

/** The colleague's terminal that is asked for; undefined = one of one's own is. */
export function joinOf(request: ChannelHello['request']): TerminalJoin | undefined {
  return request.tool === 'terminal' ? request.join : undefined
}

/** The session that is to be joined, if it is an open terminal of this machine; else why not. */
export async function findJoined(
  ctx: Context,
  { join, agentId }: { join: TerminalJoin | undefined; agentId: string },
): Promise<SessionRow | ChannelEnd | undefined> {
  if (join === undefined) return undefined
  const [row] = await listOpenSessions(ctx.db, { ids: [join.session], agentIds: [agentId] })
  // A visit is none that others could join.
  if (row?.tool === 'terminal' && row.joined_session === null) return row
  return { code: 'not_found', message: 'This terminal has ended.' }
}
