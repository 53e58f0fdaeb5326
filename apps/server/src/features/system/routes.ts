import { createSocketTicket, getDashInfo, getHealth, getVersion } from '@muster/contract/api/system'
import { AppError, PROXY_GUIDE_PATH } from '@muster/contract/errors'
import { timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { VERSION } from '../../platform/config/config.ts'
import { mayDo } from '../../platform/http/caller.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { digestOf } from '../../platform/secrets/secrets.ts'
import { hasBackupFailed } from '../backups/backup-state.ts'
import { serverUrl } from '../installers/install-files.ts'
import { hasOpenMaintenance } from '../maintenance/open-maintenance.ts'
import { createTicket, TICKET_SECONDS } from '../users/sessions/socket-tickets.ts'
import { readCoreSettings } from '../../platform/config/core-settings.ts'
import { findPreferences } from '../users/queries.ts'
import { findCarriedAgent } from '../updates/carried-agent.ts'
import { isSetupOpen } from '../clients/finish-setup.ts'
import { writeGuidePage } from '../../platform/http/guide-page.ts'
import type { DescribedRoute } from '../../platform/http/openapi.ts'
import { PAGE_POLICY } from '../../platform/http/security-headers.ts'
import type { Metrics } from '../../platform/http/metrics.ts'
import { describeApi } from './description/describe-api.ts'
import { viewDashInfo } from './view.ts'

export function coreRoutes(api: Api, ctx: Context): void {
  route(api, getDashInfo, async ({ caller, request }) =>
    viewDashInfo({
      preferences: await findPreferences(ctx.db, caller.userId),
      caller,
      config: ctx.config,
      agentVersion: (await findCarriedAgent(ctx.config.agentFolder))?.version,
      agentUrl: serverUrl(ctx.config, request),
      setupOpen: await isSetupOpen(ctx.db),
      settings: await readCoreSettings(ctx.db),
      readOnly: ctx.disk.isLow,
      backupFailed: mayDo(caller, 'can_view_core_settings') && (await hasBackupFailed(ctx)),
      openMaintenance:
        mayDo(caller, 'can_list_agents') && (await hasOpenMaintenance(ctx.db, { caller, now: ctx.now() })),
    }),
  )

  route(api, getVersion, async () => VERSION)

  route(api, createSocketTicket, async ({ caller }) => ({
    ticket: await createTicket(ctx, caller),
    expires_in: TICKET_SECONDS,
  }))

  route(api, getHealth, async () => ({ status: 'ok' as const }))

  // Prometheus does not sign in: open to programs on this machine, to others with MUSTER_METRICS_TOKEN.
  const summary = 'Metrics of this process in Prometheus text format'
  api.fastify.get('/metrics', { config: { summary } }, async (request, reply) => {
    if (!isLocal(request) && !hasMetricsToken(request, ctx.config.metricsToken)) {
      throw new AppError(
        'not_signed_in',
        'Metrics require the token of MUSTER_METRICS_TOKEN as a bearer token.',
      )
    }
    const { type, text } = await api.metrics.read()
    return reply.type(type).header('cache-control', 'no-store').send(text)
  })
}

const FORWARDED = /^(forwarded|via|x-forwarded-.+|x-real-ip)$/

/** Directly from this machine, not through a local proxy, which its headers reveal. */
function isLocal({ socket, headers }: FastifyRequest): boolean {
  const source = socket.remoteAddress ?? ''
  const isLoopback = source === '::1' || /^(::ffff:)?127\./.test(source)
  return isLoopback && !Object.keys(headers).some((name) => FORWARDED.test(name))
}

function hasMetricsToken({ headers }: FastifyRequest, token: string | undefined): boolean {
  const [, given] = /^Bearer (\S+)$/i.exec(headers.authorization ?? '') ?? []
  if (token === undefined || given === undefined) return false
  // Digests have equal lengths, and the comparison reveals nothing about the token.
  return timingSafeEqual(Buffer.from(digestOf(given)), Buffer.from(digestOf(token)))
}

/** The file of the repository, so that its examples exist once. */
const PROXY_GUIDE = join(import.meta.dirname, '../../../../../docs/reverse-proxy.md')

/** The API description, and the guide for proxies. Built at the first request, when every route is mounted, and cached. */
export function descriptionRoutes(api: Api, routes: readonly DescribedRoute[]): void {
  let description: Promise<string> | undefined
  let guide: string | undefined

  api.fastify.get(
    '/openapi.json',
    { config: { summary: 'This description of the API, as OpenAPI 3.1' } },
    async (_request, reply) => {
      description ??= describeApi(routes, VERSION).then((api) => JSON.stringify(api))
      return reply.type('application/json; charset=utf-8').send(await description)
    },
  )

  api.fastify.get(
    PROXY_GUIDE_PATH,
    { config: { summary: 'How a reverse proxy passes WebSockets, as a page' } },
    async (_request, reply) => {
      guide ??= writeGuidePage(readFileSync(PROXY_GUIDE, 'utf8'))
      return reply.type('text/html; charset=utf-8').header('content-security-policy', PAGE_POLICY).send(guide)
    },
  )
}

/** Gauges of database queues, for `/metrics`. */
export function registerFigures(metrics: Metrics, { db, now, disk }: Context): void {
  metrics.gauge('muster_disk_free_bytes', 'Free space in the data folder', () => disk.free ?? 0)
  metrics.gauge('muster_read_only', 'The disk is nearly full, and changes are refused', () =>
    Number(disk.isLow),
  )
  metrics.gauge('muster_jobs_waiting', 'Due jobs that have not run', async () => {
    const { count } = await db
      .selectFrom('jobs')
      .where('done_at', 'is', null)
      .where('due_at', '<=', now().toISOString())
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  })
  metrics.gauge('muster_runs_open', 'Commands and scripts that have not ended', async () => {
    const { count } = await db
      .selectFrom('agent_history')
      .where('state', 'in', ['queued', 'sent', 'accepted', 'running'])
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  })
}
