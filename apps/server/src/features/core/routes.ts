import { createSocketTicket, getDashInfo, getHealth, getVersion } from '@muster/contract/api/core'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../context.ts'
import { VERSION } from '../../platform/config/version.ts'
import { mayDo } from '../../platform/http/caller.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { createTicket, TICKET_SECONDS } from '../sessions/socket-tickets.ts'
import { readCoreSettings } from '../settings/queries.ts'
import { findPreferences } from '../users/queries.ts'
import { isSetupOpen } from '../clients/finish-setup.ts'
import { viewDashInfo } from './view.ts'

export function coreRoutes(api: Api, ctx: Context): void {
  route(api, getDashInfo, async ({ caller }) =>
    viewDashInfo({
      preferences: await findPreferences(ctx.db, caller.userId),
      caller,
      setupOpen: await isSetupOpen(ctx.db),
      settings: await readCoreSettings(ctx.db),
    }),
  )

  route(api, getVersion, async () => VERSION)

  route(api, createSocketTicket, async ({ caller }) => ({
    ticket: await createTicket(ctx, caller),
    expires_in: TICKET_SECONDS,
  }))

  route(api, getHealth, async () => ({ status: 'ok' as const }))

  // Prometheus does not sign in: open to programs on this machine, to others as any endpoint.
  const summary = 'Figures of this process as Prometheus text'
  api.fastify.get('/metrics', { config: { summary } }, async (request, reply) => {
    if (!isLocal(request.ip, request.headers)) {
      const caller = await api.authenticate(request, reply)
      if (caller === undefined) throw new AppError('not_signed_in', 'Sign in first.')
      if (!mayDo(caller, 'can_view_core_settings')) {
        throw new AppError('not_allowed', 'Your role does not allow this (can_view_core_settings).')
      }
    }
    const { type, text } = await api.metrics.read()
    return reply.type(type).header('cache-control', 'no-store').send(text)
  })
}

/** Straight from this machine, and not handed on by a proxy on it. */
function isLocal(source: string, headers: Record<string, unknown>): boolean {
  const isLoopback = source === '::1' || /^(::ffff:)?127\./.test(source)
  return isLoopback && headers['x-forwarded-for'] === undefined && headers['forwarded'] === undefined
}
