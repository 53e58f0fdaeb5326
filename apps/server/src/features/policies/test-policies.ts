import {
  createPolicy,
  editPolicy,
  getEffectivePolicy,
  type Policy,
  type PolicyDocument,
  planPolicy,
} from '@muster/contract/api/policies'
import { type Check, createCheck, listAgentChecks } from '@muster/contract/api/checks'
import {
  NO_CONTENT,
  type PolicyCheck,
  type PolicyContent,
  type PolicyTask,
} from '@muster/contract/policies/policy-content'
import type { Database } from '../../platform/database/database.ts'
import type { OpenDatabase } from '../../platform/database/open-database.ts'
import { listAgentTasks, type Task, TASK_DEFAULTS, type TaskFields } from '@muster/contract/api/tasks'
import { createTestServer } from '../../testing/test-server.ts'

export const CPU = { check_type: 'cpuload', warning_threshold: 70, error_threshold: 90 } as const
export const PING = {
  check_type: 'ping',
  name: 'Router',
  ip: '192.0.2.1',
  alert_severity: 'warning',
} as const

export function checkOf(settings: PolicyCheck['settings'], id?: number): PolicyCheck {
  return { settings, fails_b4_alert: 1, run_interval: 0, ...(id === undefined ? {} : { id }) }
}

export function contentOf(checks: PolicyCheck[], settings: Partial<PolicyContent['agent_settings']> = {}) {
  return { ...NO_CONTENT, checks, agent_settings: { ...NO_CONTENT.agent_settings, ...settings } }
}

/** A manual task by default. */
export function taskOf(more: Partial<TaskFields> = {}, id?: number): PolicyTask {
  const action = {
    type: 'cmd' as const,
    command: 'true',
    shell: 'sh' as const,
    custom_shell: null,
    timeout: 30,
  }
  return {
    task: { ...TASK_DEFAULTS, name: 'Tidy up', task_type: 'manual', actions: [action], ...more },
    task_supported_platforms: ['windows', 'linux', 'darwin'],
    ...(id === undefined ? {} : { id }),
  }
}

/** A client with a site and two machines, a server and a workstation, and an administrator. */
export async function prepareFleet(database?: OpenDatabase<Database>, env: Record<string, string> = {}) {
  const server = await createTestServer({
    env,
    ...(database === undefined ? {} : { overrides: { database } }),
  })
  const client = await server.given.client({ name: 'Nordwind' })
  const site = await server.given.site({ client_id: client.id, name: 'Bern' })
  const pc = await server.given.agent({ site_id: site.id, hostname: 'PC-12' })
  const srv = await server.given.agent({ site_id: site.id, hostname: 'SRV-1', monitoring_type: 'server' })
  const root = server.as(await server.given.user({ username: 'root', superuser: true }))
  const settle = () => server.app.policies.run()
  const fleet = {
    server,
    client,
    site,
    pc,
    srv,
    root,
    settle,
    add: async (parts: Partial<PolicyDocument> & { name: string }): Promise<Policy> => {
      const { body } = await root.call(createPolicy, { body: { active: true, ...parts } })
      await settle()
      return body
    },
    edit: async (id: number, parts: Partial<PolicyDocument>): Promise<Policy> => {
      const { body } = await root.call(editPolicy, { params: { id }, body: parts })
      await settle()
      return body
    },
    addOwn: (settings: PolicyCheck['settings'], agent = pc) =>
      root.call(createCheck, { body: { agent: agent.agent_id, settings } }),
    checks: async (agent = pc): Promise<Check[]> =>
      (await root.call(listAgentChecks, { params: { agent_id: agent.agent_id }, query: {} })).body,
    tasks: async (agent = pc): Promise<Task[]> =>
      (await root.call(listAgentTasks, { params: { agent_id: agent.agent_id }, query: {} })).body,
    effective: async (agent = pc) =>
      (await root.call(getEffectivePolicy, { params: { agent_id: agent.agent_id } })).body,
    plan: async (id: number | undefined, policy: PolicyDocument | undefined) =>
      (await root.call(planPolicy, { body: { id, policy } })).body,
    versionOf: async (agent = pc) =>
      (
        await server.ctx.db
          .selectFrom('agents')
          .select('checks_version')
          .where('agent_id', '=', agent.agent_id)
          .executeTakeFirstOrThrow()
      ).checks_version,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
  return fleet
}

export function documentOf(policy: Policy): PolicyDocument {
  const { name, desc, active, enforced, content, targets } = policy
  const { excluded_clients, excluded_sites, excluded_agents } = policy
  return {
    name,
    desc,
    active,
    enforced,
    content,
    targets,
    excluded_clients,
    excluded_sites,
    excluded_agents,
  }
}
