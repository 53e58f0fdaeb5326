import { randomUUID } from 'node:crypto'
import type { ChannelEnd } from '@muster/contract/agent/channel'
import type { CommandInput } from '@muster/contract/agent/commands'
import { BusChannels } from '../platform/agent-link/bus-channels.ts'
import type { ChannelReader, ChannelWriter, LinkChannel } from '../platform/agent-link/link-channels.ts'
import { type Bus, RequestTimeoutError } from '../platform/bus/bus.ts'
import { newNonce } from '../platform/agent-link/command-sender.ts'
import type { AgentCommand } from './sign-agent-command.ts'

/** An agent responds at once that a tool is open or refused. */
const OPENED_WITHIN_MS = 15_000

export interface ChannelOrder {
  tool: CommandInput<'open-channel'>['tool']
  author: string
  /** Name of the user, as shown at the machine. */
  person?: string
  /** The session is recorded. */
  recorded?: boolean
}

/** A request to the process that holds the link. */
export interface ChannelRequest {
  kind: 'channel'
  id: string
  order: ChannelOrder
}

interface Links {
  openChannel: (agentId: string, channelReader: ChannelReader) => LinkChannel | ChannelEnd
  sendOrder: (agentId: string, command: AgentCommand, nonce: string) => boolean
  /** Answered by `openForOther`. Returns undefined if no process has a link to the agent. */
  ask: (agentId: string, request: ChannelRequest) => Promise<unknown>
}

/** Opens channels to tools of agents, whichever process holds their links. */
export class ToolChannels implements Disposable {
  #links: Links
  #overBus: BusChannels
  /** Channels without a response from the agent yet, by the nonce of their command. */
  #ordered = new Map<string, { agentId: string; refuse: (message: string) => void }>()

  constructor(bus: Bus, links: Links) {
    this.#links = links
    this.#overBus = new BusChannels(bus)
  }

  /** Returns a channel, or the reason why there is none. */
  async open(
    agentId: string,
    order: ChannelOrder,
    channelReader: ChannelReader,
  ): Promise<ChannelWriter | ChannelEnd> {
    const here = this.#openHere(agentId, order, channelReader)
    if (!('code' in here) || here.code !== 'agent_offline') return here
    const id = randomUUID()
    const writer = await this.#overBus.open(id, 'person', channelReader)
    const refusal = await this.#ask(agentId, { kind: 'channel', id, order })
    if (refusal === null) return writer
    writer.end(here)
    return refusal ?? here
  }

  /** Opens a channel for a user at another process. Returns the reason of a failure, or null. */
  async openForOther(agentId: string, { id, order }: ChannelRequest): Promise<ChannelEnd | null> {
    let channel: ChannelWriter | undefined
    const writer = await this.#overBus.open(id, 'machine', {
      onFrame: (frame) => channel?.send(frame),
      onEnd: (end) => channel?.end(end),
    })
    const opened = this.#openHere(agentId, order, {
      onFrame: (frame) => writer.send(frame),
      onEnd: (end) => writer.end(end),
    })
    if ('code' in opened) {
      writer.end(opened)
      return opened
    }
    channel = opened
    return null
  }

  /** An agent may refuse a command before it reads the request. */
  takeRefusal(agentId: string, { nonce, refused }: { nonce: string; refused: string | null }): void {
    const ordered = this.#ordered.get(nonce)
    if (refused !== null && ordered?.agentId === agentId) ordered.refuse(refused)
  }

  async #ask(agentId: string, request: ChannelRequest): Promise<ChannelEnd | null | undefined> {
    try {
      // Answered by openForOther.
      return (await this.#links.ask(agentId, request)) as ChannelEnd | null | undefined
    } catch (error) {
      // That process is stopping. The agent will reconnect to another one.
      if (error instanceof RequestTimeoutError) return undefined
      throw error
    }
  }

  [Symbol.dispose](): void {
    this.#overBus[Symbol.dispose]()
  }

  #openHere(
    agentId: string,
    { author, ...order }: ChannelOrder,
    channelReader: ChannelReader,
  ): LinkChannel | ChannelEnd {
    const nonce = newNonce()
    const answered = () => {
      clearTimeout(timer)
      this.#ordered.delete(nonce)
    }
    const channel = this.#links.openChannel(agentId, {
      onFrame: (frame) => {
        answered()
        channelReader.onFrame(frame)
      },
      onEnd: (end) => {
        answered()
        channelReader.onEnd(end)
      },
    })
    const refuse = (message: string) => {
      answered()
      if (!('code' in channel)) channel.fail({ code: 'refused', message })
    }
    const timer = setTimeout(refuse, OPENED_WITHIN_MS, SILENT).unref()
    if ('code' in channel) {
      answered()
      return channel
    }
    this.#ordered.set(nonce, { agentId, refuse })
    const input = { channel: channel.id, ...order }
    this.#links.sendOrder(agentId, { name: 'open-channel', input, author }, nonce)
    return channel
  }
}

const SILENT = 'The machine did not respond within 15 seconds. Try again.'
