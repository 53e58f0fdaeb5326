import { AppError } from '@muster/contract/errors'
import { INSTALL_TYPES, isFinal } from '@muster/rules/agents/history-state'
import type { Context } from '../../../context.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import type { Db } from '../../../platform/database/database.ts'
import { type AgentWithSite, findAgentsWithSite } from '../../agents/queries.ts'
import { type RunRequest, writeRun } from '../../runs/create-run.ts'
import { findLastRun } from '../../runs/queries.ts'
import { scriptOrder } from '../../runs/run-requests.ts'
import { OUTPUT_CAP_BYTES } from '../../runs/store-run-reports.ts'
import { patchDigest } from '../patch-index.ts'
import { readPatches } from '../queries.ts'
import { alertFailure } from './alert-failure.ts'
import { changeInstall, emitInstalls, ended, type WaitingInstall } from './install-rows.ts'
import { type EffectivePatchPolicy, isInWindow, readEffective } from './machine-policy.ts'

/** A patch of an installation. */
export interface InstalledPatch {
  digest: string
  title: string
}

/** How long a run waits for a machine that has just lost its link. */
const RUN_WAITS_SECONDS = 600
const INSTALL_SECONDS = 4 * 3600
const BUSY_MS = 60_000
const SERVER = { username: 'server', source: '', userId: null, isSuperuser: false }

/** Starts the run of a step, once: a script, or the installation of what is approved now. */
export async function startStep(ctx: Context, fleet: Fleet, row: WaitingInstall): Promise<void> {
  const now = ctx.now()
  if (row.until < now.toISOString()) {
    if (await changeInstall(ctx.db, row, ended(now, 'missed', whyMissed(row))))
      emitInstalls(ctx, row.agent_id)
    return
  }
  const [agent] = await findAgentsWithSite(ctx.db, [row.agent_id])
  const { step } = row
  if (agent === undefined || step === 'reboot') return
  if (agent.server_machine === 1) {
    const reason = 'Policies install nothing on the machine of the server.'
    if (await changeInstall(ctx.db, row, ended(now, 'missed', reason))) emitInstalls(ctx, row.agent_id)
    return
  }
  const policy = readEffective(row.policy)
  const isLimited = policy.schedule?.value.recurs === 'window' && step !== 'after'
  if (isLimited && !(await isInWindow(ctx.db, row.agent, now))) {
    const over = ended(now, 'missed', 'The maintenance window was over before the installation could start.')
    if (await changeInstall(ctx.db, row, over)) emitInstalls(ctx, row.agent_id)
    return
  }
  let isStarted = false
  try {
    isStarted = await ctx.transaction(async (tx, emit) => {
      const chosen = (await readPatches(tx, row.agent)).filter(({ action }) => action === 'approve')
      if (chosen.length === 0 && step !== 'after') {
        await changeInstall(tx, row, ended(now, 'succeeded', 'No approved patch was missing.'))
        return false
      }
      if (step === 'install' && (await isBusy(tx, row.agent_id))) {
        const reason = 'Another installation is running on this machine.'
        await changeInstall(tx, row, { next_at: new Date(now.getTime() + BUSY_MS).toISOString(), reason })
        return false
      }
      const patches = chosen.map((patch): InstalledPatch => ({
        digest: patchDigest(patch),
        title: patch.title,
      }))
      const more =
        step === 'install'
          ? {
              patches: JSON.stringify(patches),
              needs_reboot: chosen.some(({ needs_reboot }) => needs_reboot) ? (1 as const) : (0 as const),
            }
          : {}
      // Claimed before the run is written: of two processes, one writes it.
      if (!(await changeInstall(tx, row, { next_at: null, ...more }))) return false
      const order =
        step === 'install'
          ? installOrder(agent, chosen)
          : await scriptOf({ ...ctx, db: tx }, agent, { policy, step })
      const history_id = await writeRun({ ctx, tx, emit }, order)
      await tx.updateTable('patch_installs').set({ history_id }).where('id', '=', row.id).execute()
      return true
    })
  } catch (error) {
    // The script was deleted, or does not support the machine.
    if (!(error instanceof AppError)) throw error
    const { message } = error
    await ctx.transaction(async (tx, emit) => {
      if (await changeInstall(tx, row, ended(now, 'failed', message)))
        await alertFailure({ ctx, tx, emit }, { agentId: row.agent_id, failure: message })
    })
  }
  if (isStarted) await fleet.deliver(row.agent_id)
  emitInstalls(ctx, row.agent_id)
}

function whyMissed({ hostname, connected, reason, due_at, until }: WaitingInstall): string {
  if (connected === 1 && reason !== null) return reason
  return `${hostname} was offline from ${due_at} to ${until}.`
}

async function isBusy(tx: Db, agentId: string): Promise<boolean> {
  const last = await findLastRun(tx, agentId, INSTALL_TYPES)
  return last !== undefined && !isFinal(last.state)
}

function installOrder(agent: AgentWithSite, chosen: readonly { guid: string; title: string }[]): RunRequest {
  const many = chosen.length === 1 ? 'the approved patch' : `${chosen.length} approved patches`
  return {
    agent,
    caller: SERVER,
    label: { command: `Install ${many} by policy`, shell: '', args: chosen.map(({ title }) => title) },
    expiresInSeconds: RUN_WAITS_SECONDS,
    saveAsNote: false,
    work: {
      name: 'install-patches',
      input: {
        guids: chosen.map(({ guid }) => guid),
        timeout_seconds: INSTALL_SECONDS,
        output_cap_bytes: OUTPUT_CAP_BYTES,
      },
    },
  }
}

async function scriptOf(
  ctx: Pick<Context, 'db' | 'secrets'>,
  agent: AgentWithSite,
  { policy: { scripts }, step }: { policy: EffectivePatchPolicy; step: 'before' | 'after' },
): Promise<RunRequest> {
  const script = scripts?.value[step] ?? null
  if (scripts === undefined || script === null) throw new Error('a step without its script')
  // Keys of the store are read with the role of the policy's author.
  const author = await ctx.db
    .selectFrom('policies')
    .select('author_id')
    .where('id', '=', scripts.policy ?? 0)
    .executeTakeFirst()
  const caller = { ...SERVER, userId: author?.author_id ?? null }
  const order = await scriptOrder(ctx, agent, caller, {
    script,
    timeout: scripts.value.timeout,
    output: 'forget',
    expires_in: RUN_WAITS_SECONDS,
    wait: false,
  })
  return { ...order, because: `${step} the installation of patches` }
}
