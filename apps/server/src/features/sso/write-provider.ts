import type {
  createSsoProvider,
  editSsoProvider,
  SsoProvider,
  SsoProviderForm,
} from '@muster/contract/api/sso'
import { DEFAULT_SSO_SCOPE, SSO_CALLBACK_PATH } from '@muster/contract/api/sso'
import type { Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { Selectable } from 'kysely'
import type { Context } from '../../context.ts'
import type { InTransaction } from '../../hooks.ts'
import { claimName } from '../../platform/database/claim-name.ts'
import { changeRow, lockRow, refuseTaken, requireRow, takenName } from '../../platform/database/change-row.ts'
import type { Db } from '../../platform/database/database.ts'
import type { SsoProvidersTable } from '../../platform/database/tables/sso.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { audit } from '../audit/write-audit.ts'
import { holdRights } from '../users/accounts/queries.ts'
import { openComparison, requireMayGive } from '../users/accounts/write-user.ts'
import { endSessionsOfAccounts } from './accounts.ts'
import { type ClientOfProvider, describeProviderError, openProvider } from './provider-client.ts'

type Columns = Selectable<SsoProvidersTable>
export type ProviderRow = Columns & { roles: { value: string; role: number }[] }

/** All providers by name. */
export async function findProviders(
  db: Db,
  only: { id?: number; name?: string } = {},
): Promise<ProviderRow[]> {
  let query = db.selectFrom('sso_providers').selectAll().orderBy('name')
  if (only.id !== undefined) query = query.where('id', '=', only.id)
  if (only.name !== undefined) query = query.where('name', '=', only.name)
  const rows = await query.execute()
  const roles = await db.selectFrom('sso_provider_roles').selectAll().orderBy('position').execute()
  return rows.map((row) => ({
    ...row,
    roles: roles
      .filter(({ provider_id }) => provider_id === row.id)
      .map(({ value, role_id }) => ({ value, role: role_id })),
  }))
}

export async function requireProvider(db: Db, id: number): Promise<ProviderRow> {
  const [row] = await findProviders(db, { id })
  return requireRow(row, 'sign-in provider')
}

/** `url`: the address of the console. */
export async function viewProviders(
  db: Db,
  rows: readonly ProviderRow[],
  url: string,
): Promise<SsoProvider[]> {
  const counts = await db
    .selectFrom('sso_accounts')
    .select((eb) => ['provider_id', eb.fn.count<number>('user_id').distinct().as('count')])
    .groupBy('provider_id')
    .execute()
  return rows.map((row) => ({
    ...formOf(row),
    id: row.id,
    has_secret: row.secret !== null,
    callback_url: `${url}${SSO_CALLBACK_PATH}`,
    javascript_origin_url: url,
    users: Number(counts.find(({ provider_id }) => provider_id === row.id)?.count ?? 0),
    modified: row.modified,
  }))
}

export async function addProvider(
  ctx: Context,
  caller: Caller,
  body: Parsed<typeof createSsoProvider>['body'],
): Promise<ProviderRow> {
  refuseOthers(caller)
  const { server_url, client_id, secret } = body
  const sent: Form = {
    name: body.name,
    server_url,
    client_id,
    scope: body.scope ?? DEFAULT_SSO_SCOPE,
    role: body.role ?? null,
    role_claim: body.role_claim ?? '',
    role_map: body.role_map ?? [],
    link_by_email: body.link_by_email ?? false,
    sign_out: body.sign_out ?? false,
  }
  refuseUselessMap(sent)
  await refuseUnreadable(ctx, { issuer: server_url, client_id, secret: secret || undefined })
  const taken = takenName('A sign-in provider', body.name)
  return refuseTaken(taken, () =>
    ctx.transaction(async (tx, emit) => {
      await holdRights(tx, {})
      await requireRoles(tx, caller, sent)
      const name = await claimName(tx, { table: 'sso_providers', name: body.name, taken })
      const form = { ...sent, name }
      const { id } = await tx
        .insertInto('sso_providers')
        .values({
          ...columnsOf(form),
          name,
          secret: secret === '' ? null : ctx.secrets.encrypt(secret),
          modified: ctx.now().toISOString(),
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      await storeRoles(tx, id, form)
      await log({ ctx, tx, emit }, caller, { action: 'add', done: 'Added', after: form }, form.name)
      return requireProvider(tx, id)
    }),
  )
}

export async function changeProvider(
  ctx: Context,
  caller: Caller,
  { id, modified: loaded, secret, ...change }: Parsed<typeof editSsoProvider>['body'] & { id: number },
): Promise<ProviderRow> {
  refuseOthers(caller)
  const old = await requireProvider(ctx.db, id)
  const { server_url: issuer = old.issuer, client_id = old.client_id } = change
  if (issuer !== old.issuer || client_id !== old.client_id)
    await refuseUnreadable(ctx, { issuer, client_id, secret: secret ?? secretOf(ctx, old) })
  return changeRow(
    ctx,
    {
      taken: takenName('A sign-in provider', ''),
      loaded,
      lock: async (tx) => {
        await holdRights(tx, {})
        await lockRow(tx, 'sso_providers', 'id', id)
        return requireProvider(tx, id)
      },
    },
    async ({ tx, emit, before, modified }) => {
      const was = formOf(before)
      const given = Object.entries(change).filter(([, value]) => value !== undefined)
      // Values of the form that passed its schema.
      const form: Form = { ...was, ...(Object.fromEntries(given) as Partial<Form>) }
      refuseUselessMap(form)
      await requireRoles(tx, caller, form)
      await tx
        .updateTable('sso_providers')
        .set({
          ...columnsOf(form),
          ...(secret === undefined ? {} : { secret: secret === '' ? null : ctx.secrets.encrypt(secret) }),
          modified,
        })
        .where('id', '=', id)
        .execute()
      await storeRoles(tx, id, form)
      const more = secret === undefined ? '' : ', with a new secret'
      await log(
        { ctx, tx, emit },
        caller,
        { action: 'modify', done: 'Changed', before: was, after: form, more },
        form.name,
      )
      return requireProvider(tx, id)
    },
  )
}

/** Deletes the accounts too: users who have no other one need a new password. */
export async function removeProvider(ctx: Context, caller: Caller, id: number): Promise<void> {
  refuseOthers(caller)
  await ctx.transaction(async (tx, emit) => {
    await lockRow(tx, 'sso_providers', 'id', id)
    const row = await requireProvider(tx, id)
    const accounts = await tx
      .selectFrom('sso_accounts')
      .where('provider_id', '=', id)
      .select(['id', 'user_id'])
      .execute()
    await endSessionsOfAccounts(tx, emit, accounts)
    await tx.deleteFrom('sso_providers').where('id', '=', id).execute()
    await log({ ctx, tx, emit }, caller, { action: 'delete', done: 'Deleted', before: formOf(row) }, row.name)
    emit({ type: 'user.changed', ids: [...new Set(accounts.map(({ user_id }) => user_id))] })
  })
}

export function secretOf({ secrets }: Context, { secret }: Pick<Columns, 'secret'>): string | undefined {
  return secret === null ? undefined : secrets.decrypt(secret)
}

/** Providers decide who is signed in as whom, so they are as powerful as superusers. */
function refuseOthers(caller: Caller): void {
  if (!caller.isSuperuser) throw new AppError('not_allowed', 'Only superusers may change sign-in providers.')
}

async function refuseUnreadable(ctx: Context, client: ClientOfProvider): Promise<void> {
  try {
    await openProvider(client, ctx.config.channelTargets)
  } catch (cause) {
    const sentence = `The provider cannot be read: ${describeProviderError(cause)}`
    throw new AppError('invalid', sentence, { fields: { server_url: [sentence] }, cause })
  }
}

function refuseUselessMap({ role_claim, role_map }: Form): void {
  if (role_map.length === 0 || role_claim !== '') return
  const sentence = 'Enter the claim whose values give roles.'
  throw new AppError('invalid', sentence, { fields: { role_claim: [sentence] } })
}

async function requireRoles(tx: Db, caller: Caller, { role, role_map }: Form): Promise<void> {
  const comparison = await openComparison(tx, caller)
  for (const one of [...(role === null ? [] : [role]), ...role_map.map((row) => row.role)])
    requireMayGive(comparison, one)
}

async function storeRoles(tx: Db, id: number, { role_map }: Form): Promise<void> {
  await tx.deleteFrom('sso_provider_roles').where('provider_id', '=', id).execute()
  if (role_map.length === 0) return
  await tx
    .insertInto('sso_provider_roles')
    .values(
      role_map.map(({ value, role }, position) => ({ provider_id: id, position, value, role_id: role })),
    )
    .execute()
}

type Form = Omit<SsoProviderForm, 'secret'>

function formOf(row: ProviderRow): Form {
  return {
    name: row.name,
    server_url: row.issuer,
    client_id: row.client_id,
    scope: row.scope,
    role: row.role_id,
    role_claim: row.role_claim,
    role_map: row.roles,
    link_by_email: row.link_by_email === 1,
    sign_out: row.sign_out === 1,
  }
}

function columnsOf({ server_url, client_id, scope, role, role_claim, link_by_email, sign_out }: Form) {
  const flag = (isOn: boolean): 0 | 1 => (isOn ? 1 : 0)
  return {
    issuer: server_url,
    client_id,
    scope,
    role_id: role,
    role_claim,
    link_by_email: flag(link_by_email),
    sign_out: flag(sign_out),
  }
}

async function log(
  { ctx, tx, emit }: InTransaction,
  caller: Caller,
  change: { action: 'add' | 'modify' | 'delete'; done: string; before?: Form; after?: Form; more?: string },
  name: string,
): Promise<void> {
  const { action, done, before, after, more = '' } = change
  await audit(tx, {
    caller,
    action,
    object_type: 'ssoprovider',
    message: `${done} the sign-in provider "${name}"${more}`,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    at: ctx.now(),
    emit,
  })
  emit({ type: 'sso_provider.changed', ids: [] })
}
