import { AppError } from '@muster/contract/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { networkOf } from '../../platform/http/sign-in-gate.ts'
import { digestOf, newToken } from '../../platform/secrets/secrets.ts'
import { equalTexts, type SessionCookies } from '../users/sessions/session-cookies.ts'

/** How long a user may take at the provider. */
const ATTEMPT_SECONDS = 10 * 60
/** Unfinished sign-ins of one network. An office may share one address. */
const MAX_PER_NETWORK = 200

interface Sealed {
  verifier: string
  nonce: string
  callback: string
}

/** Stores the start of a sign-in, bound to this browser: a link from another browser cannot finish it. */
export async function storeAttempt(
  { ctx, cookies }: { ctx: Context; cookies: SessionCookies },
  { providerId, state, sealed }: { providerId: number; state: string; sealed: Sealed },
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<void> {
  // Several tabs of a browser may sign in at once.
  const known = cookies.findSso(request)
  const browser = known !== undefined && known.length <= MAX_COOKIE_LENGTH ? known : newToken()
  await ctx.db
    .insertInto('sso_attempts')
    .values({
      digest: digestOf(state),
      provider_id: providerId,
      browser_digest: digestOf(browser),
      sealed: ctx.secrets.encrypt(JSON.stringify(sealed)),
      source: networkOf(request.ip),
      expires_at: new Date(ctx.now().getTime() + ATTEMPT_SECONDS * 1000).toISOString(),
    })
    .execute()
  cookies.setSso(reply, browser, ATTEMPT_SECONDS)
}

const MAX_COOKIE_LENGTH = 100

export async function refuseTooMany({ db, now }: Context, ip: string): Promise<void> {
  const { count } = await db
    .selectFrom('sso_attempts')
    .where('source', '=', networkOf(ip))
    .where('expires_at', '>', now().toISOString())
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  if (Number(count) < MAX_PER_NETWORK) return
  throw new AppError('too_many_requests', 'Too many sign-ins are waiting. Try again in ten minutes.', {
    retryAfterSeconds: ATTEMPT_SECONDS,
  })
}

/** Consumes the sign-in of this state. Throws if there is none, it has expired, or another browser started it. */
export async function takeAttempt(
  { ctx, cookies }: { ctx: Context; cookies: SessionCookies },
  state: string,
  request: FastifyRequest,
): Promise<Sealed & { providerId: number }> {
  const taken = await ctx.db
    .deleteFrom('sso_attempts')
    .where('digest', '=', digestOf(state))
    .returning(['provider_id', 'browser_digest', 'sealed', 'expires_at'])
    .executeTakeFirst()
  const browser = cookies.findSso(request)
  if (
    taken === undefined ||
    taken.expires_at <= ctx.now().toISOString() ||
    browser === undefined ||
    !equalTexts(digestOf(browser), taken.browser_digest)
  )
    throw new AppError('invalid', 'This sign-in has expired or was used before. Sign in again.')
  // Written by storeAttempt.
  return { ...(JSON.parse(ctx.secrets.decrypt(taken.sealed)) as Sealed), providerId: taken.provider_id }
}
