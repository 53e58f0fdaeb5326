import type { ApiKey, createApiKey, editApiKey, ShownApiKey } from '@muster/contract/api/api-keys'
import type { Parsed } from '@muster/contract/endpoint'
import { isTemplateRole } from '@muster/contract/built-in-roles'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import { claimName } from '../../../platform/database/claim-name.ts'
import {
  lockRow,
  refuseStale,
  refuseTaken,
  requireRow,
  takenName,
} from '../../../platform/database/change-row.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { digestOf, newToken } from '../../../platform/secrets/secrets.ts'
import { audit } from '../../audit/write-audit.ts'
import { openComparison, requireMayChange, requireUser, TEMPLATE_REFUSAL } from '../accounts/write-user.ts'
import { countKnown } from '../roles/queries.ts'
import { readRange } from './address-ranges.ts'
import {
  type ApiKeyRow,
  findApiKeys,
  modifiedOf,
  replaceKeyClients,
  viewApiKey,
  viewKeyContent,
} from './queries.ts'

const HOUR_MS = 3_600_000
const taken = (name: string) => takenName('An API key', name)
/** Scanners of secrets find keys by it. */
const newKey = () => `muster_${newToken()}`

export async function addApiKey(
  ctx: Context,
  caller: Caller,
  { user, ...body }: Parsed<typeof createApiKey>['body'],
): Promise<ShownApiKey> {
  const key = newKey()
  return refuseTaken(taken(body.name), () =>
    ctx.transaction(async (tx, emit) => {
      const comparison = await openComparison(tx, caller)
      const owner = await requireUser(tx, user)
      requireMayChange(comparison, owner)
      await refuseInvalid(tx, caller, { changes: body, now: ctx.now() })
      const name = await claimName(tx, { table: 'api_keys', name: body.name, taken: taken(body.name) })
      const { id } = await tx
        .insertInto('api_keys')
        .values({
          ...columnsOf({ ...body, name }),
          user_id: user,
          digest: digestOf(key),
          created_at: ctx.now().toISOString(),
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      await replaceKeyClients(tx, id, body.clients ?? [])
      const row = await requireKey(tx, id)
      await audit(tx, {
        caller,
        action: 'add',
        object_type: 'apikey',
        message: `Added the API key "${row.name}" of "${owner.username}"`,
        after: auditValues(row),
        at: ctx.now(),
        emit,
      })
      emit({ type: 'api_key.changed', ids: [id] })
      return { ...viewApiKey(row, { comparison, now: ctx.now() }), key }
    }),
  )
}

export async function changeApiKey(
  ctx: Context,
  caller: Caller,
  { id, body: { modified, ...changes } }: { id: number; body: Parsed<typeof editApiKey>['body'] },
): Promise<ApiKey> {
  return refuseTaken(taken(changes.name ?? ''), () =>
    changeKey(ctx, caller, id, async ({ tx, before }) => {
      refuseStale({ name: before.name, modified: modifiedOf(before) }, modified)
      const was = viewKeyContent(before)
      await refuseInvalid(tx, caller, { changes, was, now: ctx.now() })
      const claim = {
        table: 'api_keys',
        name: changes.name ?? before.name,
        taken: taken(changes.name ?? ''),
        before,
      } as const
      const name = await claimName(tx, claim)
      await tx
        .updateTable('api_keys')
        .set(columnsOf({ ...changes, name }, was))
        .where('id', '=', id)
        .execute()
      if (changes.clients !== undefined) await replaceKeyClients(tx, id, changes.clients ?? [])
      return `Changed the API key "${before.name}"`
    }),
  )
}

/** Returns the new key. The old one works for some more hours, and one that it had replaced no longer. */
export async function replaceApiKey(
  ctx: Context,
  caller: Caller,
  { id, hours }: { id: number; hours: number },
): Promise<ShownApiKey> {
  const key = newKey()
  const until = new Date(ctx.now().getTime() + hours * HOUR_MS).toISOString()
  const changed = await changeKey(ctx, caller, id, async ({ tx, before }) => {
    await tx
      .updateTable('api_keys')
      .set((eb) => ({ old_digest: eb.ref('digest'), old_until: until, digest: digestOf(key) }))
      .where('id', '=', id)
      .execute()
    return `Rotated the API key "${before.name}" with an overlap of ${hours} hours`
  })
  return { ...changed, key }
}

async function changeKey(
  ctx: Context,
  caller: Caller,
  id: number,
  write: (change: { tx: Db; before: ApiKeyRow }) => Promise<string>,
): Promise<ApiKey> {
  return ctx.transaction(async (tx, emit) => {
    await lockRow(tx, 'api_keys', 'id', id)
    const before = await requireKey(tx, id)
    const comparison = await openComparison(tx, caller)
    requireMayChange(comparison, before.owner)
    const message = await write({ tx, before })
    const row = await requireKey(tx, id)
    await audit(tx, {
      caller,
      action: 'modify',
      object_type: 'apikey',
      message,
      before: auditValues(before),
      after: auditValues(row),
      at: ctx.now(),
      emit,
    })
    emit({ type: 'api_key.changed', ids: [id] })
    return viewApiKey(row, { comparison, now: ctx.now() })
  })
}

export async function removeApiKey(ctx: Context, caller: Caller, id: number): Promise<void> {
  await ctx.transaction(async (tx, emit) => {
    await lockRow(tx, 'api_keys', 'id', id)
    const row = await requireKey(tx, id)
    requireMayChange(await openComparison(tx, caller), row.owner)
    await audit(tx, {
      caller,
      action: 'delete',
      object_type: 'apikey',
      message: `Deleted the API key "${row.name}" of "${row.owner.username}"`,
      before: auditValues(row),
      at: ctx.now(),
      emit,
    })
    await tx.deleteFrom('api_keys').where('id', '=', id).execute()
    emit({ type: 'api_key.changed', ids: [id] })
  })
}

async function requireKey(db: Db, id: number): Promise<ApiKeyRow> {
  const [row] = await findApiKeys(db, id)
  return requireRow(row, 'API key')
}

type Content = ReturnType<typeof viewKeyContent>
type Changes = { [Name in keyof Content]?: Content[Name] | undefined }

async function refuseInvalid(
  tx: Db,
  caller: Caller,
  { changes, was, now }: { changes: Changes; was?: Content; now: Date },
): Promise<void> {
  const refuse = (field: keyof Content, sentence: string) => {
    throw new AppError('invalid', sentence, { fields: { [field]: [sentence] } })
  }
  const { expiration, role, clients, allowed_addresses: addresses } = changes
  if (expiration != null && expiration !== was?.expiration && expiration <= now.toISOString())
    refuse('expiration', 'Choose a time in the future.')
  const wrong = addresses?.find((text) => readRange(text) === undefined)
  if (wrong !== undefined)
    refuse('allowed_addresses', `"${wrong}" is not an address or a network such as 203.0.113.0/24.`)
  if (role != null) {
    // Also keeps the role until the end of the transaction.
    const known = await tx
      .updateTable('roles')
      .set((eb) => ({ name: eb.ref('name') }))
      .where('id', '=', role)
      .returning('built_in')
      .executeTakeFirst()
    if (known === undefined) return refuse('role', 'This role no longer exists.')
    if (isTemplateRole(known.built_in)) refuse('role', TEMPLATE_REFUSAL)
  }
  if (clients != null) {
    const { scope } = caller
    const isVisible = (id: number) =>
      scope.all || scope.clientIds.includes(id) || was?.clients?.includes(id) === true
    const ids = [...new Set(clients)]
    if (!ids.every(isVisible) || (await countKnown(tx, 'clients', ids)) < ids.length)
      refuse('clients', 'One of these clients no longer exists.')
  }
}

const EMPTY: Content = { name: '', expiration: null, role: null, clients: null, allowed_addresses: [] }

function columnsOf(changes: Changes, was: Content = EMPTY) {
  const clients = changes.clients === undefined ? was.clients : changes.clients
  return {
    name: changes.name ?? was.name,
    expires_at: changes.expiration === undefined ? was.expiration : changes.expiration,
    role_id: changes.role === undefined ? was.role : changes.role,
    is_limited: clients === null ? (0 as const) : (1 as const),
    allowed_addresses: JSON.stringify(changes.allowed_addresses ?? was.allowed_addresses),
  }
}

/** For the audit log, with the name of the role. */
function auditValues(row: ApiKeyRow) {
  return { ...viewKeyContent(row), role: row.role_name, owner: row.owner.username, old_until: row.old_until }
}
