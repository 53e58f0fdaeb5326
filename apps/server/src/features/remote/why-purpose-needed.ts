import type { ChannelEnd } from '@muster/contract/agent/channel'
import type { ToolRequest } from '@muster/contract/channels'
import type { Db } from '../../platform/database/database.ts'
import type { PlacedAgent } from '../agents/queries.ts'
import { placesOf } from './access/place.ts'
import { findAsksPurpose } from './access/queries.ts'
import { aTool } from './tool-words.ts'

/** Why a tool is not opened on this machine before somebody has said what for; undefined where nobody has to. */
export async function whyPurposeNeeded(
  db: Db,
  { agent, tool }: { agent: PlacedAgent; tool: ToolRequest['tool'] },
): Promise<ChannelEnd | undefined> {
  if (!(await findAsksPurpose(db, placesOf(agent)))) return undefined
  const message = `Say why you open ${aTool(tool)} on "${agent.hostname}". The reason stands in the audit log, and the person at the machine reads it when asked.`
  return { code: 'purpose_needed', message }
}
