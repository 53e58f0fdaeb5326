import type { LiveFrame } from '@muster/contract/agent/agent-frame'
import type { CommandInput, CommandName } from '@muster/contract/agent/commands'
import { newNonce } from '../platform/agent-link/command-sender.ts'
import type { FleetHandlers } from './handlers.ts'
import { PendingRequests } from './requests.ts'
import type { AgentCommand } from './sign-agent-command.ts'

/** Requests to the process that holds the link, for live data that is not stored. */
export type LiveRequest =
  | { kind: 'watch-metrics'; after: number }
  | { kind: 'watch-processes'; after: string }
  | ({ kind: 'ask' } & AgentCommand)

type SendCommand = (agentId: string, command: AgentCommand, nonce?: string) => boolean

/** Live traffic between this process and its agents that is not stored: live views, requests and responses. */
export class LiveRequests implements Disposable {
  #send: SendCommand
  #metrics: ReturnType<FleetHandlers['live']['metrics']>
  #processes: ReturnType<FleetHandlers['live']['processes']>
  #pending = new PendingRequests()

  constructor(send: SendCommand, live: FleetHandlers['live']) {
    this.#send = send
    this.#metrics = live.metrics(this.#sender('watch-metrics'))
    this.#processes = live.processes(this.#sender('watch-processes'))
  }

  async handle(agentId: string, request: LiveRequest): Promise<unknown> {
    switch (request.kind) {
      case 'watch-metrics':
        return this.#metrics.next(agentId, request.after)
      case 'watch-processes':
        return this.#processes.next(agentId, request.after)
      case 'ask': {
        const nonce = newNonce()
        return this.#pending.ask(agentId, nonce, () => this.#send(agentId, request, nonce))
      }
    }
  }

  take(agentId: string, frame: LiveFrame): void {
    switch (frame.type) {
      case 'live-metrics':
        return this.#metrics.take(agentId, frame.sample)
      case 'live-processes':
        return this.#processes.take(agentId, frame.look)
      case 'reply':
        return this.#pending.take(agentId, frame)
    }
  }

  /** Called when the link of an agent is lost. */
  drop(agentId: string): void {
    for (const part of [this.#metrics, this.#processes, this.#pending]) part.drop(agentId)
  }

  [Symbol.dispose](): void {
    for (const part of [this.#metrics, this.#processes, this.#pending]) part[Symbol.dispose]()
  }

  #sender(name: Extract<CommandName, 'watch-metrics' | 'watch-processes'>) {
    return (agentId: string, seconds: number) => {
      const input: CommandInput<typeof name> = { seconds }
      return this.#send(agentId, { name, input, author: 'server' })
    }
  }
}
