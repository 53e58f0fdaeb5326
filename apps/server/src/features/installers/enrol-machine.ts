import { randomBytes } from 'node:crypto'
import { enrolProof, type EnrolRequest, type EnrolResponse } from '@muster/contract/agent/enrol'
import type { InstallFlags } from '@muster/contract/api/installers'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { verifyProof } from '../../platform/agent-link/keys.ts'
import type { Db } from '../../platform/database/database.ts'
import { digestOf, newToken } from '../../platform/secrets/secrets.ts'
import { usualAlert } from '../agents/availability.ts'
import { causeOfCustom, type Subject } from '../alerts/causes.ts'
import type { TxContext } from '../alerts/store-alerts.ts'
import { takeFindings } from '../alerts/take-findings.ts'
import { audit } from '../audit/write-audit.ts'
import { readCoreSettings } from '../../platform/config/core-settings.ts'

/** Letters and digits. Agent ids have 40 of them, as usual in the field. */
const AGENT_ID_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/**
 * Enrols a machine. The same machine (same machine_key) gets its row back with the new public key. A connected machine
 * is refused, because the requester does not hold its link.
 */
export async function enrolMachine(
  ctx: Context,
  request: EnrolRequest,
  source: string,
): Promise<Omit<EnrolResponse, 'command_key'>> {
  if (!(await verifyProof(request.public_key, enrolProof(request), request.signature))) {
    throw new AppError('enrolment_refused', 'The machine could not prove that it holds its key.')
  }
  return ctx.transaction(async (tx, emit) => {
    const token = await takeToken(tx, request, ctx.now())
    const before = await tx
      .selectFrom('agents')
      .innerJoin('sites', 'sites.id', 'agents.site_id')
      .select([
        'agents.agent_id',
        'agents.hostname',
        'agents.connected',
        'agents.public_key',
        'agents.site_id',
        'agents.maintenance_mode',
        'sites.client_id',
      ])
      .where('machine_key', '=', request.machine_key)
      .executeTakeFirst()
    const caller = { username: token.created_by, source }
    const { hostname, platform, arch, agent_version } = request.facts
    const said = { hostname, plat: platform, arch, version: agent_version, public_ip: source }
    if (before === undefined) {
      const agent_id = newAgentId()
      const now = ctx.now().toISOString()
      await tx
        .insertInto('agents')
        .values({
          ...said,
          agent_id,
          site_id: token.site_id,
          public_key: request.public_key,
          machine_key: request.machine_key,
          monitoring_type: token.monitoring_type,
          overdue_dashboard_alert: usualAlert(await readCoreSettings(tx), token.monitoring_type),
          created_at: now,
          modified: now,
        })
        .execute()
      await audit(tx, {
        caller,
        action: 'agent_install',
        object_type: 'agent',
        message: `Enrolled the machine "${hostname}"`,
        after: { ...said, monitoring_type: token.monitoring_type },
        agent: { agent_id },
        emit,
      })
      await ctx.hooks.publish(ctx, tx, [
        { event: 'machine.enrolled', source: `machine.enrolled:${agent_id}`, agent_id, data: {} },
      ])
      emit({ type: 'agent.added', ids: [agent_id], agent_ids: [agent_id] })
      return { agent_id, reattached: false }
    }
    const sameKey = before.public_key === request.public_key
    if (before.client_id !== token.client_id) {
      throw new AppError(
        'enrolment_refused',
        'This machine belongs to another client. Remove it there first.',
      )
    }
    if (!sameKey && before.site_id !== token.site_id) {
      throw new AppError(
        'enrolment_refused',
        'This machine belongs to another site and has a new key. Use an installer of its own site.',
      )
    }
    if (before.connected === 1 && !sameKey) {
      throw new AppError(
        'enrolment_refused',
        `${before.hostname} is enrolled and connected. Stop its agent first.`,
      )
    }
    await tx
      .updateTable('agents')
      .set({ ...said, public_key: request.public_key })
      .where('agent_id', '=', before.agent_id)
      .execute()
    await audit(tx, {
      caller,
      action: 'agent_install',
      object_type: 'agent',
      message: `Enrolled the machine "${hostname}" again`,
      before: { hostname: before.hostname },
      after: { ...said, new_key: !sameKey },
      agent: { agent_id: before.agent_id },
      emit,
    })
    if (!sameKey) await alertNewKey({ ctx, tx, emit }, { ...before, hostname, source, by: token.created_by })
    emit({ type: 'agent.changed', ids: [before.agent_id], agent_ids: [before.agent_id] })
    return { agent_id: before.agent_id, reattached: true }
  })
}

/**
 * A reinstalled machine has a new key, but so has an impostor: its machine_key is enough, and users of the machine can
 * compute that. The alert stays open until a user has checked it.
 */
async function alertNewKey(
  txContext: TxContext,
  machine: { agent_id: string; hostname: string; source: string; by: string; maintenance_mode: number },
): Promise<void> {
  const { agent_id, hostname, source, by, maintenance_mode } = machine
  const cause = causeOfCustom({ agent: agent_id }, 'new-key')
  const subject: Subject = {
    cause,
    alert_type: 'custom',
    agent_id,
    check_id: null,
    site_id: null,
    hold: maintenance_mode === 1 ? 'maintenance' : null,
  }
  const text = `${hostname} enrolled again from ${source} with a new key (installer of ${by}). Check that it was reinstalled.`
  const finding = { cause, at: txContext.ctx.now(), severity: 'warning' as const, text }
  await takeFindings(txContext, new Map([[cause, subject]]), [finding])
}

/** Consumes one use of the token. One update decides between concurrent machines. */
async function takeToken(tx: Db, request: EnrolRequest, now: Date) {
  const digest = digestOf(request.token)
  const taken = await tx
    .updateTable('enrol_tokens')
    .set((eb) => ({ uses_left: eb('uses_left', '-', 1) }))
    .where('digest', '=', digest)
    .where('uses_left', '>', 0)
    .where('expires_at', '>', now.toISOString())
    .where((eb) => eb.or([eb('plat', 'is', null), eb('plat', '=', request.facts.platform)]))
    .returning(['site_id', 'monitoring_type', 'created_by'])
    .executeTakeFirst()
  if (taken === undefined) {
    throw new AppError(
      'enrolment_refused',
      'The enrolment token is unknown, used up, expired or for another platform. Create a new installer.',
    )
  }
  const site = await tx
    .selectFrom('sites')
    .select('client_id')
    .where('id', '=', taken.site_id)
    .executeTakeFirstOrThrow()
  return { ...taken, client_id: site.client_id }
}

function newAgentId(): string {
  // 248 = 4 x 62: larger bytes are dropped, so that every letter is equally likely.
  const letters: string[] = []
  while (letters.length < 40) {
    for (const byte of randomBytes(64)) {
      if (byte < 248 && letters.length < 40) letters.push(AGENT_ID_LETTERS[byte % 62] ?? '')
    }
  }
  return letters.join('')
}

interface TokenOrder {
  siteId: number
  monitoringType: 'server' | 'workstation'
  plat: 'windows' | 'linux' | 'darwin' | null
  uses: number
  expiresAt: string
  createdBy: string
  now: Date
  /** Default: none is on. */
  flags?: InstallFlags
}

/** Creates an enrolment token. Only its digest is stored. */
export async function createEnrolToken(db: Db, order: TokenOrder): Promise<string> {
  const token = newToken()
  await db
    .insertInto('enrol_tokens')
    .values({
      digest: digestOf(token),
      site_id: order.siteId,
      monitoring_type: order.monitoringType,
      plat: order.plat,
      uses_left: order.uses,
      expires_at: order.expiresAt,
      created_by: order.createdBy,
      created_at: order.now.toISOString(),
      flags: JSON.stringify(order.flags ?? {}),
    })
    .execute()
  return token
}
