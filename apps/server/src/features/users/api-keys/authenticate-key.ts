import { AppError } from '@muster/contract/errors'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../../../context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { networkOf } from '../../../platform/http/sign-in-gate.ts'
import { digestOf } from '../../../platform/secrets/secrets.ts'
import { audit } from '../../audit/write-audit.ts'
import type { SessionCookies } from '../sessions/session-cookies.ts'
import { countFailure, refuseWhileBlocked } from '../sessions/throttle.ts'
import { isInRanges } from './address-ranges.ts'
import { findKeyUser, keyCallerOf, type KeyUser, refusalOfKey } from './find-key-caller.ts'

const KEY = /^[\w-]{20,200}$/
/** A use is written at most this often. */
const NOTE_EVERY_MS = 60_000
const MINUTE_MS = 60_000
/** Requests of one key to one server process. */
export const MAX_REQUESTS_PER_MINUTE = 1000

/**
 * The key of a request: `X-API-KEY`, or `Authorization: Bearer` for programs that send no header of another name.
 * Returns undefined for every other request.
 */
export function keyIn({ headers }: FastifyRequest): string | undefined {
  const key = headers['x-api-key']
  if (key !== undefined) return String(key)
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
}

export type KeyDesk = (request: FastifyRequest) => Promise<Caller>

/**
 * Returns the function that finds the caller of requests with a key. It throws for unknown, expired and blocked
 * keys, refused addresses and too many requests. Failures are throttled like those of signing in.
 */
export function openKeyDesk(ctx: Context, cookies: SessionCookies): KeyDesk {
  const rates = new Map<number, { startedMs: number; count: number }>()

  return async (request) => {
    const { authorization, 'x-api-key': header } = request.headers
    if (authorization !== undefined && header !== undefined)
      throw new AppError('invalid', 'Send either Authorization or X-API-KEY, not both.')
    // Only pages send it, and a key in a page is readable by all of its scripts.
    if (cookies.find(request) !== undefined)
      throw new AppError('invalid', 'Send the API key without the session cookie.')
    const key = await requireKey(request)
    const refusal = refusalOfKey(key, ctx.now())
    if (refusal !== undefined) throw new AppError('not_signed_in', refusal)
    await refuseAddress(key, request.ip)
    refuseTooMany(key.id)
    await noteUse(key, request.ip)
    return keyCallerOf(ctx, key, request.ip)
  }

  async function requireKey(request: FastifyRequest): Promise<KeyUser> {
    const { ip } = request
    const text = keyIn(request) ?? ''
    const found = KEY.test(text)
      ? await findKeyUser(ctx.db, { digest: digestOf(text), now: ctx.now() })
      : undefined
    if (found !== undefined) return found
    const keys = { account: `api-key:${networkOf(ip)}`, source: undefined }
    await refuseWhileBlocked(ctx, keys)
    await countFailure(ctx, keys)
    throw new AppError('not_signed_in', 'This API key is not known.')
  }

  async function refuseAddress(key: KeyUser, source: string): Promise<void> {
    // Written as a JSON list of texts.
    if (isInRanges(source, JSON.parse(key.allowed_addresses) as string[])) return
    const keys = { account: `api-key:${key.id}:${networkOf(source)}`, source: undefined }
    await refuseWhileBlocked(ctx, keys)
    await countFailure(ctx, keys)
    await audit(ctx.db, {
      caller: { ...(await keyCallerOf(ctx, key, source)) },
      action: 'failed_login',
      object_type: 'apikey',
      message: `Failed to use the API key "${key.name}" from an address that it does not allow`,
      at: ctx.now(),
      emit: ctx.emit,
    })
    throw new AppError('not_allowed', `This API key may not be used from ${source}.`)
  }

  /** In memory: a written count would make each read a write. */
  function refuseTooMany(id: number): void {
    const nowMs = ctx.now().getTime()
    const known = rates.get(id)
    const rate =
      known !== undefined && nowMs - known.startedMs < MINUTE_MS ? known : { startedMs: nowMs, count: 0 }
    rates.set(id, rate)
    rate.count += 1
    if (rate.count <= MAX_REQUESTS_PER_MINUTE) return
    const seconds = Math.max(1, Math.ceil((rate.startedMs + MINUTE_MS - nowMs) / 1000))
    throw new AppError(
      'too_many_requests',
      `This API key has sent ${MAX_REQUESTS_PER_MINUTE} requests within a minute. Try again in ${seconds} seconds.`,
      { retryAfterSeconds: seconds },
    )
  }

  async function noteUse({ id, last_used_at: last }: KeyUser, source: string): Promise<void> {
    const now = ctx.now()
    const before = new Date(now.getTime() - NOTE_EVERY_MS).toISOString()
    if (last !== null && last > before) return
    const result = await ctx.db
      .updateTable('api_keys')
      .set({ last_used_at: now.toISOString(), last_used_source: source })
      .where('id', '=', id)
      .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', before)]))
      .executeTakeFirst()
    if (Number(result.numUpdatedRows) === 1) ctx.emit({ type: 'api_key.changed', ids: [id] })
  }
}
