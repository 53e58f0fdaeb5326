import { listAgents } from '@muster/contract/api/agents'
import { listAlertTemplates } from '@muster/contract/api/alert-templates'
import {
  listPolicies,
  listPolicyChecks,
  listPolicyRelations,
  listPolicyTasks,
  listPolicyVersions,
  type Policy,
} from '@muster/contract/api/policies'
import { listClients } from '@muster/contract/api/clients'
import { getDashInfo, getVersion } from '@muster/contract/api/system'
import { type Me, getMe } from '@muster/contract/api/users'
import { givenDashInfo, givenMe } from '../../testing/test-console.tsx'
import { answer, fakeServer } from '../../testing/test-server.ts'

const QUIET = {
  custom_fields: [],
  tags: [],
  alert_template: null,
  server_policy: null,
  workstation_policy: null,
  agent_count: 3,
  maintenance_mode: false,
  maintenance_count: 0,
  failing_checks: { error: false, warning: false },
  block_policy_inheritance: false,
}

/** A policy for tests: one CPU check for all of Acme. */
export function testPolicy(more: Partial<Policy> = {}): Policy {
  return {
    id: 1,
    name: 'Base',
    desc: '',
    active: true,
    enforced: false,
    content: {
      checks: [
        {
          id: 1,
          settings: { check_type: 'cpuload', warning_threshold: 70, error_threshold: 90 },
          fails_b4_alert: 1,
          run_interval: 0,
        },
      ],
      tasks: [],
      agent_settings: {
        check_interval: null,
        offline_time: null,
        overdue_time: null,
        overdue_dashboard_alert: null,
      },
      alert_template: null,
      patches: { approval: null, ring: null, schedule: null, scripts: null, reboot: null, alert: null },
      software: [],
    },
    targets: [{ level: 'client', id: 1, monitoring_type: null }],
    excluded_clients: [],
    excluded_sites: [],
    excluded_agents: [],
    names: { clients: [{ id: 1, name: 'Acme' }], sites: [], agents: [] },
    version: 1,
    winupdatepolicy: [],
    agents_count: 3,
    default_server_policy: false,
    default_workstation_policy: false,
    created_by: 'ada',
    modified: '2026-11-21T10:00:00.000Z',
    modified_by: 'ada',
    is_whole: true,
    ...more,
  }
}

export function givenPolicies(policies: Policy[], me: Partial<Me> = {}) {
  const server = fakeServer()
  const site = { id: 1, name: 'Berlin', client: 1, client_name: 'Acme', ...QUIET }
  server.on(getMe, () => answer(getMe, givenMe(me)))
  server.on(getVersion, () => answer(getVersion, '0.1.0'))
  server.on(getDashInfo, () => answer(getDashInfo, givenDashInfo()))
  server.on(listClients, () => answer(listClients, [{ id: 1, name: 'Acme', sites: [site], ...QUIET }]))
  server.on(listAgents, () => answer(listAgents, []))
  server.on(listAlertTemplates, () => answer(listAlertTemplates, []))
  server.on(listPolicies, () => answer(listPolicies, policies))
  server.on(listPolicyRelations, () => answer(listPolicyRelations, { agents: [] }))
  server.on(listPolicyChecks, () => answer(listPolicyChecks, []))
  server.on(listPolicyTasks, () => answer(listPolicyTasks, []))
  server.on(listPolicyVersions, () => answer(listPolicyVersions, []))
  return server
}
