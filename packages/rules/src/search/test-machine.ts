import type { SearchableMachine } from './search-fields.ts'

const GIB = 1024 ** 3

export const NOW_MS = Date.parse('2026-11-21T09:00:00.000Z')
export const daysAgo = (days: number) => new Date(NOW_MS - days * 86_400_000).toISOString()

/** A machine for tests of the search. */
export const testMachine = (change: Partial<SearchableMachine> = {}): SearchableMachine => ({
  agent_id: 'PC12PC12',
  hostname: 'PC-12',
  client_name: 'Nordwind AG',
  site_name: 'Zürich',
  description: 'Front desk',
  plat: 'darwin',
  goarch: 'arm64',
  monitoring_type: 'workstation',
  logged_username: 'ada',
  status: 'online',
  connected: true,
  last_seen: daysAgo(0),
  boot_time: Date.parse(daysAgo(10)) / 1000,
  maintenance_mode: false,
  needs_reboot: false,
  has_patches_pending: false,
  pending_actions_count: 0,
  checks: {
    has_failing_checks: false,
    total: 0,
    passing: 0,
    failing: 0,
    warning: 0,
    info: 0,
    old: 0,
    pending: 0,
  },
  version: '0.1.0',
  operating_system: 'macOS 15.1',
  public_ip: '203.0.113.9',
  local_ips: '10.0.0.5, fe80::1',
  cpu_model: ['Apple M3'],
  graphics: 'Apple GPU',
  make_model: 'Mac15,3',
  physical_disks: ['APPLE SSD AP0512Z 500GB'],
  serial_number: 'C02XYZ',
  ram_bytes: 7.7 * GIB,
  disks: [
    { mount: '/', total: 100 * GIB, used: 60 * GIB, free: 40 * GIB },
    { mount: '/data', total: 500 * GIB, used: 455 * GIB, free: 20 * GIB },
  ],
  alert_template: { name: 'Night shift' },
  problems: [],
  custom_fields: [
    { field: 1, value: 'rack 7' },
    { field: 2, value: ['gold', 'night'] },
    { field: 3, value: true },
    { field: 4, value: null },
    { field: 5, value: {} },
    { field: 6, value: '12' },
    { field: 7, value: '2026-11-01T08:00:00.000Z' },
  ],
  tags: ['Prod'],
  ...change,
})
