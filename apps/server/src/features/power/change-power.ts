import type { PowerAction } from '@muster/contract/agent/power'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { audit } from '../audit/write-audit.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { Caller } from '../../platform/http/caller.ts'

const DONE: Record<PowerAction, string> = {
  reboot: 'Restarted the machine',
  shutdown: 'Switched off the machine',
}

interface Order {
  fleet: Fleet
  caller: Pick<Caller, 'username' | 'source'>
  agent: { agent_id: string; hostname: string }
}

/**
 * Restarts a machine or shuts it down, and writes down that it was asked. A machine that goes before it can answer has
 * most likely done it; one that is away or refuses is an error.
 */
export async function changePower(
  ctx: Context,
  { fleet, caller, agent }: Order,
  action: PowerAction,
): Promise<{ answered: boolean }> {
  const write = (message: string, problem?: string) =>
    ctx.transaction(async (tx, emit) => {
      const after = { action, ...(problem === undefined ? {} : { problem }) }
      await audit(tx, { caller, action: 'modify', object_type: 'agent', message, after, agent, emit })
    })
  try {
    await fleet.ask(agent, 'change-power', { input: { action }, author: caller.username })
  } catch (error) {
    // Nothing was sent to a machine that is away.
    if (!(error instanceof AppError) || error.code === 'agent_offline') throw error
    if (error.code !== 'unavailable') {
      await write(`${DONE[action]}, in vain`, error.message)
      throw error
    }
    await write(`${DONE[action]}, which went without an answer`)
    return { answered: false }
  }
  await write(DONE[action])
  return { answered: true }
}
