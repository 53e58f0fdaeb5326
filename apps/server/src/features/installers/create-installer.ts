import type { createInstaller } from '@muster/contract/api/agents'
import { type InstallMethod, type PackageName } from '@muster/contract/api/installers'
import type { Output, Parsed } from '@muster/contract/endpoint'
import { AppError } from '@muster/contract/errors'
import type { Platform } from '@muster/contract/fields'
import { platformName } from '@muster/rules/agents/available-actions'
import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { findVisibleSite } from '../agents/queries.ts'
import { audit } from '../audit/write-audit.ts'
import { createEnrolToken } from './enrol-machine.ts'
import { findServerTrust } from './install-files.ts'
import { packageLine, shellLine } from './install-script.ts'
import { fileName, type PackageBuilds, packageOfLine } from './package-builds.ts'
import { msiLine, windowsLine } from './windows-script.ts'

type Body = Parsed<typeof createInstaller>['body']

const HOUR_MS = 3_600_000
const LINES: Record<Platform, InstallMethod> = { windows: 'powershell', linux: 'bash', darwin: 'mac' }

/** Creates an enrolment token and the command for it, and begins to build the package that the command needs. */
export async function makeInstaller(
  ctx: Context,
  { packages, caller, url }: { packages: PackageBuilds; caller: Caller; url: string },
  body: Body,
): Promise<Output<typeof createInstaller>> {
  refuseMismatch(body)
  const site = await findVisibleSite(ctx.db, body.site, caller)
  if (site === undefined || site.client_id !== body.client) {
    throw new AppError('not_found', 'This site does not exist, or you may not see it.', {
      fields: { site: ['Choose another site.'] },
    })
  }
  const { agenttype, plat, uses, installMethod = LINES[plat], power, rdp, ping } = body
  const now = ctx.now()
  const expires = new Date(now.getTime() + body.expires * HOUR_MS).toISOString()
  const token = await ctx.transaction(async (tx, emit) => {
    await audit(tx, {
      caller,
      action: 'add',
      object_type: 'site',
      message: `Created an installer for the site "${site.name}" of "${site.client_name}"`,
      after: { agenttype, plat, installMethod, power, rdp, ping, expires, uses },
      site: { id: site.id },
      emit,
    })
    return createEnrolToken(tx, {
      siteId: site.id,
      monitoringType: agenttype,
      plat,
      flags: { power, rdp, ping },
      uses,
      expiresAt: expires,
      createdBy: caller.username,
      now,
    })
  })
  const name = packageOf(body)
  return {
    cmd: commandOf(ctx, body, { name, url, token }),
    url,
    token,
    expires,
    uses,
    package: name === undefined ? null : packages.start(name),
  }
}

function refuseMismatch({ plat, installMethod = LINES[plat], power, rdp, ping, data_folder }: Body): void {
  const refuse = (field: string, sentence: string): never => {
    throw new AppError('invalid', sentence, { fields: { [field]: [sentence] } })
  }
  if (installMethod !== 'manual' && installMethod !== LINES[plat]) {
    refuse('installMethod', `${platformName(plat)} is installed by ${LINES[plat]} or manual.`)
  }
  const line = installMethod === 'powershell'
  const flag = Object.entries({ power, rdp, ping }).find(([, isOn]) => isOn)?.[0]
  if (flag !== undefined && !line) refuse(flag, 'Only the PowerShell command for Windows can change this.')
  if (data_folder !== undefined && (line || installMethod === 'manual')) {
    refuse('data_folder', 'Only the shell command of Linux and macOS can use a folder of its own.')
  }
}

/** The package that the command installs. Undefined: the line of Linux takes the files one by one. */
function packageOf({ plat, installMethod, goarch, format }: Body): PackageName | undefined {
  const arch = goarch === 'arm64' ? 'arm64' : 'x64'
  if (plat !== 'linux') return packageOfLine(plat, arch)
  return installMethod === 'manual' ? { platform: plat, arch, format } : undefined
}

function commandOf(
  ctx: Context,
  { plat, installMethod, data_folder: dataFolder }: Body,
  { name, url, token }: { name: PackageName | undefined; url: string; token: string },
): string {
  const trust = findServerTrust(ctx.config.tls)
  if (installMethod === 'manual' && name !== undefined) {
    const given = { file: fileName(name), url, token, authority: trust.authority !== undefined }
    return plat === 'windows' ? msiLine(given) : packageLine(given)
  }
  if (plat === 'windows') return windowsLine({ url, token, trust })
  return shellLine({ url, token, trust, dataFolder })
}
