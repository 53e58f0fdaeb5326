import { createInstaller } from '@muster/contract/api/agents'
import { buildPackage, enrolAgent, listPackages, proveCertificate } from '@muster/contract/api/installers'
import type { Context } from '../../context.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { type Api, route } from '../../platform/http/route.ts'
import { audit } from '../audit/write-audit.ts'
import { makeInstaller } from './create-installer.ts'
import { deploymentsRoutes } from './deployments/routes.ts'
import { downloadRoutes } from './download-routes.ts'
import { enrolMachine } from './enrol-machine.ts'
import { findOwnAuthority, serverUrl } from './install-files.ts'
import { fileName, PackageBuilds } from './package-builds.ts'
import { signCertificate } from './sign-certificate.ts'

export function enrolmentRoutes(api: Api, ctx: Context, fleet: Fleet): void {
  const packages = new PackageBuilds(ctx)
  api.fastify.addHook('preClose', () => packages[Symbol.asyncDispose]())

  route(api, enrolAgent, async ({ body, request }) => ({
    ...(await enrolMachine(ctx, body, request.ip)),
    command_key: fleet.commandKey.publicKey,
  }))
  // Read once, as the certificate is: the file may hold the next one already.
  const authority = findOwnAuthority(ctx.config.tls) ?? null
  route(api, proveCertificate, async ({ body, request }) =>
    signCertificate(fleet.commandKey, { nonce: body.nonce, socket: request.raw.socket, authority }),
  )
  route(api, createInstaller, ({ body, caller, request }) =>
    makeInstaller(ctx, { packages, caller, url: serverUrl(ctx.config, request) }, body),
  )
  route(api, listPackages, async () => packages.list())
  route(api, buildPackage, async ({ body, caller }) => {
    const { build: before } = packages.view(body)
    const started = packages.start(body)
    if (started.build.state === 'building' && before.state !== 'building') {
      await ctx.transaction((tx, emit) =>
        audit(tx, {
          caller,
          action: 'agent_install',
          object_type: 'agent',
          message: `Started to build the package ${fileName(body)}`,
          at: ctx.now(),
          emit,
        }),
      )
    }
    return started
  })
  downloadRoutes(api, ctx, packages)
  deploymentsRoutes(api, ctx)
}
