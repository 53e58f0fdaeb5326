import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { askMachine } from '../../fleet/ask-machine.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { hasInventory } from './queries.ts'

const STORED_WITHIN_MS = 20_000

/** Has a machine list its software anew and waits until the list is stored. */
export class SoftwareRefresh {
  #ctx: Context
  #fleet: Fleet
  #waiting = new Map<string, Set<() => void>>()

  constructor(ctx: Context, fleet: Fleet) {
    this.#ctx = ctx
    this.#fleet = fleet
    ctx.onEvent(({ type, ids }) => {
      if (type !== 'software.scanned') return
      for (const id of ids) for (const wake of this.#waiting.get(String(id)) ?? []) wake()
    })
  }

  async refresh(caller: Caller, agentId: string): Promise<void> {
    let looked = Promise.withResolvers<void>()
    const wake = () => looked.resolve()
    const waiting = this.#waiting.get(agentId) ?? new Set()
    this.#waiting.set(agentId, waiting.add(wake))
    try {
      const { hash } = await askMachine(
        this.#ctx,
        { fleet: this.#fleet, caller, agentId },
        {
          name: 'report-software',
          input: {},
          action: 'view',
          object_type: 'software',
          describe: () => 'Refreshed the list of software',
        },
      )
      const late = AbortSignal.timeout(STORED_WITHIN_MS)
      late.addEventListener('abort', wake, { once: true })
      // A list that was on its way when this one was asked for may be stored first.
      do {
        await looked.promise
        if (late.aborted)
          throw new AppError('unavailable', 'The list is on its way. It is shown as soon as it has come.')
        looked = Promise.withResolvers()
      } while (!(await hasInventory(this.#ctx.db, agentId, hash)))
    } finally {
      waiting.delete(wake)
      if (waiting.size === 0) this.#waiting.delete(agentId)
    }
  }
}
