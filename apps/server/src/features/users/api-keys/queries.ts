import type { Selectable } from 'kysely'
import type { ApiKey } from '@muster/contract/api/api-keys'
import type { Db } from '../../../platform/database/database.ts'
import { chunk } from '../../../platform/database/sql.ts'
import type { ApiKeysTable } from '../../../platform/database/tables/users.ts'
import { digestOf } from '../../../platform/secrets/secrets.ts'
import type { Comparison } from '../accounts/write-user.ts'

export type ApiKeyRow = Omit<Selectable<ApiKeysTable>, 'digest' | 'old_digest'> & {
  role_name: string | null
  owner: { username: string; is_active: 0 | 1; is_superuser: 0 | 1; role_id: number | null }
  clientIds: number[]
}

/** All keys by name, or one. */
export async function findApiKeys(db: Db, id?: number): Promise<ApiKeyRow[]> {
  const rows = await db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .leftJoin('roles', 'roles.id', 'api_keys.role_id')
    .select(['api_keys.id', 'api_keys.name', 'user_id', 'old_until', 'api_keys.role_id', 'is_limited'])
    .select(['allowed_addresses', 'expires_at', 'last_used_at', 'last_used_source', 'api_keys.created_at'])
    .select(['roles.name as role_name', 'username', 'is_active', 'users.is_superuser'])
    .select('users.role_id as owner_role_id')
    .$if(id !== undefined, (query) => query.where('api_keys.id', '=', Number(id)))
    .orderBy('api_keys.name')
    .execute()
  const clients = await listKeyClients(
    db,
    rows.map((row) => row.id),
  )
  return rows.map(({ username, is_active, is_superuser, owner_role_id, ...row }) => ({
    ...row,
    owner: { username, is_active, is_superuser, role_id: owner_role_id },
    clientIds: clients.filter(({ api_key_id }) => api_key_id === row.id).map(({ client_id }) => client_id),
  }))
}

export async function listKeyClients(db: Db, keyIds: readonly number[]) {
  if (keyIds.length === 0) return []
  return db
    .selectFrom('api_key_clients')
    .selectAll()
    .where('api_key_id', 'in', keyIds)
    .orderBy('client_id')
    .execute()
}

export async function replaceKeyClients(tx: Db, id: number, clientIds: readonly number[]): Promise<void> {
  await tx.deleteFrom('api_key_clients').where('api_key_id', '=', id).execute()
  for (const slice of chunk([...new Set(clientIds)]))
    await tx
      .insertInto('api_key_clients')
      .values(slice.map((client_id) => ({ api_key_id: id, client_id })))
      .execute()
}

export function viewApiKey(
  row: ApiKeyRow,
  { comparison, now }: { comparison: Comparison; now: Date },
): ApiKey {
  const { owner } = row
  const mayChange = comparison.mayChange(owner)
  const isOldValid = row.old_until !== null && row.old_until > now.toISOString()
  return {
    ...viewKeyContent(row),
    id: row.id,
    user: row.user_id,
    username: owner.username,
    role_name: row.role_name,
    created_time: row.created_at,
    last_used: row.last_used_at,
    // Like sessions: addresses of superusers are visible only to superusers.
    last_used_ip: mayChange ? row.last_used_source : null,
    old_key_until: isOldValid ? row.old_until : null,
    blocked: owner.is_active === 0,
    may_change: mayChange,
    modified: modifiedOf(row),
  }
}

/** The editable settings of a key. */
export function viewKeyContent(row: ApiKeyRow) {
  return {
    name: row.name,
    expiration: row.expires_at,
    role: row.role_id,
    clients: row.is_limited === 1 ? row.clientIds : null,
    // Written as a JSON list of texts.
    allowed_addresses: JSON.parse(row.allowed_addresses) as string[],
  }
}

export function modifiedOf(row: ApiKeyRow): string {
  return digestOf(JSON.stringify(viewKeyContent(row))).slice(0, 32)
}
