import type { MaintenanceWindow } from '@muster/contract/api/maintenance'

/** A window of every Sunday, for tests. */
export function testWindow(change: Partial<MaintenanceWindow> = {}): MaintenanceWindow {
  return {
    id: 7,
    reason: 'New disks',
    targets: [{ type: 'site', id: 1, name: 'Acme, Berlin' }],
    schedule: {
      starts: '2026-11-22T02:00',
      minutes: 120,
      time_zone: 'Europe/Zurich',
      recurs: 'weekly',
      weekdays: [0],
      month_days: [],
      until: null,
    },
    agent_count: 3,
    active: false,
    active_until: null,
    next_start: '2099-11-22T01:00:00.000Z',
    created_by: 'ada',
    modified: '2026-11-21T10:00:00.000Z',
    ...change,
  }
}
