import {
  changeFile,
  DOWNLOAD_PATH,
  listFolder,
  readText,
  startDownload,
  writeText,
} from '@muster/contract/api/files'
import { AppError } from '@muster/contract/errors'
import type { Context } from '../../../context.ts'
import { type Api, route } from '../../../platform/http/route.ts'
import type { Fleet } from '../../../fleet/fleet.ts'
import { requireAgent } from '../../agents/require-agent.ts'
import type { ChannelHub } from '../channel-hub.ts'
import type { SessionCookies } from '../../users/sessions/session-cookies.ts'
import { changeMachineFile, readTextFile, writeTextFile } from './change-file.ts'
import { redeemDownload, writeDownloadUrl } from './download-ticket.ts'
import { sendDownload } from './send-download.ts'
import { uploadRoutes } from './upload-routes.ts'

interface FilesParts {
  fleet: Fleet
  hub: ChannelHub
  cookies: SessionCookies
}

export function filesRoutes(api: Api, ctx: Context, { fleet, hub, cookies }: FilesParts): void {
  uploadRoutes(api, { ctx, fleet, hub })
  route(api, listFolder, async ({ params, query: { path, after = null, search }, caller }) => {
    const agent = await requireAgent(ctx.db, params.agent_id, caller)
    const order = { input: { path, after, search }, author: caller.username }
    return fleet.ask(agent, 'list-folder', order)
  })
  route(api, changeFile, ({ params: { agent_id: agentId }, body, caller }) =>
    changeMachineFile(ctx, { fleet, caller, agentId }, body),
  )
  route(api, readText, ({ params: { agent_id: agentId }, query, caller }) =>
    readTextFile(ctx, { fleet, caller, agentId }, query.path),
  )
  route(api, writeText, ({ params: { agent_id: agentId }, body, caller }) =>
    writeTextFile(ctx, { fleet, caller, agentId }, body),
  )
  route(api, startDownload, async ({ params: { agent_id: agentId }, body, caller }) => {
    const agent = await requireAgent(ctx.db, agentId, caller)
    // Of a download that fails, browsers say nothing that helps.
    if (agent.connected === 0) throw new AppError('agent_offline', `${agent.hostname} is not connected.`)
    const { session } = caller
    if (session === undefined) throw new AppError('not_allowed', 'Downloads are for signed-in people.')
    return writeDownloadUrl(ctx, { session, agentId, ...body })
  })
  api.fastify.get(
    DOWNLOAD_PATH,
    {
      exposeHeadRoute: false,
      // It goes out as it comes in, at once and with its length.
      compress: false,
      config: { summary: 'A file of a machine, or a folder as an archive; the address is made by the POST' },
    },
    async (request, reply) => {
      const redeemed = await redeemDownload(ctx, cookies, request)
      return sendDownload({ ctx, fleet, hub }, redeemed, { request, reply })
    },
  )
}
