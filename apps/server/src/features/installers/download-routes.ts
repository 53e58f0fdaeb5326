import { InstallFlags, PackageName } from '@muster/contract/api/installers'
import { join } from 'node:path'
import { AppError, ERROR_STATUS } from '@muster/contract/errors'
import { platformName } from '@muster/rules/agents/available-actions'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { existsSync } from 'node:fs'
import type { Context } from '../../context.ts'
import type { Api } from '../../platform/http/route.ts'
import { FILE_ROUTE, openFile, sendFile } from '../../platform/http/send-file.ts'
import { digestOf } from '../../platform/secrets/secrets.ts'
import { findServerTrust, nodeProgram, serverUrl, terminalModule } from './install-files.ts'
import { installScript, REFUSAL } from './install-script.ts'
import { fileName, type PackageBuilds } from './package-builds.ts'
import { windowsScript } from './windows-script.ts'

const BUILD_POLL_SECONDS = 5

const PROGRAM_FILES = [
  ['/agent/program.mjs', 'agent.mjs', 'The agent as one file'],
  [
    '/agent/launcher.mjs',
    'muster-agent.mjs',
    'The launcher of an installed agent, which chooses its version',
  ],
] as const

/** Scripts and files for machines: text and bytes, so not endpoints of the contract. The token is in a header. */
export function downloadRoutes(api: Api, ctx: Context, packages: PackageBuilds): void {
  const installer = { config: { summary: 'The install script, for holders of an enrolment token' } }
  api.fastify.get('/agent/install.sh', installer, async (request, reply) => {
    const found = await findToken(ctx, request)
    reply.type('text/x-shellscript; charset=utf-8').header('cache-control', 'no-store')
    if (found === undefined || found.plat === 'windows')
      return refuse(reply.type('text/plain; charset=utf-8'))
    return installScript({ ...describeServer(ctx, request), token: found.token })
  })
  api.fastify.get('/agent/install.ps1', installer, async (request, reply) => {
    const found = await findToken(ctx, request)
    reply.type('text/plain; charset=utf-8').header('cache-control', 'no-store')
    if (found === undefined || (found.plat ?? 'windows') !== 'windows') {
      return refuse(reply)
    }
    const flags = InstallFlags.parse(JSON.parse(found.flags))
    return windowsScript({ ...describeServer(ctx, request), token: found.token, flags })
  })

  const send = async (request: FastifyRequest, reply: FastifyReply, file: string) =>
    sendFile(request, reply, await openFile(file), api.downloads)
  for (const [path, name, summary] of PROGRAM_FILES) {
    const file = join(ctx.config.agentFolder, name)
    api.fastify.get(path, { ...FILE_ROUTE, config: { summary } }, async (request, reply) => {
      if (!existsSync(file))
        throw new AppError('unavailable', 'The agent has not been built. Start the server with npm start.')
      return send(request, reply.type('text/javascript; charset=utf-8'), file)
    })
  }

  const pty = { ...FILE_ROUTE, config: { summary: "The native part of the agent's terminal on Linux" } }
  api.fastify.get<{ Params: { arch: string } }>('/agent/pty/linux/:arch', pty, async (request, reply) => {
    const binary = terminalModule(request.params.arch)
    if (binary === undefined)
      throw new AppError('not_found', 'This server has no terminal for that processor.')
    return send(request, reply, binary)
  })

  const node = { ...FILE_ROUTE, config: { summary: 'The Node that runs the agent on Linux' } }
  api.fastify.get<{ Params: { arch: string } }>('/agent/node/linux/:arch', node, async (request, reply) => {
    const binary = nodeProgram(request.params.arch)
    if (binary === undefined) throw new AppError('not_found', 'This server has no Node for that processor.')
    return send(request, reply, binary)
  })

  const authority = { config: { summary: "The server's own authority, for machines that do not know it" } }
  api.fastify.get('/agent/server-ca.pem', authority, async (_request, reply) => {
    const { authority: pem } = findServerTrust(ctx.config.tls)
    if (pem === undefined)
      throw new AppError('not_found', 'This server has no authority of its own. Machines need no file.')
    return reply
      .header('content-disposition', 'attachment; filename="server-ca.pem"')
      .type('application/x-pem-file')
      .send(pem)
  })

  packageRoute(api, ctx, packages)
}

/** A package, which the first machine with an enrolment token has built. It asks again until the build has ended. */
function packageRoute(api: Api, ctx: Context, packages: PackageBuilds): void {
  const options = { ...FILE_ROUTE, config: { summary: 'A package of the agent' } }
  api.fastify.get('/agent/packages/:platform/:arch/:format', options, async (request, reply) => {
    const parsed = PackageName.safeParse(request.params)
    if (!parsed.success) throw new AppError('not_found', 'There is no such package of the agent.')
    const name = parsed.data
    const stored = packages.find(name)
    if (stored !== undefined) {
      reply
        .header('content-disposition', `attachment; filename="${fileName(name)}"`)
        .header('repr-digest', `sha-256=:${Buffer.from(stored.sha256, 'hex').toString('base64')}:`)
      return sendFile(request, reply, await openFile(stored.path, stored.sha256), api.downloads)
    }
    reply.type('text/plain; charset=utf-8').header('cache-control', 'no-store')
    const token = await findToken(ctx, request)
    const mayBuild = token !== undefined && (token.plat ?? name.platform) === name.platform
    const { build } = mayBuild ? packages.startForMachine(name) : packages.view(name)
    if (build.state === 'failed') {
      reply.status(ERROR_STATUS.conflict)
      return `${build.error}\n`
    }
    if (build.state === 'building') {
      reply.status(ERROR_STATUS.unavailable).header('retry-after', BUILD_POLL_SECONDS)
      return `the server builds the package for ${platformName(name.platform)}, which takes a few minutes\n`
    }
    reply.status(ERROR_STATUS.not_found)
    return 'This package has not been built yet. Build it in the dialog "Install agent".\n'
  })
}

function refuse(reply: FastifyReply): FastifyReply {
  return reply
    .status(ERROR_STATUS.enrolment_refused)
    .send(
      `${REFUSAL}the enrolment token is unknown, used up, expired or for another platform; create a new command\n`,
    )
}

function describeServer({ config }: Context, request: FastifyRequest) {
  return { url: serverUrl(config, request), trust: findServerTrust(config.tls) }
}

/** The enrolment token of the header, if it is good. */
async function findToken(ctx: Context, { headers }: FastifyRequest) {
  const token = /^Enrol ([\w-]{20,200})$/.exec(headers.authorization ?? '')?.[1]
  if (token === undefined) return undefined
  const row = await ctx.db
    .selectFrom('enrol_tokens')
    .select(['plat', 'flags'])
    .where('digest', '=', digestOf(token))
    .where('uses_left', '>', 0)
    .where('expires_at', '>', ctx.now().toISOString())
    .executeTakeFirst()
  return row === undefined ? undefined : { token, ...row }
}
