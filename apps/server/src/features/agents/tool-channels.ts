import { randomUUID } from 'node:crypto'
import type { ChannelEnd } from '@muster/contract/agent/channel'
import type { CommandInput } from '@muster/contract/agent/commands'
import { BusChannels } from '../../platform/agent-link/bus-channels.ts'
import type { ChannelEar, ChannelMouth, LinkChannel } from '../../platform/agent-link/link-channels.ts'
import { type Bus, RequestTimeoutError } from '../../platform/bus/bus.ts'
import type { Chore } from './sign-chore.ts'

export interface ChannelOrder {
  tool: CommandInput<'open-channel'>['tool']
  author: string
}

/** What a process asks of the one that holds the link. */
export interface ChannelRequest {
  kind: 'channel'
  id: string
  order: ChannelOrder
}

interface Links {
  openChannel: (agentId: string, ear: ChannelEar) => LinkChannel | ChannelEnd
  sendOrder: (agentId: string, chore: Chore) => boolean
  /** Answered by `openForOther`; undefined = no process has a link to this machine. */
  ask: (agentId: string, request: ChannelRequest) => Promise<unknown>
}

/** Opens channels to tools of machines, whichever process holds their links. */
export class ToolChannels implements Disposable {
  #links: Links
  #overBus: BusChannels

  constructor(bus: Bus, links: Links) {
    this.#links = links
    this.#overBus = new BusChannels(bus)
  }

  /** A channel, or why there is none. */
  async open(agentId: string, order: ChannelOrder, ear: ChannelEar): Promise<ChannelMouth | ChannelEnd> {
    const here = this.#openHere(agentId, order, ear)
    if (!('code' in here) || here.code !== 'agent_offline') return here
    const id = randomUUID()
    const mouth = await this.#overBus.open(id, 'person', ear)
    const refusal = await this.#ask(agentId, { kind: 'channel', id, order })
    if (refusal === null) return mouth
    mouth.end(here)
    return refusal ?? here
  }

  /** For a person at another process; answers why there is no channel, or null. */
  async openForOther(agentId: string, { id, order }: ChannelRequest): Promise<ChannelEnd | null> {
    let channel: ChannelMouth | undefined
    const mouth = await this.#overBus.open(id, 'machine', {
      onFrame: (frame) => channel?.send(frame),
      onEnd: (end) => channel?.end(end),
    })
    const opened = this.#openHere(agentId, order, {
      onFrame: (frame) => mouth.send(frame),
      onEnd: (end) => mouth.end(end),
    })
    if ('code' in opened) {
      mouth.end(opened)
      return opened
    }
    channel = opened
    return null
  }

  async #ask(agentId: string, request: ChannelRequest): Promise<ChannelEnd | null | undefined> {
    try {
      // Answered by openForOther.
      return (await this.#links.ask(agentId, request)) as ChannelEnd | null | undefined
    } catch (error) {
      // That process is just going; the machine will be with another one.
      if (error instanceof RequestTimeoutError) return undefined
      throw error
    }
  }

  [Symbol.dispose](): void {
    this.#overBus[Symbol.dispose]()
  }

  #openHere(agentId: string, { tool, author }: ChannelOrder, ear: ChannelEar): LinkChannel | ChannelEnd {
    const channel = this.#links.openChannel(agentId, ear)
    if ('code' in channel) return channel
    this.#links.sendOrder(agentId, { name: 'open-channel', input: { channel: channel.id, tool }, author })
    return channel
  }
}
