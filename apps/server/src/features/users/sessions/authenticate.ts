import { AppError } from '@muster/contract/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { digestOf } from '../../../platform/secrets/secrets.ts'
import { callerOf } from './find-caller.ts'
import { extendSession, findSessionUser, type SessionUser } from './queries.ts'
import { endOfSession, equalTexts, isDueToExtend, type SessionCookies } from './session-cookies.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
const TOKEN = /^[A-Za-z0-9_-]{20,200}$/

/**
 * Returns the caller of a request, or undefined without credentials. Throws for invalid ones: the token without its
 * cookie, no XSRF header on a write, an expired session.
 */
export async function authenticate(
  ctx: Context,
  cookies: SessionCookies,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<Caller | undefined> {
  const token = readToken(request)
  if (token === undefined) return undefined
  const found = await findSessionUser(ctx.db, digestOf(token))
  const caller = found === undefined ? undefined : await callerOf(ctx, found, request.ip)
  if (found === undefined || caller === undefined) throw ended()
  refuseWithoutCookie(cookies, request, found)
  const isRead = SAFE_METHODS.has(request.method)
  if (!isRead && caller.session?.inGrace === true) {
    throw new AppError('session_expired', 'Your session has expired. Sign in again. Nothing was changed.')
  }
  if (!isRead && !cookies.matchesXsrf(request)) {
    cookies.renewXsrf(reply)
    throw new AppError('bad_xsrf', 'The request lacks its XSRF token. Reload the page and try again.')
  }
  cookies.keepXsrf(request, reply)
  await extendOnUse(ctx, found, caller)
  return caller
}

function readToken(request: FastifyRequest): string | undefined {
  const header = request.headers.authorization
  if (header === undefined) return undefined
  const [scheme, token, ...rest] = header.trim().split(/ +/)
  if (scheme?.toLowerCase() !== 'token' || token === undefined || rest.length > 0) {
    throw new AppError('not_signed_in', 'The Authorization header must read: Token <token>.')
  }
  if (!TOKEN.test(token)) throw ended()
  return token
}

/** The token is in local storage, where scripts can read it. Without the HttpOnly cookie it is useless. */
function refuseWithoutCookie(cookies: SessionCookies, request: FastifyRequest, found: SessionUser): void {
  const cookie = cookies.find(request)
  if (cookie === undefined || !equalTexts(digestOf(cookie), found.cookie_digest)) throw ended()
}

/** The same words for a session that never existed, has ended, or lacks its cookie. */
function ended(): AppError {
  return new AppError('not_signed_in', 'Your session has ended. Sign in again.')
}

async function extendOnUse(ctx: Context, found: SessionUser, caller: Caller): Promise<void> {
  const now = ctx.now()
  if (caller.session === undefined || caller.session.inGrace) return
  if (!isDueToExtend(found.last_used_at, now)) return
  caller.session.expiresAt = endOfSession(now)
  await extendSession(ctx.db, found.digest, {
    last_used_at: now.toISOString(),
    expires_at: caller.session.expiresAt,
  })
}
