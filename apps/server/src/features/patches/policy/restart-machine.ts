import { AppError } from '@muster/contract/errors'
import type { PatchReboot } from '@muster/contract/policies/patch-policy'
import type { Context } from '../../../context.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import { audit } from '../../audit/write-audit.ts'
import { planPower } from '../../power/plan-power.ts'
import { changeInstall, emitInstalls, ended, type WaitingInstall } from './install-rows.ts'
import { readEffective, readFacts } from './machine-policy.ts'

/** A machine with a signed-in user, or one that does not answer, is asked again after this time. */
const AGAIN_MS = 10 * 60_000
const MINUTE_MS = 60_000
const SERVER = { username: 'server', source: '' }

/**
 * Restarts a machine after an installation by the rule of its policy. Only the machine knows who is signed in, so it
 * decides at the last moment: it restarts if nobody is there, or warns the user and plans it.
 */
export async function restartMachine(ctx: Context, fleet: Fleet, row: WaitingInstall): Promise<void> {
  const now = ctx.now()
  const rule = readEffective(row.policy).reboot?.value
  const isOver = row.ends_at !== null && row.ends_at < now.toISOString()
  const outcome =
    rule === undefined || rule.when === 'never'
      ? null
      : isOver
        ? `${row.hostname} still needs a restart: ${row.connected === 0 ? 'it was offline' : 'a user was signed in'} until the deadline.`
        : await findReasonNotTo(ctx, row, rule)
  if (outcome !== undefined) return finish(ctx, row, join(row.reason, outcome))
  // Claimed before the request. After a crash it is asked again, unless it has restarted.
  const next_at = new Date(now.getTime() + AGAIN_MS).toISOString()
  if (!(await changeInstall(ctx.db, row, { next_at }))) return
  const claimed = { ...row, next_at }
  try {
    const done =
      rule?.when === 'warn' ? await warn(ctx, fleet, claimed, rule) : await restartIfNobody(ctx, fleet, row)
    if (done !== undefined) return await finish(ctx, claimed, join(row.reason, done))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code !== 'agent_offline' && error.code !== 'unavailable')
      return finish(ctx, claimed, join(row.reason, `The restart failed: ${error.message}`))
  }
}

const join = (...parts: (string | null)[]) => parts.filter((part) => part !== null).join(' ') || null

async function finish(ctx: Context, row: WaitingInstall, reason: string | null): Promise<void> {
  await changeInstall(ctx.db, row, ended(ctx.now(), 'succeeded', reason))
  emitInstalls(ctx, row.agent_id)
}

/** Why there is nothing to restart, as a sentence or null; undefined if there is. */
async function findReasonNotTo(
  ctx: Context,
  row: WaitingInstall,
  { only_if_needed, deadline_hours }: PatchReboot,
): Promise<string | null | undefined> {
  const facts = await readFacts(ctx.db, row.agent)
  if (only_if_needed && row.needs_reboot === 0 && !facts.needs_reboot) return null
  const installedMs = Date.parse(row.ends_at ?? row.until) - deadline_hours * 60 * MINUTE_MS
  if (facts.boot_time * 1000 > installedMs) return 'Restarted.'
  const planned = await ctx.db
    .selectFrom('pending_actions')
    .select('id')
    .where('agent_id', '=', row.agent_id)
    .where('action_type', '=', 'schedreboot')
    .where('status', '=', 'pending')
    .executeTakeFirst()
  return planned === undefined ? undefined : 'A restart was already planned.'
}

async function restartIfNobody(ctx: Context, fleet: Fleet, row: WaitingInstall): Promise<string | undefined> {
  const order = { input: {}, author: SERVER.username }
  const { done } = await fleet.ask(
    { agent_id: row.agent_id, hostname: row.hostname },
    'reboot-if-nobody',
    order,
  )
  if (!done) return undefined
  await ctx.transaction((tx, emit) =>
    audit(tx, {
      caller: SERVER,
      action: 'modify',
      object_type: 'agent',
      message: 'Restarted the machine after the installation of patches',
      after: { action: 'reboot' },
      agent: { agent_id: row.agent_id, hostname: row.hostname },
      emit,
    }),
  )
  return 'Restarted, because nobody was signed in.'
}

async function warn(ctx: Context, fleet: Fleet, row: WaitingInstall, rule: PatchReboot): Promise<string> {
  const { message, delay_minutes, postponements, postpone_minutes } = rule
  const leftMs = Date.parse(row.ends_at ?? row.until) - ctx.now().getTime()
  const { planned } = await planPower(ctx, {
    fleet,
    caller: SERVER,
    agent: { agent_id: row.agent_id, hostname: row.hostname },
    action: 'reboot',
    warning: {
      message,
      delay_minutes,
      may_postpone: postponements > 0,
      postponements,
      postpone_minutes,
      // The user always has the time of the warning.
      deadline_minutes: Math.max(delay_minutes, Math.floor(leftMs / MINUTE_MS)),
    },
  })
  return planned === null
    ? 'Restarted, because nobody was signed in.'
    : 'A restart is planned, and the user is warned.'
}
