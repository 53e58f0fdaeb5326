import type { AuditAction, AuditObject } from '@muster/contract/api/audit'
import type { Event } from '@muster/contract/events'
import type { Caller } from '../../platform/http/caller.ts'
import type { Insertable } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import { insertRows } from '../../platform/database/json-rows.ts'
import { chunk } from '../../platform/database/sql.ts'
import type { AuditLogTable } from '../../platform/database/tables/audit.ts'

/** A row of the audit log. Its machine, site or client determines who may see it. */
export interface AuditInput {
  caller: Pick<Caller, 'username' | 'source' | 'apiKey'>
  action: AuditAction
  object_type: AuditObject
  /**
   * Past tense + object, names in quotes, no final period: `Renamed the client "Acme" to "Cedar"`. `caller` is the
   * subject.
   */
  message: string
  before?: unknown
  after?: unknown
  agent?: { agent_id: string; hostname?: string }
  site?: { id: number; name?: string }
  client?: { id: number; name?: string }
  /** Default: now. */
  at?: Date
  /** The transaction's emit, to update open audit screens. */
  emit?: (event: Event) => void
}

const MAX_MESSAGE_LENGTH = 1000

/**
 * Adds a row to the audit log, in the transaction of the change itself. It reads names, so call it before the
 * object is deleted. Secrets in `before` and `after` are masked.
 *
 *     await audit(tx, { caller, action: 'modify', object_type: 'client', message: `Renamed the client to "${name}"`, before, after, client: { id }, emit })
 */
export async function audit(db: Db, input: AuditInput): Promise<void> {
  const location = await findLocation(db, input)
  const { id } = await db
    .insertInto('audit_log')
    .values(auditRow(input, location))
    .returning('id')
    .executeTakeFirstOrThrow()
  input.emit?.({
    type: 'audit.added',
    ids: [id],
    ...(location.agent_id === null ? {} : { agent_ids: [location.agent_id] }),
  })
}

/** Adds rows about many machines at once. Each names its machine, site and client, so nothing is read. */
export async function auditEach(
  db: Db,
  inputs: readonly Omit<AuditInput, 'emit'>[],
  emit: (event: Event) => void,
): Promise<void> {
  for (const some of chunk(inputs)) {
    const rows = await insertRows(
      db,
      'audit_log',
      some.map((input) => auditRow(input, locationOf(input))),
    )
      .returning(['id', 'agent_id'])
      .execute()
    const agentIds = rows.flatMap(({ agent_id }) => agent_id ?? [])
    emit({
      type: 'audit.added',
      ids: rows.map(({ id }) => id),
      ...(agentIds.length === rows.length && { agent_ids: agentIds }),
    })
  }
}

function auditRow(input: Omit<AuditInput, 'emit'>, location: Location): Insertable<AuditLogTable> {
  return {
    entry_time: (input.at ?? new Date()).toISOString(),
    username: input.caller.username,
    api_key: input.caller.apiKey?.name ?? null,
    action: input.action,
    object_type: input.object_type,
    message: input.message.slice(0, MAX_MESSAGE_LENGTH),
    before_value: input.before === undefined ? null : JSON.stringify(maskSecrets(input.before)),
    after_value: input.after === undefined ? null : JSON.stringify(maskSecrets(input.after)),
    ip_address: input.caller.source,
    ...location,
  }
}

interface Location {
  agent_id: string | null
  agent: string | null
  client_id: number | null
  client: string | null
  site_id: number | null
  site: string | null
}

async function findLocation(db: Db, input: AuditInput): Promise<Location> {
  const found = await findNames(db, input)
  return found === undefined ? locationOf(input) : { ...locationOf(input), ...found }
}

function locationOf({ agent, site, client }: Pick<AuditInput, 'agent' | 'site' | 'client'>): Location {
  return {
    agent_id: agent?.agent_id ?? null,
    agent: agent?.hostname ?? null,
    client_id: client?.id ?? null,
    client: client?.name ?? null,
    site_id: site?.id ?? null,
    site: site?.name ?? null,
  }
}

async function findNames(
  db: Db,
  { agent, site, client }: AuditInput,
): Promise<Partial<Location> | undefined> {
  if (agent !== undefined) {
    return db
      .selectFrom('agents')
      .innerJoin('sites', 'sites.id', 'agents.site_id')
      .innerJoin('clients', 'clients.id', 'sites.client_id')
      .where('agents.agent_id', '=', agent.agent_id)
      .select(['agents.hostname as agent', 'sites.id as site_id', 'sites.name as site'])
      .select(['clients.id as client_id', 'clients.name as client'])
      .executeTakeFirst()
  }
  if (site !== undefined) {
    return db
      .selectFrom('sites')
      .innerJoin('clients', 'clients.id', 'sites.client_id')
      .where('sites.id', '=', site.id)
      .select(['sites.name as site', 'clients.id as client_id', 'clients.name as client'])
      .executeTakeFirst()
  }
  if (client === undefined) return undefined
  return db.selectFrom('clients').where('id', '=', client.id).select('name as client').executeTakeFirst()
}

const INFINITIVE: Record<string, string> = {
  Added: 'add',
  Cancelled: 'cancel',
  Changed: 'change',
  Created: 'create',
  Deleted: 'delete',
  Disabled: 'disable',
  Edited: 'edit',
  Enabled: 'enable',
  Ended: 'end',
  Killed: 'kill',
  Locked: 'lock',
  Moved: 'move',
  Planned: 'plan',
  Refreshed: 'refresh',
  Renamed: 'rename',
  Restarted: 'restart',
  Scanned: 'scan',
  Sent: 'send',
  Set: 'set',
  Shut: 'shut',
  Signed: 'sign',
  Started: 'start',
  Stopped: 'stop',
  Uploaded: 'upload',
  Viewed: 'view',
}

/** The message of a failed action: `Restarted the machine` becomes `Failed to restart the machine`. */
export function failedTo(message: string): string {
  const [verb = '', ...rest] = message.split(' ')
  return ['Failed to', INFINITIVE[verb] ?? verb.toLowerCase(), ...rest].join(' ')
}

const SECRET_NAME = /passw|secret|token|totp|private|api_?key|cookie/i
const MASK = '••••••'
const MAX_TEXT_LENGTH = 10_000
const MAX_DEPTH = 8

/** Masks values under secret names and values of environment variables (`NAME=value`), and truncates long texts. */
function maskSecrets(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return cut(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return '…'
  if (Array.isArray(value)) return value.map((item) => maskSecrets(item, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, maskField(name, item, depth)]))
}

function maskField(name: string, value: unknown, depth: number): unknown {
  if (value === null || typeof value === 'boolean') return value
  if (SECRET_NAME.test(name)) return MASK
  if (name === 'env_vars' && Array.isArray(value)) return value.map(maskVariable)
  return maskSecrets(value, depth + 1)
}

function maskVariable(variable: unknown): string {
  const text = String(variable)
  const end = text.indexOf('=')
  return end < 0 ? MASK : `${text.slice(0, end)}=${MASK}`
}

function cut(text: string): string {
  if (text.length <= MAX_TEXT_LENGTH) return text
  return `${text.slice(0, MAX_TEXT_LENGTH)}… (${text.length - MAX_TEXT_LENGTH} more characters)`
}
