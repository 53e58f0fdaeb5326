import type { ChannelEnd } from '@muster/contract/agent/channel'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import type { ChannelReader, ChannelWriter } from '../../../platform/agent-link/link-channels.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import type { AgentWithSite } from '../../agents/queries.ts'
import type { ChannelOrder } from '../../../fleet/tool-channels.ts'
import type { LiveCaller } from '../../../platform/http/caller.ts'
import type { ChannelHub } from '../channel-hub.ts'

export interface FileParts {
  ctx: Context
  fleet: Fleet
  hub: ChannelHub
}

interface Work extends ChannelReader {
  connect: (writer: ChannelWriter) => void
  end: (end: ChannelEnd) => void
  ended: Promise<unknown>
}

/** Opens a channel for files that ends with the right to it. Throws if it fails. */
export async function openUse(
  { fleet, hub }: FileParts,
  work: Work,
  given: {
    caller: LiveCaller
    agent: AgentWithSite
    order: Extract<ChannelOrder['tool'], { tool: 'files' }>['order']
  },
): Promise<void> {
  const { caller, agent, order } = given
  const agentId = agent.agent_id
  const opened = await fleet.tools.open(
    agentId,
    { tool: { tool: 'files', order }, author: caller.username },
    { onFrame: (frame) => work.onFrame(frame), onEnd: (end) => work.onEnd(end) },
  )
  if ('code' in opened) throw refuseFor(opened, agent.hostname)
  work.connect(opened)
  const use = {
    caller,
    agentId,
    request: { tool: 'files' as const },
    checkedAtMs: performance.now(),
    end: (end: ChannelEnd) => work.end(end),
  }
  void work.ended.then(() => hub.remove(use))
  await hub.add(use)
}

/** The end of a channel as an error of its request. */
export function refuseFor({ code, message }: ChannelEnd, hostname: string): AppError {
  if (code === 'agent_offline')
    return new AppError('agent_offline', `${hostname} is offline. Try again when it is connected.`)
  if (code === 'refused') return new AppError('agent_refused', `${hostname}: ${message}`)
  if (code === 'not_allowed') return new AppError('not_allowed', message)
  return new AppError('unavailable', message)
}

export const SILENT: ChannelEnd = { code: 'failed', message: 'The machine did not respond. Try again.' }
