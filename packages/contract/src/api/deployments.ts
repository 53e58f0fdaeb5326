import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Id, IdParams, Instant, ListQuery, MonitoringType, Nothing, Platform } from '../fields.ts'
import { Goarch, INSTALL_FLAGS, InstallFlags } from './installers.ts'

/** The download address of a deployment. It needs no sign-in: `uid` is the secret. */
export const DEPLOY_PATH = '/clients/:uid/deploy/'

/** An address that installs agents at one site until it expires. */
export const Deployment = z.object({
  id: z.int(),
  uid: z.uuid(),
  client: z.int(),
  client_name: z.string(),
  site: z.int(),
  site_name: z.string(),
  mon_type: MonitoringType,
  plat: Platform,
  goarch: Goarch,
  expiry: Instant,
  created: Instant,
  created_by: z.string(),
  install_flags: InstallFlags,
  /** Machines that may still enrol. */
  uses_left: z.int(),
  /** The whole download address, and the line that runs it. */
  url: z.string(),
  cmd: z.string(),
})
export type Deployment = z.infer<typeof Deployment>

/** Null = the caller may not manage deployments: the address is a secret that adds machines. */
export const ListedDeployment = Deployment.extend({
  uid: Deployment.shape.uid.nullable(),
  url: Deployment.shape.url.nullable(),
  cmd: Deployment.shape.cmd.nullable(),
})
export type ListedDeployment = z.infer<typeof ListedDeployment>

export const listDeployments = endpoint({
  method: 'GET',
  path: '/clients/deployments/',
  access: 'can_list_deployments',
  summary:
    'Deployments of the sites that the caller may see, with their addresses for those who may manage them',
  query: ListQuery,
  response: z.array(ListedDeployment),
  paged: true,
})

export const createDeployment = endpoint({
  method: 'POST',
  path: '/clients/deployments/',
  access: 'can_manage_deployments',
  summary: 'Create a deployment: an address that installs agents without sign-in until it expires',
  body: z.object({
    site: Id,
    agenttype: MonitoringType,
    /** With any offset. */
    expires: z.iso.datetime({ offset: true }),
    plat: Platform.default('windows'),
    /** Kept for users of the field's API: the installer detects the processor. */
    goarch: Goarch.default('amd64'),
    uses: z.int().min(1).max(100_000).default(1000),
    ...INSTALL_FLAGS,
  }),
  response: Deployment,
})

export const deleteDeployment = endpoint({
  method: 'DELETE',
  path: '/clients/deployments/:id/',
  access: 'can_manage_deployments',
  summary: 'Delete a deployment: its address and its token stop working',
  params: IdParams,
  response: Nothing,
})
