import { MOST_WAKE_ADDRESSES } from '@muster/contract/agent/power'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Asking } from '../../fleet/ask-machine.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { audit } from '../audit/write-audit.ts'
import { cardsOf, findNeighbours } from './queries.ts'

/** A packet is easily lost, and not every machine of a site is in the same network. */
const SENDERS = 3

/** Has connected machines of the same site send the packet that wakes a machine; answers their names. */
export async function wakeMachine(
  ctx: Context,
  { fleet, caller, agentId }: Asking,
): Promise<{ sent_by: string[] }> {
  const agent = await requireAgent(ctx.db, agentId, caller)
  const { hostname, site_name } = agent
  if (agent.connected === 1) throw new AppError('conflict', `${hostname} is connected, so it is awake.`)
  const macs = cardsOf(agent.facts).slice(0, MOST_WAKE_ADDRESSES)
  if (macs.length === 0)
    throw new AppError(
      'conflict',
      `The network cards of ${hostname} are not known, so nothing can wake it from here.`,
    )
  const neighbours = (await findNeighbours(ctx.db, agent)).slice(0, SENDERS)
  if (neighbours.length === 0)
    throw new AppError(
      'agent_offline',
      `No other machine of the site "${site_name}" is connected, and one of them has to wake ${hostname}.`,
    )
  const order = { input: { macs }, author: caller.username }
  const asked = await Promise.allSettled(
    neighbours.map((neighbour) => fleet.ask(neighbour, 'send-wake-up', order)),
  )
  const sent_by = neighbours.flatMap((one, i) => (asked[i]?.status === 'fulfilled' ? [one.hostname] : []))
  await ctx.transaction(async (tx, emit) => {
    const by = sent_by.length === 0 ? ', in vain' : ` by ${sent_by.map((name) => `"${name}"`).join(', ')}`
    const message = `Sent a wake-up packet${by}`
    const after = { macs, sent_by }
    await audit(tx, { caller, action: 'modify', object_type: 'agent', message, after, agent, emit })
  })
  const refused = asked.find((outcome) => outcome.status === 'rejected')
  if (sent_by.length === 0 && refused !== undefined) throw refused.reason
  return { sent_by }
}
