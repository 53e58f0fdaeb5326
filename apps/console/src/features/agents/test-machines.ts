import type { AgentRow } from '@muster/contract/api/agents'

/** A row of the machines table for tests. */
export function testMachine(more: Partial<AgentRow> = {}): AgentRow {
  return {
    agent_id: 'agent0000000',
    hostname: 'PC-1',
    client: 'Acme',
    site: 'Berlin',
    client_name: 'Acme',
    site_name: 'Berlin',
    client_id: 1,
    site_id: 1,
    monitoring_type: 'workstation',
    server_machine: false,
    plat: 'linux',
    goarch: 'amd64',
    description: '',
    status: 'online',
    connected: true,
    last_seen: '2026-11-21T10:00:00.000Z',
    boot_time: 1_790_000_000,
    offline_time: 4,
    overdue_time: 30,
    checks: testCounts(),
    maintenance_mode: false,
    needs_reboot: false,
    has_patches_pending: false,
    pending_actions_count: 0,
    logged_username: 'ada',
    italic: false,
    overdue_email_alert: false,
    overdue_text_alert: false,
    overdue_dashboard_alert: false,
    alert_template: null,
    policy: null,
    block_policy_inheritance: false,
    version: '0.1.0',
    operating_system: 'Debian 12',
    public_ip: '203.0.113.7',
    local_ips: '10.0.0.1',
    cpu_model: ['Xeon'],
    graphics: '',
    make_model: 'Dell R450',
    physical_disks: ['sda 100 GB SSD'],
    serial_number: 'SN1',
    ram_bytes: 8 * 1024 ** 3,
    disks: [{ mount: '/', total: 100 * 1024 ** 3, used: 60 * 1024 ** 3, free: 40 * 1024 ** 3 }],
    custom_fields: [],
    tags: [],
    problems: [],
    ...more,
  }
}

/** Many machines with unique names and ids. */
export function testMachines(count: number): AgentRow[] {
  return Array.from({ length: count }, (_, index) =>
    testMachine({
      agent_id: `agent${`${index}`.padStart(7, '0')}`,
      hostname: `PC-${(index * 7919) % count}`,
      site_name: `Site ${index % 50}`,
      serial_number: `SN${index}`,
      monitoring_type: index % 5 === 0 ? 'server' : 'workstation',
    }),
  )
}

export function testCounts(more: Partial<AgentRow['checks']> = {}): AgentRow['checks'] {
  return {
    total: 0,
    passing: 0,
    failing: 0,
    warning: 0,
    info: 0,
    has_failing_checks: false,
    old: 0,
    old_since: null,
    pending: 0,
    ...more,
  }
}
