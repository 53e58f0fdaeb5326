import type { createDeployment, Deployment } from '@muster/contract/api/deployments'
import { InstallFlags } from '@muster/contract/api/installers'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import { randomUUID } from 'node:crypto'
import type { Context } from '../../../context.ts'
import type { InTransaction } from '../../../hooks.ts'
import type { Db } from '../../../platform/database/database.ts'
import { visibleTo } from '../../../platform/database/visible-to.ts'
import type { Caller, Scope } from '../../../platform/http/caller.ts'
import { digestOf } from '../../../platform/secrets/secrets.ts'
import { findVisibleSite } from '../../agents/queries.ts'
import { audit } from '../../audit/write-audit.ts'
import { createEnrolToken } from '../enrol-machine.ts'
import { findServerTrust, type ServerTrust } from '../install-files.ts'
import { shellDeployLine } from '../install-script.ts'
import { windowsDeployLine } from '../windows-script.ts'

const MAX_DAYS = 365 * 5
const DAY_MS = 86_400_000

export async function findDeployments(db: Db, caller: { scope: Scope }) {
  return selectDeployments(db).where(visibleTo(caller)).orderBy('deployments.id').execute()
}

type DeploymentRow = Awaited<ReturnType<typeof findDeployments>>[number]

/** The deployment of a download address. Undefined if it has expired, was used up or deleted. */
export async function findDownload(
  ctx: Context,
  uid: string,
): Promise<(DeploymentRow & { secret: string }) | undefined> {
  const row = await selectDeployments(ctx.db)
    .where('deployments.uid_digest', '=', digestOf(uid))
    .where('enrol_tokens.expires_at', '>', ctx.now().toISOString())
    .where('enrol_tokens.uses_left', '>', 0)
    .executeTakeFirst()
  return row === undefined ? undefined : { ...row, secret: ctx.secrets.decrypt(row.token) }
}

export async function addDeployment(
  ctx: Context,
  caller: Caller,
  body: Parsed<typeof createDeployment>['body'],
): Promise<DeploymentRow> {
  const { agenttype, plat, goarch, uses, power, rdp, ping } = body
  const flags = { power, rdp, ping }
  refuseFlags(plat, flags)
  const expires = readExpiry(body.expires, ctx.now())
  return ctx.transaction(async (tx, emit) => {
    const site = await findVisibleSite(tx, body.site, caller)
    if (site === undefined) {
      throw new AppError('not_found', 'This site does not exist, or you may not see it.', {
        fields: { site: ['Choose another site.'] },
      })
    }
    const now = ctx.now()
    const token = await createEnrolToken(tx, {
      siteId: site.id,
      monitoringType: agenttype,
      plat,
      uses,
      expiresAt: expires,
      createdBy: caller.username,
      now,
      flags,
    })
    const { id: tokenId } = await tx
      .selectFrom('enrol_tokens')
      .select('id')
      .where('digest', '=', digestOf(token))
      .executeTakeFirstOrThrow()
    const uid = randomUUID()
    const { id } = await tx
      .insertInto('deployments')
      .values({
        token_id: tokenId,
        uid_digest: digestOf(uid),
        uid: ctx.secrets.encrypt(uid),
        token: ctx.secrets.encrypt(token),
        goarch,
        created_at: now.toISOString(),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await audit(tx, {
      caller,
      action: 'add',
      object_type: 'deployment',
      message: `Created a deployment for the site "${site.name}" of "${site.client_name}"`,
      after: { agenttype, plat, goarch, expires, uses, ...flags },
      site: { id: site.id },
      at: now,
      emit,
    })
    emit({ type: 'deployment.changed', ids: [id] })
    return selectDeployments(tx).where('deployments.id', '=', id).executeTakeFirstOrThrow()
  })
}

export function removeDeployment(ctx: Context, caller: Caller, id: number): Promise<void> {
  return ctx.transaction(async (tx, emit) => {
    const row = await selectDeployments(tx)
      .where('deployments.id', '=', id)
      .where(visibleTo(caller))
      .executeTakeFirst()
    if (row === undefined) {
      throw new AppError('not_found', 'This deployment does not exist, or you may not see it.')
    }
    // The link goes with its token.
    await tx.deleteFrom('enrol_tokens').where('id', '=', row.token_id).execute()
    await auditRemoval({ ctx, tx, emit }, caller, { row, why: '' })
    emit({ type: 'deployment.changed', ids: [id] })
  })
}

/** Ends the links of a user who may no longer sign in, and the tokens of their installers. */
export async function endInstallLinks(
  { ctx, tx, emit }: InTransaction,
  caller: Caller,
  { username, was }: { username: string; was: 'blocked' | 'deleted' },
): Promise<void> {
  const rows = await selectDeployments(tx).where('enrol_tokens.created_by', '=', username).execute()
  await tx.deleteFrom('enrol_tokens').where('created_by', '=', username).execute()
  const why = `, because the user "${username}" was ${was}`
  for (const row of rows) await auditRemoval({ ctx, tx, emit }, caller, { row, why })
  if (rows.length > 0) emit({ type: 'deployment.changed', ids: rows.map(({ id }) => id) })
}

async function auditRemoval(
  { ctx, tx, emit }: InTransaction,
  caller: Caller,
  { row, why }: { row: DeploymentRow; why: string },
): Promise<void> {
  await audit(tx, {
    caller,
    action: 'delete',
    object_type: 'deployment',
    message: `Deleted a deployment of the site "${row.site_name}" of "${row.client_name}"${why}`,
    before: { agenttype: row.monitoring_type, plat: row.plat, expires: row.expires_at },
    site: { id: row.site_id },
    at: ctx.now(),
    emit,
  })
}

export function viewDeployment(ctx: Context, row: DeploymentRow, serverUrl: string): Deployment {
  const uid = ctx.secrets.decrypt(row.uid)
  const url = `${serverUrl}/clients/${uid}/deploy/`
  // Deployments are always created for a platform.
  const plat = row.plat ?? 'windows'
  return {
    id: row.id,
    uid,
    client: row.client_id,
    client_name: row.client_name,
    site: row.site_id,
    site_name: row.site_name,
    mon_type: row.monitoring_type,
    plat,
    goarch: row.goarch,
    expiry: row.expires_at,
    created: row.created_at,
    created_by: row.created_by,
    install_flags: InstallFlags.parse(JSON.parse(row.flags)),
    uses_left: row.uses_left,
    url,
    cmd: deployLine(plat, url, findServerTrust(ctx.config.tls)),
  }
}

function deployLine(plat: Deployment['plat'], url: string, trust: ServerTrust): string {
  return plat === 'windows' ? windowsDeployLine(url, trust) : shellDeployLine(url, trust)
}

function selectDeployments(db: Db) {
  return db
    .selectFrom('deployments')
    .innerJoin('enrol_tokens', 'enrol_tokens.id', 'deployments.token_id')
    .innerJoin('sites', 'sites.id', 'enrol_tokens.site_id')
    .innerJoin('clients', 'clients.id', 'sites.client_id')
    .select([
      'deployments.id',
      'deployments.token_id',
      'deployments.uid',
      'deployments.token',
      'deployments.goarch',
      'deployments.created_at',
      'enrol_tokens.site_id',
      'enrol_tokens.monitoring_type',
      'enrol_tokens.plat',
      'enrol_tokens.flags',
      'enrol_tokens.uses_left',
      'enrol_tokens.expires_at',
      'enrol_tokens.created_by',
      'sites.name as site_name',
      'sites.client_id',
      'clients.name as client_name',
    ])
}

function readExpiry(text: string, now: Date): string {
  const expires = new Date(text)
  const refuse = (sentence: string): never => {
    throw new AppError('invalid', sentence, { fields: { expires: [sentence] } })
  }
  if (expires <= now) refuse('Choose a time in the future.')
  if (expires.getTime() > now.getTime() + MAX_DAYS * DAY_MS) refuse('A deployment expires within five years.')
  return expires.toISOString()
}

function refuseFlags(plat: Deployment['plat'], flags: InstallFlags): void {
  const flag = Object.entries(flags).find(([, isOn]) => isOn)?.[0]
  if (flag === undefined || plat === 'windows') return
  const sentence = 'Only the installer of Windows can change this.'
  throw new AppError('invalid', sentence, { fields: { [flag]: [sentence] } })
}
