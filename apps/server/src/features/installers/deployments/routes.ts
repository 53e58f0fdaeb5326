import {
  createDeployment,
  deleteDeployment,
  DEPLOY_PATH,
  listDeployments,
} from '@muster/contract/api/deployments'
import { InstallFlags } from '@muster/contract/api/installers'
import type { Context } from '../../../context.ts'
import { mayDo } from '../../../platform/http/caller.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import { findServerTrust, serverUrl } from '../install-files.ts'
import { installScript, REFUSAL } from '../install-script.ts'
import { windowsScript } from '../windows-script.ts'
import {
  addDeployment,
  findDeployments,
  findDownload,
  removeDeployment,
  viewDeployment,
} from './deployments.ts'

export function deploymentsRoutes(api: Api, ctx: Context): void {
  route(api, listDeployments, async ({ caller, request }) => {
    const url = serverUrl(ctx.config, request)
    const rows = (await findDeployments(ctx.db, caller)).map((row) => viewDeployment(ctx, row, url))
    if (mayDo(caller, 'can_manage_deployments')) return rows
    return rows.map((row) => ({ ...row, uid: null, url: null, cmd: null }))
  })
  route(api, createDeployment, async ({ body, caller, request }) =>
    viewDeployment(ctx, await addDeployment(ctx, caller, body), serverUrl(ctx.config, request)),
  )
  route(api, deleteDeployment, async ({ params, caller }) => {
    await removeDeployment(ctx, caller, params.id)
    return null
  })

  // A script for a machine, so no endpoint of the contract.
  const download = {
    config: { summary: 'The install script of a deployment, for anyone who has its address' },
  }
  api.fastify.get<{ Params: { uid: string } }>(DEPLOY_PATH, download, async (request, reply) => {
    const found = await findDownload(ctx, request.params.uid)
    reply.header('cache-control', 'no-store').type('text/plain; charset=utf-8')
    if (found === undefined) {
      return reply
        .status(404)
        .send(`${REFUSAL}this deployment has expired or was deleted; ask your administrator for a new one\n`)
    }
    const given = {
      url: serverUrl(ctx.config, request),
      token: found.secret,
      trust: findServerTrust(ctx.config.tls),
    }
    const isWindows = found.plat === 'windows'
    // A browser saves it; a machine runs it.
    reply.header(
      'content-disposition',
      `attachment; filename="install-muster-agent.${isWindows ? 'ps1' : 'sh'}"`,
    )
    if (!isWindows) return installScript(given)
    return windowsScript({ ...given, flags: InstallFlags.parse(JSON.parse(found.flags)) })
  })
}
