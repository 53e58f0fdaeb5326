import type { Context } from '../context.ts'
import { NoResponderError } from '../platform/bus/bus.ts'

export const REACH_TIMEOUT_MS = 5000

interface Here<Request> {
  isConnected: (agentId: string) => boolean
  /** Of a machine whose link this process holds. */
  handle: (agentId: string, request: Request) => Promise<unknown>
}

/** Brings what is asked of a machine to the process that holds its link: this one, or another over the bus. */
export class LinkReach<Request> {
  #ctx: Context
  #here: Here<Request>
  /** Where other processes ask, how this one stops answering for a machine. */
  #answers = new Map<string, () => Promise<void>>()

  constructor(ctx: Context, here: Here<Request>) {
    this.#ctx = ctx
    this.#here = here
  }

  /** What `handle` there answers; undefined = no process has a link to this machine. */
  async ask(agentId: string, request: Request, timeoutMs = REACH_TIMEOUT_MS): Promise<unknown> {
    if (this.#here.isConnected(agentId)) return this.#here.handle(agentId, request)
    try {
      return await this.#ctx.bus.request(subjectOf(agentId), request, { timeoutMs })
    } catch (error) {
      if (error instanceof NoResponderError) return undefined
      throw error
    }
  }

  /** From now on others find the link of this machine here. */
  async answerFor(agentId: string): Promise<void> {
    if (this.#ctx.config.natsUrl === undefined || this.#answers.has(agentId)) return
    // `message` comes from `ask` of a process of the same version.
    const handler = (message: unknown) => this.#here.handle(agentId, message as Request)
    const stop = this.#ctx.bus.answer(subjectOf(agentId), handler)
    this.#answers.set(agentId, async () => (await stop)())
    await stop
  }

  async stopAnswering(agentId: string): Promise<void> {
    const stop = this.#answers.get(agentId)
    this.#answers.delete(agentId)
    await stop?.()
  }
}

function subjectOf(agentId: string): string {
  return `agent.${agentId}`
}
