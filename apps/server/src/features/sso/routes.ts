import {
  createSsoProvider,
  deleteSsoAccount,
  deleteSsoProvider,
  editSsoProvider,
  finishSsoSignIn,
  getSsoSignIn,
  getSsoSignOut,
  listSsoAccounts,
  listSsoProviders,
  startSsoSignIn,
} from '@muster/contract/api/sso'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { readCoreSettings } from '../../platform/config/core-settings.ts'
import { requireRow } from '../../platform/database/change-row.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { LimitedLog } from '../../platform/log/limited-log.ts'
import { serverUrl } from '../installers/install-files.ts'
import type { SessionCookies } from '../users/sessions/session-cookies.ts'
import { disconnectAccount, findAccounts } from './accounts.ts'
import { findSignOut, finishSignIn, startSignIn } from './sign-in.ts'
import {
  addProvider,
  changeProvider,
  findProviders,
  type ProviderRow,
  removeProvider,
  viewProviders,
} from './write-provider.ts'

export function ssoRoutes(api: Api, ctx: Context, cookies: SessionCookies): void {
  const desk = { ctx, cookies, failures: new LimitedLog(ctx.log) }
  api.fastify.addHook('onClose', async () => desk.failures[Symbol.dispose]())
  const viewOne = async (row: ProviderRow, request: FastifyRequest) => {
    const [view] = await viewProviders(ctx.db, [row], serverUrl(ctx.config, request))
    return requireRow(view, 'sign-in provider')
  }
  route(api, listSsoProviders, async ({ request }) =>
    viewProviders(ctx.db, await findProviders(ctx.db), serverUrl(ctx.config, request)),
  )
  route(api, createSsoProvider, async ({ body, caller, request }) =>
    viewOne(await addProvider(ctx, caller, body), request),
  )
  route(api, editSsoProvider, async ({ params, body, caller, request }) =>
    viewOne(await changeProvider(ctx, caller, { ...body, id: params.id }), request),
  )
  route(api, deleteSsoProvider, async ({ params, caller }) => {
    await removeProvider(ctx, caller, params.id)
    return null
  })
  route(api, listSsoAccounts, ({ params }) => findAccounts(ctx.db, params.id))
  route(api, deleteSsoAccount, async ({ params, caller }) => {
    await disconnectAccount(ctx, caller, { user: params.id, account: params.account_id })
    return null
  })
  route(api, getSsoSignIn, async () => {
    const { sso_enabled: isOn } = await readCoreSettings(ctx.db)
    const providers = isOn ? await findProviders(ctx.db) : []
    return { providers: providers.map(({ name }) => ({ name })) }
  })
  route(api, startSsoSignIn, async ({ body, request, reply }) => ({
    url: await startSignIn(desk, { provider: body.provider, request, reply }),
  }))
  route(api, finishSsoSignIn, ({ body, request, reply }) =>
    finishSignIn(desk, { query: body.query, request, reply }),
  )
  route(api, getSsoSignOut, async ({ caller }) => ({
    url: caller.session === undefined ? null : await findSignOut(ctx, caller.session.digest),
  }))
}
