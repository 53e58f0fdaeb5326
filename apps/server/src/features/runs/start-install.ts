import type { AgentHistory } from '@muster/contract/api/runs'
import type { CommandInput } from '@muster/contract/agent/commands'
import type { PackageChange } from '@muster/rules/agents/package-change'
import { AppError } from '@muster/contract/errors'
import { INSTALL_TYPES, isFinal } from '@muster/rules/agents/history-state'
import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { AgentWithSite } from '../agents/queries.ts'
import { findLastRun, findRuns, viewHistory } from './queries.ts'
import { type RunRequest, writeRun } from './create-run.ts'
import { OUTPUT_CAP_BYTES } from './store-run-reports.ts'

/** How long it waits for a machine that has just lost its link. */
const EXPIRES_SECONDS = 600

export interface InstallOrder {
  agent: AgentWithSite
  caller: Caller
  label: RunRequest['label']
  timeoutSeconds: number
  work:
    | { name: 'install-patches'; input: Pick<CommandInput<'install-patches'>, 'guids'> }
    | { name: `${PackageChange}-package`; input: Pick<CommandInput<'install-package'>, 'names'> }
}

/** Starts an installation on a connected machine, unless one is running. The machine refuses a second one too. */
export async function startInstall(
  ctx: Context,
  fleet: Fleet,
  { agent, caller, label, work, timeoutSeconds }: InstallOrder,
): Promise<AgentHistory> {
  if (agent.connected === 0)
    throw new AppError('agent_offline', `${agent.hostname} is offline. Try again when it is connected.`)
  const limits = { timeout_seconds: timeoutSeconds, output_cap_bytes: OUTPUT_CAP_BYTES }
  const order: RunRequest = {
    agent,
    caller,
    label,
    expiresInSeconds: EXPIRES_SECONDS,
    saveAsNote: false,
    work:
      work.name === 'install-patches'
        ? { name: work.name, input: { ...work.input, ...limits } }
        : { name: work.name, input: { ...work.input, ...limits } },
  }
  const id = await ctx.transaction(async (tx, emit) => {
    const last = await findLastRun(tx, agent.agent_id, INSTALL_TYPES)
    if (last !== undefined && !isFinal(last.state))
      throw new AppError(
        'conflict',
        `${agent.hostname} is already installing something for ${last.username}. Wait for its end.`,
      )
    return writeRun({ ctx, tx, emit }, order)
  })
  await fleet.deliver(agent.agent_id)
  const [run] = await findRuns(ctx.db, [id])
  if (run === undefined) throw new Error('the new run was not found')
  return viewHistory(run)
}
