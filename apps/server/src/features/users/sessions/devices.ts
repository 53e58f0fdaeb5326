import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../context.ts'
import type { SessionCookies } from './session-cookies.ts'

/**
 * A sealed cookie with the account that signed in with this browser. It grants no access: throttle.ts uses it to
 * distinguish the owner's browser from strangers who guess.
 */
export function findDevice(
  ctx: Context,
  cookies: SessionCookies,
  { request, username }: { request: FastifyRequest; username: string },
): string | undefined {
  const sealed = cookies.findDevice(request)
  if (sealed === undefined) return undefined
  try {
    const [id, owner] = ctx.secrets.decrypt(sealed).split(' ', 2)
    return owner === username ? id : undefined
  } catch {
    // Sealed with another key, or forged: an unknown browser.
    return undefined
  }
}

export function rememberDevice(
  ctx: Context,
  cookies: SessionCookies,
  { request, reply, username }: { request: FastifyRequest; reply: FastifyReply; username: string },
): void {
  if (findDevice(ctx, cookies, { request, username }) !== undefined) return
  cookies.setDevice(reply, ctx.secrets.encrypt(`${randomUUID()} ${username}`))
}
