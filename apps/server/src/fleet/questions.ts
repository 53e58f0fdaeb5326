import { replies, REPLY_SECONDS, type QuestionName, type Reply } from '@muster/contract/agent/replies'
import type { LiveFrame } from '@muster/contract/agent/agent-frame'
import { AppError } from '@muster/contract/errors'

/** How a question to a machine went: `offline` = it has no link; `silent` = no answer, whether it acted is unknown. */
export type Outcome =
  | { outcome: 'answered'; answer: unknown }
  | { outcome: 'refused'; sentence: string }
  | { outcome: 'offline' | 'silent' }

interface Waiting {
  agentId: string
  settle: (outcome: Outcome) => void
}

/** Questions of this process to machines that it has links to, until each is answered. */
export class Questions implements Disposable {
  #waiting = new Map<string, Waiting>()

  /** Sends by `send` what asks under this nonce, and waits for the answer. */
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

  /** A machine answers; an answer to what it was not asked, or too late, is passed over. */
  take(agentId: string, { nonce, refused, answer }: Extract<LiveFrame, { type: 'reply' }>): void {
    const waiting = this.#waiting.get(nonce)
    if (waiting?.agentId !== agentId) return
    waiting.settle(
      refused === null ? { outcome: 'answered', answer } : { outcome: 'refused', sentence: refused },
    )
  }

  /** The link is lost, and with it what the machine would have answered. */
  forget(agentId: string): void {
    for (const waiting of this.#waiting.values())
      if (waiting.agentId === agentId) waiting.settle({ outcome: 'silent' })
  }

  [Symbol.dispose](): void {
    for (const { settle } of this.#waiting.values()) settle({ outcome: 'silent' })
  }
}

/** The answer, by the contract; else an error that says what became of the question. */
export function requireReply<Name extends QuestionName>(
  name: Name,
  outcome: Outcome,
  hostname: string,
): Reply<Name> {
  switch (outcome.outcome) {
    case 'offline':
      throw new AppError('agent_offline', `${hostname} is not connected.`)
    case 'silent':
      throw new AppError(
        'unavailable',
        `${hostname} has not answered. It may have done what it was asked all the same: look again before you repeat it.`,
      )
    case 'refused':
      throw new AppError('agent_refused', `${hostname}: ${outcome.sentence}`)
    case 'answered': {
      const answer = replies[name].safeParse(outcome.answer)
      if (!answer.success)
        throw new AppError('agent_refused', `${hostname} gave an answer that cannot be read.`, {
          cause: answer.error,
        })
      // The schema of this very name made it; TypeScript does not follow that through the generic index.
      return answer.data as Reply<Name>
    }
  }
}
