import '../../app/mantine-styles.ts'
import '../../app/global.css'
import { listSearchFields } from '@muster/contract/api/agent-search'
import { type AgentDetail, type AgentRow, getAgent, listAgents } from '@muster/contract/api/agents'
import type { Client, Site } from '@muster/contract/api/clients'
import { listCustomFields } from '@muster/contract/api/custom-fields'
import type { DashInfo } from '@muster/contract/api/system'
import { type Me, savePreferences } from '@muster/contract/api/users'
import { page } from 'vitest/browser'
import { givenDashInfo, givenSession, openConsole } from '../../testing/test-console.tsx'
import { givenFrame } from '../../testing/test-frame.ts'
import { type Received, answer } from '../../testing/test-server.ts'
import { testMachine } from '../agents/test-machines.ts'

const QUIET = {
  maintenance_mode: false,
  maintenance_count: 0,
  failing_checks: { error: false, warning: false },
  block_policy_inheritance: false,
  custom_fields: [],
  alert_template: null,
  server_policy: null,
  workstation_policy: null,
}

function testSite(id: number, name: string, client: Pick<Client, 'id' | 'name'>): Site {
  return { id, name, client: client.id, client_name: client.name, agent_count: 2, ...QUIET }
}

export const CLIENTS: Client[] = [
  {
    id: 1,
    name: 'Acme',
    agent_count: 3,
    sites: [testSite(1, 'Berlin', { id: 1, name: 'Acme' }), testSite(2, 'Munich', { id: 1, name: 'Acme' })],
    tags: [],
    ...QUIET,
  },
  {
    id: 2,
    name: 'Borealis',
    agent_count: 0,
    sites: [testSite(3, 'Office', { id: 2, name: 'Borealis' })],
    tags: [],
    ...QUIET,
  },
]

export const MACHINES: AgentRow[] = [
  testMachine({ agent_id: 'alpha0000000', hostname: 'alpha', monitoring_type: 'server' }),
  testMachine({ agent_id: 'bravo0000000', hostname: 'bravo', description: 'front desk' }),
  testMachine({ agent_id: 'charlie00000', hostname: 'charlie', connected: false, needs_reboot: true }),
]

export function testDetail(more: Partial<AgentDetail> = {}): AgentDetail {
  return {
    ...MACHINES[0]!,
    id: 1,
    client: 'Acme',
    site: 1,
    time_zone: null,
    timezone: 'Europe/Berlin',
    check_interval: 120,
    availability_alerts: 'default',
    own_tags: [],
    default_shell: 'use_global',
    default_shell_custom: '',
    total_ram: 16,
    created: '2026-11-21T10:00:00.000Z',
    modified: 'm1',
    facts: null,
    clock_skew_seconds: null,
    alert_template: null,
    effective_alert_template: null,
    applied_policies: [],
    winupdatepolicy: [],
    effective_patch_policy: null,
    link_lost_at: null,
    maintenance_by: null,
    can_update: true,
    update: null,
    custom_fields: [],
    ...more,
  }
}

/** A list of machines, or the requested page of it. */
export function answerMachines({ search }: Received, rows: AgentRow[]): Response {
  const page = Number(search.get('page'))
  if (page === 0) return answer(listAgents, rows)
  const size = Number(search.get('page_size'))
  const results = rows.slice((page - 1) * size, page * size)
  return Response.json({ total: rows.length, page, page_size: size, results })
}

/** A server with two clients and three machines, and a window that fits all panes. */
export async function givenDashboard(more: { me?: Partial<Me>; info?: Partial<DashInfo> } = {}) {
  await page.viewport(1440, 900)
  givenSession({ token: 'abc', username: 'ada' })
  const info = givenDashInfo(more.info)
  const server = givenFrame({ ...more, info, clients: CLIENTS })
  server.on(listAgents, (received) => answerMachines(received, MACHINES))
  server.on(getAgent, () => answer(getAgent, testDetail()))
  server.on(listSearchFields, () => answer(listSearchFields, []))
  server.on(listCustomFields, () => answer(listCustomFields, []))
  server.on(savePreferences, ({ body }) => {
    const { dbl_click_action, ...rest } = Object.assign(info, body)
    return answer(savePreferences, { ...rest, agent_dblclick_action: dbl_click_action, ...Object(body) })
  })
  return { server, open: (path = '/') => openConsole(path) }
}
