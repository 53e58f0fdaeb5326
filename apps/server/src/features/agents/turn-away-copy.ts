import { Hardware } from '@muster/contract/agent/hardware'
import { compareHardware } from '@muster/rules/agents/hardware'
import type { Context } from '../../context.ts'
import type { AnswerFrame, KnownAgent } from '../../platform/agent-link/agent-socket.ts'
import type { Db } from '../../platform/database/database.ts'
import { storeChanges } from './fact-changes.ts'

/** Two copies that start at the same moment are not both taken for the machine that has moved. */
const SETTLED_MS = 60_000
const NOTED_AGAIN_SECONDS = 86_400

interface CopiedLink {
  agentId: string
  known: KnownAgent
  answer: AnswerFrame
  /** The address that it connects from. */
  source: string
  isLinkedHere: boolean
}

/**
 * An agent holds the key of a machine and shows other hardware. Either the machine has moved, to another host or from a
 * backup, or its disk was copied and both run. The first to connect is the machine; while it is connected, the others are
 * turned away with the reason, and its timeline names them.
 */
export async function turnAwayCopy(
  ctx: Context,
  link: CopiedLink,
): Promise<{ code: string; message: string } | undefined> {
  const { agentId, known, answer, source } = link
  const { hardware: shown } = answer
  if (shown === undefined || !isOther(known.hardware, shown)) return undefined
  const from = `${answer.hostname ?? 'a machine'} at ${source}`
  return ctx.transaction(async (tx, emit) => {
    const row = await tx
      .selectFrom('agents')
      .select(['hostname', 'connected', 'hardware', 'hardware_changed_at'])
      .where('agent_id', '=', agentId)
      .executeTakeFirst()
    // Removed meanwhile, or it has moved here just now.
    if (row === undefined || !isOther(row.hardware, shown)) return undefined
    const now = ctx.now()
    const note = async (text: string) => {
      await storeChanges(tx, { agentId, at: secondsOf(now), texts: [text] })
      emit({ type: 'agent.changed', ids: [agentId], agent_ids: [agentId] })
    }
    const settledAt = Date.parse(row.hardware_changed_at ?? '1970-01-01') + SETTLED_MS
    const isTaken = link.isLinkedHere || row.connected === 1 || settledAt > now.getTime()
    if (!isTaken && (await moveMachine(tx, { agentId, before: row.hardware, shown, now }))) {
      await note(`Now runs on other hardware: connected as ${from}`)
      return undefined
    }
    const text = `Turned away a copy of this machine: ${from} has its key and other hardware`
    if (!(await isNoted(tx, { agentId, text, since: secondsOf(now) - NOTED_AGAIN_SECONDS }))) await note(text)
    return {
      code: 'copied_agent',
      message: `${row.hostname} is connected with this agent's key from other hardware, so this machine seems to be a copy of it. Enrol this one as a machine of its own, with a command of "Install agent" in the console.`,
    }
  })
}

function isOther(stored: string | null, shown: Hardware): boolean {
  return stored !== null && compareHardware(Hardware.parse(JSON.parse(stored)), shown) === 'other'
}

/** Returns false if another one was faster. */
async function moveMachine(
  tx: Db,
  { agentId, before, shown, now }: { agentId: string; before: string | null; shown: Hardware; now: Date },
): Promise<boolean> {
  const moved = await tx
    .updateTable('agents')
    .set({ hardware: JSON.stringify(shown), hardware_changed_at: now.toISOString() })
    .where('agent_id', '=', agentId)
    .where('connected', '=', 0)
    .where('hardware', '=', before)
    .executeTakeFirst()
  return moved.numUpdatedRows > 0n
}

/** A copy tries again every few seconds. */
async function isNoted(
  tx: Db,
  { agentId, text, since }: { agentId: string; text: string; since: number },
): Promise<boolean> {
  const noted = await tx
    .selectFrom('machine_changes')
    .select('id')
    .where('agent_id', '=', agentId)
    .where('text', '=', text)
    .where('at', '>', since)
    .executeTakeFirst()
  return noted !== undefined
}

const secondsOf = (at: Date) => Math.floor(at.getTime() / 1000)
