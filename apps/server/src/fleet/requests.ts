import { replies, REPLY_SECONDS, type RequestName, type Reply } from '@muster/contract/agent/replies'
import type { LiveFrame } from '@muster/contract/agent/agent-frame'
import { AppError } from '@muster/contract/errors'

/** Outcome of a request: `offline` = no link; `silent` = no response, so it is unknown whether the agent acted. */
export type Outcome =
  | { outcome: 'answered'; answer: unknown }
  | { outcome: 'refused'; sentence: string }
  | { outcome: 'offline' | 'silent' }

interface Waiting {
  agentId: string
  settle: (outcome: Outcome) => void
}

/** Pending requests of this process to its linked agents. */
export class PendingRequests implements Disposable {
  #waiting = new Map<string, Waiting>()

  /** Calls `send`, then waits for the response with this nonce. */
  async ask(agentId: string, nonce: string, send: () => boolean): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    this.#waiting.set(nonce, { agentId, settle: resolve })
    const timer = setTimeout(() => resolve({ outcome: 'silent' }), REPLY_SECONDS * 1000)
    if (!send()) resolve({ outcome: 'offline' })
    const outcome = await promise
    clearTimeout(timer)
    this.#waiting.delete(nonce)
    return outcome
  }

  /** Handles a response. Unexpected and late ones are ignored. */
  take(agentId: string, { nonce, refused, answer }: Extract<LiveFrame, { type: 'reply' }>): void {
    const waiting = this.#waiting.get(nonce)
    if (waiting?.agentId !== agentId) return
    waiting.settle(
      refused === null ? { outcome: 'answered', answer } : { outcome: 'refused', sentence: refused },
    )
  }

  /** The link is lost, and with it any pending response. */
  drop(agentId: string): void {
    for (const waiting of this.#waiting.values())
      if (waiting.agentId === agentId) waiting.settle({ outcome: 'silent' })
  }

  [Symbol.dispose](): void {
    for (const { settle } of this.#waiting.values()) settle({ outcome: 'silent' })
  }
}

/** Returns the response parsed by the contract. Throws an error that explains the outcome. */
export function requireReply<Name extends RequestName>(
  name: Name,
  outcome: Outcome,
  hostname: string,
): Reply<Name> {
  switch (outcome.outcome) {
    case 'offline':
      throw new AppError('agent_offline', `${hostname} is offline. Try again when it is connected.`)
    case 'silent':
      throw new AppError(
        'unavailable',
        `${hostname} did not respond. The action may still have run: check its state before you repeat it.`,
      )
    case 'refused':
      throw new AppError('agent_refused', `${hostname}: ${outcome.sentence}`)
    case 'answered': {
      const answer = replies[name].safeParse(outcome.answer)
      if (!answer.success)
        throw new AppError('agent_refused', `${hostname} sent an unreadable response. Update its agent.`, {
          cause: answer.error,
        })
      // Parsed by the schema of this name, which TypeScript cannot follow through the generic index.
      return answer.data as Reply<Name>
    }
  }
}
