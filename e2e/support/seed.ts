import { createInstaller } from '@muster/contract/api/agents'
import { type Client, createClient, createSite, type Site } from '@muster/contract/api/clients'
import { createScript, type ScriptDetail } from '@muster/contract/api/scripts'
import type { Input } from '@muster/contract/endpoint'
import type { MonitoringType } from '@muster/contract/fields'
import type { Session } from './sign-in.ts'

/** A client with its first site; the very first one closes the first-time setup. */
export async function addClient(session: Session, name: string, siteName = 'Office'): Promise<Client> {
  return session.call(createClient, { body: { client: { name }, site: { name: siteName } } })
}

export async function addSite(session: Session, client: Pick<Client, 'id'>, name: string): Promise<Site> {
  return session.call(createSite, { body: { site: { client: client.id, name } } })
}

/** An enrolment token for machines of a site (the client's first one when none is given). */
export async function makeToken(
  session: Session,
  client: Client,
  given: { site?: Pick<Site, 'id'>; type?: MonitoringType; uses?: number; plat?: 'linux' | 'windows' } = {},
): Promise<string> {
  const site = given.site ?? client.sites[0]
  if (site === undefined) throw new Error(`${client.name} has no site`)
  const installer = await session.call(createInstaller, {
    body: {
      client: client.id,
      site: site.id,
      agenttype: given.type ?? 'server',
      plat: given.plat ?? 'linux',
      uses: given.uses ?? 100_000,
    },
  })
  return installer.token
}

export async function addScript(
  session: Session,
  script: Partial<Input<typeof createScript>['body']> & { name: string },
): Promise<ScriptDetail> {
  return session.call(createScript, { body: { shell: 'shell', script_body: 'echo hello', ...script } })
}
