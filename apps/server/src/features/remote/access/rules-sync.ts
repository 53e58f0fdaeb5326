import { DEFAULT_REMOTE_RULES, type RemoteRules } from '@muster/rules/remote/remote-rules'
import type { Context } from '../../../context.ts'
import { digestOf } from '../../../platform/secrets/secrets.ts'
import { findRules } from './queries.ts'

export interface RulesOrder {
  revision: string
  rules: RemoteRules
}

export interface RulesLinks {
  isConnected(agentId: string): boolean
  connectedIds(): string[]
  /** Returns false if this process has no link to the machine. */
  send(agentId: string, order: RulesOrder): boolean
}

const MACHINES_AT_ONCE = 200

/**
 * Sends machines linked to this process their remote access rules whenever they differ: on connect, after changes, and
 * after moves.
 */
export class RulesSync implements AsyncDisposable {
  #ctx: Context
  #links: RulesLinks
  /** Rules of linked machines that differ from the default. */
  #known = new Map<string, string>()
  #waiting = new Set<string>()
  #running: Promise<void> | undefined
  #stopped = false

  constructor(ctx: Context, links: RulesLinks) {
    this.#ctx = ctx
    this.#links = links
    ctx.onEvent(({ type, agent_ids: agentIds }) => {
      if (type === 'remote_access.changed') this.#look(agentIds ?? links.connectedIds())
    })
    ctx.bus.onReconnect(() => this.#look(links.connectedIds()))
  }

  /** A link is up. Its machine has the rules of this revision. */
  meet(agentId: string, revision: string): void {
    if (revision === '') this.#known.delete(agentId)
    else this.#known.set(agentId, revision)
    this.#look([agentId])
  }

  drop(agentId: string): void {
    this.#known.delete(agentId)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  #look(agentIds: readonly string[]): void {
    if (this.#stopped) return
    for (const agentId of agentIds) if (this.#links.isConnected(agentId)) this.#waiting.add(agentId)
    if (this.#waiting.size > 0) this.#running ??= this.#run()
  }

  async #run(): Promise<void> {
    while (this.#waiting.size > 0 && !this.#stopped) {
      // SQLite is synchronous: other work runs in between.
      await new Promise(setImmediate)
      const batch = [...this.#waiting].slice(0, MACHINES_AT_ONCE)
      for (const agentId of batch) this.#waiting.delete(agentId)
      try {
        for (const { agent_id, rules } of await findRules(this.#ctx.db, batch)) this.#send(agent_id, rules)
      } catch (error) {
        this.#ctx.log.error({ err: error }, 'remote access rules not sent to machines')
      }
    }
    this.#running = undefined
  }

  #send(agentId: string, rules: RemoteRules): void {
    const revision = revisionOf(rules)
    if (revision === (this.#known.get(agentId) ?? '')) return
    if (this.#links.send(agentId, { revision, rules })) this.#known.set(agentId, revision)
  }
}

export function revisionOf(rules: RemoteRules): string {
  const text = JSON.stringify(rules)
  return text === JSON.stringify(DEFAULT_REMOTE_RULES) ? '' : digestOf(text).slice(0, 32)
}
