import { randomBytes } from 'node:crypto'
import { enrolProof, type EnrolRequest, type EnrolResponse } from '@muster/contract/agent/enrol'
import { Hardware } from '@muster/contract/agent/hardware'
import type { InstallFlags } from '@muster/contract/api/installers'
import { AppError } from '@muster/contract/errors'
import { compareHardware, type HardwareMatch, isComparable } from '@muster/rules/agents/hardware'
import type { Context } from '../../context.ts'
import { verifyProof } from '../../platform/agent-link/keys.ts'
import type { Db } from '../../platform/database/database.ts'
import { digestOf, newToken } from '../../platform/secrets/secrets.ts'
import { usualAlert } from '../agents/availability.ts'
import { storeChanges } from '../agents/fact-changes.ts'
import { causeOfCustom, type Subject } from '../alerts/causes.ts'
import type { TxContext } from '../alerts/store-alerts.ts'
import { takeFindings } from '../alerts/take-findings.ts'
import { audit } from '../audit/write-audit.ts'
import { readCoreSettings } from '../../platform/config/core-settings.ts'

/** Letters and digits. Agent ids have 40 of them, as usual in the field. */
const AGENT_ID_LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/**
 * Enrols a machine. The same machine (same machine_key, and no other hardware) gets its row back with the new public key.
 * A connected machine is refused, because the requester does not hold its link. A clone gets a row of its own.
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
    const rows = await findSharers(tx, request.machine_key)
    const before = findSame(rows, request)
    const caller = { username: token.created_by, source }
    const { hostname, platform, arch, agent_version } = request.facts
    const said = { hostname, plat: platform, arch, version: agent_version, public_ip: source }
    const hardware = request.hardware && { hardware: JSON.stringify(request.hardware) }
    if (before === undefined) {
      const agent_id = newAgentId()
      const now = ctx.now()
      const isTaken = rows.some((row) => row.machine_key === request.machine_key)
      const inserted = await tx
        .insertInto('agents')
        .values({
          ...said,
          ...hardware,
          agent_id,
          site_id: token.site_id,
          public_key: request.public_key,
          machine_key: isTaken ? `${request.machine_key} ${agent_id}` : request.machine_key,
          cloned_key: isTaken ? request.machine_key : null,
          server_machine: token.server_machine,
          monitoring_type: token.monitoring_type,
          overdue_dashboard_alert: usualAlert(await readCoreSettings(tx), token.monitoring_type),
          created_at: now.toISOString(),
          modified: now.toISOString(),
        })
        .onConflict((conflict) => conflict.column('machine_key').doNothing())
        .executeTakeFirst()
      if (inserted.numInsertedOrUpdatedRows === 0n) {
        throw new AppError(
          'enrolment_refused',
          'Another machine with the same machine id enrolled at the same moment. Try again.',
        )
      }
      const texts = rows.length > 0 ? [CLONE] : []
      await storeChanges(tx, { agentId: agent_id, at: Math.floor(now.getTime() / 1000), texts })
      await audit(tx, {
        caller,
        action: 'agent_install',
        object_type: 'agent',
        message: `Enrolled the machine "${hostname}"`,
        after: { ...said, monitoring_type: token.monitoring_type, hardware: request.hardware },
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
    if (!sameKey) refuseTakeOver(before, request)
    await tx
      .updateTable('agents')
      .set({
        ...said,
        ...hardware,
        public_key: request.public_key,
        // Any other installer leaves the mark.
        ...(token.server_machine === 1 && { server_machine: 1 as const }),
      })
      .where('agent_id', '=', before.agent_id)
      .execute()
    await audit(tx, {
      caller,
      action: 'agent_install',
      object_type: 'agent',
      message: `Enrolled the machine "${hostname}" again`,
      before: { hostname: before.hostname },
      after: { ...said, new_key: !sameKey, hardware: request.hardware },
      agent: { agent_id: before.agent_id },
      emit,
    })
    if (!sameKey) await alertNewKey({ ctx, tx, emit }, { ...before, hostname, source, by: token.created_by })
    emit({ type: 'agent.changed', ids: [before.agent_id], agent_ids: [before.agent_id] })
    return { agent_id: before.agent_id, reattached: true }
  })
}

const CLONE =
  'Has the machine id of another machine, and other hardware: its system is a clone, which got a row of its own'

/** The machines with this key: the one that had it first, and its clones. */
function findSharers(tx: Db, machineKey: string) {
  return tx
    .selectFrom('agents')
    .innerJoin('sites', 'sites.id', 'agents.site_id')
    .select([
      'agents.agent_id',
      'agents.hostname',
      'agents.connected',
      'agents.public_key',
      'agents.machine_key',
      'agents.hardware',
      'agents.site_id',
      'agents.maintenance_mode',
      'sites.client_id',
    ])
    .where((eb) => eb.or([eb('machine_key', '=', machineKey), eb('cloned_key', '=', machineKey)]))
    .orderBy('agents.id')
    .execute()
}

type Sharer = Awaited<ReturnType<typeof findSharers>>[number]
type SameMachine = Sharer & { match: HardwareMatch }

/** The row of this machine among those of its clones. Without hardware to compare, the first one. */
function findSame(rows: readonly Sharer[], request: EnrolRequest): SameMachine | undefined {
  const found = rows
    .map((row) => ({ ...row, match: matchHardware(row, request) }))
    .filter(({ match }) => match !== 'other')
  return (
    found.find(({ public_key }) => public_key === request.public_key) ??
    found.find(({ match }) => match === 'same') ??
    found[0]
  )
}

function matchHardware({ hardware }: Sharer, { hardware: shown }: EnrolRequest): HardwareMatch {
  if (hardware === null || shown === undefined) return 'unknown'
  return compareHardware(Hardware.parse(JSON.parse(hardware)), shown)
}

/** Another key may be that of a clone, or of an impostor, who knows the id but has to know the hardware as well. */
function refuseTakeOver(row: SameMachine, { facts: { platform } }: EnrolRequest): void {
  const { hostname, connected, match, hardware } = row
  if (connected === 1) {
    throw new AppError(
      'enrolment_refused',
      `${hostname} is connected and has the machine id${match === 'same' ? ' and the hardware' : ''} of this machine. If it is this machine, stop its agent and try again. If this is a clone of it, make a new machine id (${NEW_ID[platform]}) and try again.`,
    )
  }
  if (match === 'unknown' && hardware !== null && isComparable(Hardware.parse(JSON.parse(hardware)))) {
    throw new AppError(
      'enrolment_refused',
      `${hostname} has the machine id of this machine, whose hardware cannot be compared with it. If it is this machine, install the current agent as the same user as before, or remove ${hostname} in the console. If this is a clone of it, make a new machine id (${NEW_ID[platform]}) and try again.`,
    )
  }
}

const NEW_ID = {
  linux: 'rm /etc/machine-id; systemd-machine-id-setup',
  windows: 'sysprep /generalize',
  darwin: 'of the virtual machine, on its host',
} as const

/**
 * A reinstalled machine has a new key, but so has an impostor: its machine_key and its hardware are enough, and users of
 * the machine can read those. The alert stays open until a user has checked it.
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
    .returning(['site_id', 'monitoring_type', 'created_by', 'server_machine'])
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
  /** For the agent on this server's own machine. Default: no. */
  forServerMachine?: boolean
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
      server_machine: order.forServerMachine === true ? 1 : 0,
    })
    .execute()
  return token
}
