import { randomUUID } from 'node:crypto'
import { TASK_DEFAULTS } from '@muster/contract/api/tasks'
import type { Permission } from '@muster/contract/permissions'
import type { Insertable, Selectable } from 'kysely'
import { Secret } from 'otpauth'
import type { Context } from '../context.ts'
import { usualAlert } from '../features/agents/availability.ts'
import { endOfSession, openSessionCookies } from '../features/users/sessions/session-cookies.ts'
import { readCoreSettings } from '../platform/config/core-settings.ts'
import { toColumns } from '../features/tasks/task-columns.ts'
import type { Database } from '../platform/database/database.ts'
import { hashPassword } from '../platform/secrets/passwords.ts'
import { digestOf, newToken } from '../platform/secrets/secrets.ts'

type Row<Table extends keyof Database> = Selectable<Database[Table]>
type NewRow<Table extends keyof Database> = Insertable<Database[Table]>

export interface TestUser {
  id: number
  username: string
  roleId: number | null
  token: string
  sessionDigest: string
  cookies: Iterable<[string, string]>
  /** base32, set if `totp` was given. */
  totpKey: string | undefined
}

export interface UserOptions {
  username?: string
  /** Hashing takes time. Without a password the user cannot sign in by password. */
  password?: string
  superuser?: boolean
  permissions?: readonly Permission[]
  /** Ids of the only clients and sites within the role's scope. */
  clients?: readonly number[]
  sites?: readonly number[]
  totp?: boolean
  totpRequired?: boolean
  /** The role requires a new code before remote tools. */
  codeForRemote?: boolean
  fields?: Partial<NewRow<'users'>>
}

export interface TestKey {
  id: number
  name: string
  /** The value of X-API-KEY. */
  key: string
}

export interface KeyOptions {
  /** A role with only these permissions narrows the key. */
  permissions?: readonly Permission[]
  /** Ids of the only visible clients. */
  clients?: readonly number[]
  fields?: Partial<NewRow<'api_keys'>>
}

/** Inserts rows into the database, bypassing the API: `await server.given.agent({ hostname: 'PC-12' })`. */
export interface Given {
  /** A signed-in user. By default without permissions. */
  user(options?: UserOptions): Promise<TestUser>
  anotherSignIn(user: TestUser): Promise<TestUser>
  /** A key of this user with all of the user's rights, unless it is narrowed. */
  apiKey(user: Pick<TestUser, 'id'>, options?: KeyOptions): Promise<TestKey>
  client(fields?: Partial<NewRow<'clients'>>): Promise<Row<'clients'>>
  site(fields?: Partial<NewRow<'sites'>>): Promise<Row<'sites'>>
  agent(fields?: Partial<NewRow<'agents'>>): Promise<Row<'agents'>>
  script(fields?: Partial<NewRow<'scripts'>>): Promise<Row<'scripts'>>
  /** A ping check by default. */
  check(fields?: Partial<NewRow<'checks'>>): Promise<Row<'checks'>>
  /** A manual task that runs `true` by default. */
  task(fields?: Partial<NewRow<'tasks'>>): Promise<Row<'tasks'>>
}

export async function createGiven(ctx: Context): Promise<Given> {
  const { db } = ctx
  const { name: cookieName } = await openSessionCookies(ctx)
  let count = 0
  const next = () => String((count += 1))
  const now = () => ctx.now().toISOString()
  const given: Given = {
    user: async (options = {}) => {
      const totpKey = options.totp === true ? new Secret({ size: 20 }).base32 : undefined
      const roleId = await insertRole(ctx, options, `role ${next()}`)
      const user = await db
        .insertInto('users')
        .values({
          username: options.username ?? `user${next()}`,
          password_hash: options.password === undefined ? 'none' : await hashPassword(options.password),
          role_id: roleId,
          is_superuser: options.superuser === true ? 1 : 0,
          totp_key: totpKey === undefined ? null : ctx.secrets.encrypt(totpKey),
          totp_confirmed: totpKey === undefined ? 0 : 1,
          created_at: now(),
          ...options.fields,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      const session = await insertSession(ctx, user.id, cookieName)
      return { id: user.id, username: user.username, roleId, totpKey, ...session }
    },
    anotherSignIn: async (user) => ({ ...user, ...(await insertSession(ctx, user.id, cookieName)) }),
    apiKey: async (user, options = {}) => {
      const key = `muster_${newToken()}`
      const { permissions, clients } = options
      const name = `key ${next()}`
      const row = await db
        .insertInto('api_keys')
        .values({
          name,
          user_id: user.id,
          digest: digestOf(key),
          role_id:
            permissions === undefined ? null : await insertRole(ctx, { permissions }, `role ${next()}`),
          is_limited: clients === undefined ? 0 : 1,
          created_at: now(),
          ...options.fields,
        })
        .returning(['id', 'name'])
        .executeTakeFirstOrThrow()
      for (const client_id of clients ?? [])
        await db.insertInto('api_key_clients').values({ api_key_id: row.id, client_id }).execute()
      return { ...row, key }
    },
    client: (fields = {}) =>
      db
        .insertInto('clients')
        .values({ name: `Client ${next()}`, created_at: now(), ...fields })
        .returningAll()
        .executeTakeFirstOrThrow(),
    site: async (fields = {}) =>
      db
        .insertInto('sites')
        .values({
          client_id: fields.client_id ?? (await given.client()).id,
          name: `Site ${next()}`,
          created_at: now(),
          ...fields,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),
    agent: async (fields = {}) =>
      db
        .insertInto('agents')
        .values({
          agent_id: randomUUID().replaceAll('-', ''),
          site_id: fields.site_id ?? (await given.site()).id,
          public_key: newToken(),
          machine_key: digestOf(randomUUID()),
          monitoring_type: 'workstation',
          hostname: `PC-${next()}`,
          plat: 'linux',
          arch: 'amd64',
          created_at: now(),
          modified: now(),
          overdue_dashboard_alert: usualAlert(
            await readCoreSettings(db),
            fields.monitoring_type ?? 'workstation',
          ),
          // A value given by the test is the machine's own setting.
          ...(fields.overdue_dashboard_alert !== undefined && {
            setting_sources: JSON.stringify({
              overdue_dashboard_alert: { own: fields.overdue_dashboard_alert },
            }),
          }),
          ...fields,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),
    script: (fields = {}) =>
      db
        .insertInto('scripts')
        .values({
          name: `Script ${next()}`,
          description: '',
          category: '',
          shell: 'shell',
          script_type: 'userdefined',
          args: '[]',
          env_vars: '[]',
          filename: '',
          syntax: '',
          script_body: 'echo hello',
          script_hash: digestOf('echo hello'),
          default_timeout: 90,
          supported_platforms: '[]',
          favorite: 0,
          hidden: 0,
          run_as_user: 0,
          created_at: now(),
          modified: now(),
          ...fields,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),
    check: async (fields = {}) =>
      db
        .insertInto('checks')
        .values({
          agent_id: fields.agent_id ?? (await given.agent()).agent_id,
          check_type: 'ping',
          settings: JSON.stringify({ name: `Host ${next()}`, ip: '127.0.0.1', alert_severity: 'warning' }),
          only_key: null,
          script_id: null,
          fails_b4_alert: 1,
          run_interval: 0,
          revision: 'ping.1',
          created_at: now(),
          modified: now(),
          modified_by: 'ada',
          ...fields,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),
    task: async (fields = {}) =>
      db
        .insertInto('tasks')
        .values({
          agent_id: fields.agent_id ?? (await given.agent()).agent_id,
          name: `Task ${next()}`,
          task_type: 'manual',
          enabled: 1,
          settings: toColumns({ ...TASK_DEFAULTS, name: '', task_type: 'manual', actions: [] }).settings,
          actions: JSON.stringify([
            { type: 'cmd', command: 'true', shell: 'sh', custom_shell: null, timeout: 30 },
          ]),
          alert_severity: 'info',
          assigned_check: null,
          counts_from: now(),
          revision: 'r1',
          version: 0,
          created_at: now(),
          modified: now(),
          modified_by: 'ada',
          ...fields,
        })
        .returningAll()
        .executeTakeFirstOrThrow(),
  }
  return given
}

async function insertRole({ db }: Context, options: UserOptions, name: string): Promise<number> {
  const { id } = await db
    .insertInto('roles')
    .values({
      name,
      permissions: JSON.stringify(options.permissions ?? []),
      totp_required: options.totpRequired === true ? 1 : 0,
      require_2fa_for_remote: options.codeForRemote === true ? 1 : 0,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  for (const clientId of options.clients ?? []) {
    await db.insertInto('role_clients').values({ role_id: id, client_id: clientId }).execute()
  }
  for (const siteId of options.sites ?? []) {
    await db.insertInto('role_sites').values({ role_id: id, site_id: siteId }).execute()
  }
  return id
}

async function insertSession(
  { db, now }: Context,
  userId: number,
  cookieName: string,
): Promise<Pick<TestUser, 'token' | 'sessionDigest' | 'cookies'>> {
  const token = newToken()
  const cookie = newToken()
  const sessionDigest = digestOf(token)
  await db
    .insertInto('sessions')
    .values({
      digest: sessionDigest,
      user_id: userId,
      cookie_digest: digestOf(cookie),
      created_at: now().toISOString(),
      expires_at: endOfSession(now()),
      last_used_at: now().toISOString(),
      source: '127.0.0.1',
      user_agent: 'test',
      code_at: null,
      proved_at: now().toISOString(),
    })
    .execute()
  return {
    token,
    sessionDigest,
    cookies: [
      [cookieName, cookie],
      ['XSRF-TOKEN', newToken()],
    ],
  }
}
