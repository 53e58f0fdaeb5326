import { createReadStream, existsSync } from 'node:fs'
import { createInstaller } from '@muster/contract/api/agents'
import { enrolAgent } from '@muster/contract/api/installers'
import { AppError, ERROR_STATUS } from '@muster/contract/errors'
import { platformName } from '@muster/rules/agents/available-actions'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { digestOf } from '../../platform/secrets/secrets.ts'
import { findVisibleSite } from '../agents/queries.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { audit } from '../audit/write-audit.ts'
import { createEnrolToken, enrolMachine } from './enrol-machine.ts'
import { installLine, installScript } from './install-script.ts'
import { AGENT_PROGRAM, findOwnAuthority, nodeProgram, terminalModule } from './install-files.ts'

const HOUR_MS = 3_600_000

export function enrolmentRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  route(api, enrolAgent, async ({ body, request }) => ({
    ...(await enrolMachine(ctx, body, request.ip)),
    command_key: fleet.commandKey.publicKey,
  }))

  route(api, createInstaller, async ({ body, caller, request }) => {
    const site = await findVisibleSite(ctx.db, body.site, caller)
    if (site === undefined || site.client_id !== body.client) {
      throw new AppError('not_found', 'This site does not exist, or you may not see it.', {
        fields: { site: ['Choose another site.'] },
      })
    }
    if (body.plat !== 'linux') {
      throw new AppError('invalid', `Agents for ${platformName(body.plat)} cannot be installed yet.`, {
        fields: { plat: ['Choose Linux.'] },
      })
    }
    const now = ctx.now()
    const expires = new Date(now.getTime() + body.expires * HOUR_MS).toISOString()
    const token = await ctx.transaction(async (tx, emit) => {
      await audit(tx, {
        caller,
        action: 'add',
        object_type: 'site',
        message: `Created an installer for the site "${site.name}" of "${site.client_name}"`,
        after: { agenttype: body.agenttype, plat: body.plat, expires, uses: body.uses },
        site: { id: site.id },
        emit,
      })
      return createEnrolToken(tx, {
        siteId: site.id,
        monitoringType: body.agenttype,
        plat: body.plat,
        uses: body.uses,
        expiresAt: expires,
        createdBy: caller.username,
        now,
      })
    })
    const url = serverUrl(ctx, request)
    return {
      cmd: installLine(ctx.config, url, token, body.data_folder),
      url,
      token,
      expires,
      uses: body.uses,
    }
  })

  // For curl on a machine: text and files, so not endpoints of the contract. The token is in a header.
  const installer = { config: { summary: 'The install script, for holders of an enrolment token' } }
  api.fastify.get('/agent/install.sh', installer, async (request, reply) => {
    const token = /^Enrol ([\w-]{20,200})$/.exec(request.headers.authorization ?? '')?.[1]
    if (token === undefined || !(await isTokenGood(ctx, token))) {
      return reply
        .status(ERROR_STATUS.enrolment_refused)
        .type('text/plain; charset=utf-8')
        .send('echo "muster: the enrolment token is unknown, used up or expired" >&2; exit 1\n')
    }
    const authority = findOwnAuthority(ctx.config.tls)
    reply.type('text/x-shellscript; charset=utf-8').header('cache-control', 'no-store')
    return installScript({ url: serverUrl(ctx, request), token, authority })
  })

  const program = { config: { summary: 'The agent as one file' } }
  api.fastify.get('/agent/program.mjs', program, async (_request, reply) => {
    if (!existsSync(AGENT_PROGRAM))
      throw new AppError('unavailable', 'The agent has not been built. Start the server with npm start.')
    return reply.type('text/javascript; charset=utf-8').send(createReadStream(AGENT_PROGRAM))
  })

  const pty = { config: { summary: "The native part of the agent's terminal on Linux" } }
  api.fastify.get<{ Params: { arch: string } }>('/agent/pty/linux/:arch', pty, async (request, reply) => {
    const binary = terminalModule(request.params.arch)
    if (binary === undefined)
      throw new AppError('not_found', 'This server has no terminal for that processor.')
    return reply.type('application/octet-stream').send(createReadStream(binary))
  })

  const node = { config: { summary: 'The Node that runs the agent on Linux' } }
  api.fastify.get<{ Params: { arch: string } }>('/agent/node/linux/:arch', node, async (request, reply) => {
    const binary = nodeProgram(request.params.arch)
    if (binary === undefined) throw new AppError('not_found', 'This server has no Node for that processor.')
    return reply.type('application/octet-stream').send(createReadStream(binary))
  })
}

/** The address for machines: the public URL, else the requested address. */
export function serverUrl(ctx: Context, request: FastifyRequest): string {
  if (ctx.config.publicUrl !== undefined) return ctx.config.publicUrl
  return `${ctx.config.tls === undefined ? 'http' : 'https'}://${request.headers.host ?? ''}`
}

async function isTokenGood(ctx: Context, token: string): Promise<boolean> {
  const row = await ctx.db
    .selectFrom('enrol_tokens')
    .select('id')
    .where('digest', '=', digestOf(token))
    .where('uses_left', '>', 0)
    .where('expires_at', '>', ctx.now().toISOString())
    .executeTakeFirst()
  return row !== undefined
}
