import { randomUUID, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Session } from '@muster/contract/api/sessions'
import { XSRF_COOKIE } from '@muster/contract/client'
import type { Context } from '../../../context.ts'
import { digestOf, newToken } from '../../../platform/secrets/secrets.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import type { SessionRow } from './queries.ts'

/**
 * Documented for programs that sign in. Programs of others on the same host name use the name too, and their cookie may
 * be one that pages cannot read, so the console prefers the server's own.
 */
const SHARED_XSRF_COOKIE = 'XSRF-TOKEN'
const XSRF_VALUE = /^[A-Za-z0-9_-]{20,200}$/
const XSRF_HEADER = 'x-xsrf-token'
/** The maximum of browsers. The session row determines the actual lifetime. */
const COOKIE_SECONDS = 400 * 86_400

/** Sets and reads the cookies of signed-in browsers. */
export interface SessionCookies {
  /** Name of the HttpOnly cookie. */
  name: string
  find(request: FastifyRequest): string | undefined
  set(reply: FastifyReply, value: string): void
  clear(reply: FastifyReply): void
  /** Sets the XSRF cookies that the browser lacks, and replaces one of the server's own with another content. */
  keepXsrf(request: FastifyRequest, reply: FastifyReply): void
  /** Replaces the server's own XSRF cookie, which pages may be unable to read. */
  renewXsrf(reply: FastifyReply): void
  matchesXsrf(request: FastifyRequest): boolean
  /** The cookie of a browser in which an account signed in before, see devices.ts. */
  findDevice(request: FastifyRequest): string | undefined
  setDevice(reply: FastifyReply, value: string): void
  /** The cookie of a browser that is signing in with a provider. */
  findSso(request: FastifyRequest): string | undefined
  setSso(reply: FastifyReply, value: string, seconds: number): void
}

/**
 * Cookies ignore ports: two servers on one address would overwrite each other's, so their names end in letters of the
 * server's id. Servers share the XSRF cookies: only the repetition of their value in `X-XSRF-TOKEN` is checked, which is
 * not bound to a session.
 */
export async function openSessionCookies(ctx: Context): Promise<SessionCookies> {
  const suffix = digestOf(await requireInstanceId(ctx)).slice(0, 8)
  const secure = servesHttps(ctx)
  const prefix = secure ? '__Host-' : ''
  const name = `${prefix}muster-session-${suffix}`
  const shared = { path: '/', sameSite: 'strict', secure } as const
  const deviceName = `${prefix}muster-device-${suffix}`
  const ssoName = `${prefix}muster-sso-${suffix}`
  const xsrfName = `${prefix}${XSRF_COOKIE}`
  const setXsrf = (reply: FastifyReply, cookie: string) => {
    reply.setCookie(cookie, newToken(), { ...shared, maxAge: COOKIE_SECONDS })
  }
  return {
    name,
    findDevice: (request) => request.cookies[deviceName],
    setDevice: (reply, value) => {
      reply.setCookie(deviceName, value, { ...shared, httpOnly: true, maxAge: COOKIE_SECONDS })
    },
    findSso: (request) => request.cookies[ssoName],
    setSso: (reply, value, seconds) => {
      reply.setCookie(ssoName, value, { ...shared, httpOnly: true, maxAge: seconds })
    },
    find: (request) => request.cookies[name],
    set: (reply, value) => {
      reply.setCookie(name, value, { ...shared, httpOnly: true, maxAge: COOKIE_SECONDS })
    },
    clear: (reply) => {
      reply.clearCookie(name, { ...shared, httpOnly: true })
    },
    keepXsrf: (request, reply) => {
      if (!XSRF_VALUE.test(request.cookies[xsrfName] ?? '')) setXsrf(reply, xsrfName)
      if ((request.cookies[SHARED_XSRF_COOKIE] ?? '') === '') setXsrf(reply, SHARED_XSRF_COOKIE)
    },
    renewXsrf: (reply) => setXsrf(reply, xsrfName),
    matchesXsrf: (request) => {
      const header = request.headers[XSRF_HEADER]
      if (typeof header !== 'string' || header === '') return false
      // A page behind a proxy with TLS may read the cookie of another server on this host name.
      const names = [XSRF_COOKIE, `__Host-${XSRF_COOKIE}`, SHARED_XSRF_COOKIE]
      return names.some((one) => equalTexts(header, request.cookies[one] ?? ''))
    },
  }
}

export function equalTexts(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(digestOf(a)), Buffer.from(digestOf(b)))
}

function servesHttps({ config }: Context): boolean {
  return config.tls !== undefined || config.publicUrl?.startsWith('https:') === true
}

const INSTANCE_SETTING = 'instance_id'

async function requireInstanceId({ db }: Context): Promise<string> {
  await db
    .insertInto('settings')
    .values({ name: INSTANCE_SETTING, value: JSON.stringify(randomUUID()) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const row = await db
    .selectFrom('settings')
    .where('name', '=', INSTANCE_SETTING)
    .select('value')
    .executeTakeFirstOrThrow()
  return row.value
}

const SESSION_HOURS = 12
/** An expired session can still read for a while, so that nothing on screen is lost. */
export const GRACE_MINUTES = 5
/** Use extends a session. It is written at most this often. */
const EXTEND_EVERY_SECONDS = 60

type SessionAge = 'live' | 'grace' | 'over'

export function endOfSession(now: Date): string {
  return new Date(now.getTime() + SESSION_HOURS * 3_600_000).toISOString()
}

export function ageOfSession(expiresAt: string, now: Date): SessionAge {
  const past = now.getTime() - Date.parse(expiresAt)
  if (past < 0) return 'live'
  return past < GRACE_MINUTES * 60_000 ? 'grace' : 'over'
}

export function isDueToExtend(lastUsedAt: string, now: Date): boolean {
  return now.getTime() - Date.parse(lastUsedAt) >= EXTEND_EVERY_SECONDS * 1000
}

export function viewSession(row: SessionRow, caller: Caller): Session {
  return {
    digest: row.digest,
    user: row.username,
    created: row.created_at,
    expiry: row.expires_at,
    last_used: row.last_used_at,
    source: row.source,
    user_agent: row.user_agent,
    current: row.digest === caller.session?.digest,
  }
}
