import { createDeployment, type Deployment, listDeployments } from '@muster/contract/api/deployments'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../client.ts'
import { siteKey } from './plan-clients.ts'
import type { WaitingGroup } from './plan-machines.ts'
import type { Planner } from './steps.ts'

const DAY_MS = 86_400_000
const VALID_DAYS = 30

/**
 * A script for each site, system and type of machine, which the old agents run. Its deployment is the secret of this site
 * only, so no script serves several.
 */
export function planInstallers(planner: Planner, folder: string, groups: readonly WaitingGroup[]): void {
  for (const group of groups) {
    const file = join(folder, fileName(group))
    const { client, site, siteId, plat, monitoring_type, machines } = group
    planner.change({
      kind: 'install script',
      name: `${client} / ${site}`,
      reason: `${file}, for ${machines} ${PLATFORMS[plat]} ${monitoring_type}${machines === 1 ? '' : 's'}.`,
      outcome: 'create',
      schema: undefined,
      body: (idOf) => idOf(siteKey(siteId)),
      call: async (muster, idOf) => {
        const deployment = await requireDeployment(muster, idOf(siteKey(siteId)), group)
        writeScript(folder, file, plat === 'windows' ? powershellScript(deployment) : shellScript(deployment))
      },
    })
  }
}

const PLATFORMS = { windows: 'Windows', linux: 'Linux', darwin: 'macOS' }

/** One that is still valid, or a new one. */
async function requireDeployment(client: Client, site: number, group: WaitingGroup): Promise<Deployment> {
  const { plat, monitoring_type, machines } = group
  const found = (await client.callToEnd(listDeployments, { query: {} })).find(
    (one): one is Deployment =>
      one.cmd !== null &&
      one.site === site &&
      one.plat === plat &&
      one.mon_type === monitoring_type &&
      one.uses_left >= machines &&
      Date.parse(one.expiry) > Date.now() + DAY_MS,
  )
  if (found !== undefined) return found
  const expires = new Date(Date.now() + VALID_DAYS * DAY_MS).toISOString()
  // Twice as many: an installation that fails late has used one.
  const body = { site, agenttype: monitoring_type, plat, expires, uses: 2 * machines }
  return client.callToEnd(createDeployment, { body })
}

/** The address of a deployment is a secret: only this user can read the file. */
function writeScript(folder: string, file: string, text: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (readFile(file) !== text) writeFileSync(file, text, { mode: 0o600 })
}

function readFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function powershellScript({ cmd }: Deployment): string {
  return `if (Get-Service MusterAgent -ErrorAction SilentlyContinue) { Write-Output 'The agent is already installed.'; exit 0 }
${cmd}
`
}

function shellScript({ cmd }: Deployment): string {
  return `#!/bin/sh
if [ -d /opt/muster-agent ] || [ -d /usr/local/muster-agent ]; then echo 'The agent is already installed.'; exit 0; fi
${cmd}
`
}

/** With the old id of the site: names may be the same after their signs are gone. */
function fileName({ client, site, siteId, plat, monitoring_type }: WaitingGroup): string {
  const words = [client, site, String(siteId), plat === 'darwin' ? 'macos' : plat, monitoring_type]
  const plain = words.map((word) =>
    word
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .slice(0, 60),
  )
  const name = plain.map((word) => word.replaceAll(/^-|-$/g, '')).filter((word) => word !== '')
  return `${name.join('-')}.${plat === 'windows' ? 'ps1' : 'sh'}`
}
