import type { AlertCause } from '@muster/contract/api/alerts'
import type { Overview } from '@muster/contract/api/overview'

export const HEALTHY: Overview = {
  machines: 902,
  connected: 902,
  counts: { overdue: 0, failing: 0, warning: 0, offline: 0, maintenance: 0, unchecked: 0, healthy: 902 },
  clients: [],
  needs_reboot: 0,
  causes: { total: 0, unacknowledged: 0, new_since_yesterday: 0, gone_since_yesterday: 0, shown: [] },
  disks: { total: 0, shown: [] },
  patches: { critical: 0, important: 0, oldest_critical: null, undecided: 0 },
  jobs: [],
  maintenance: [],
  next: [],
}

export const testCause = (more: Partial<AlertCause> = {}): AlertCause => ({
  key: `${more.kind ?? 'check'}:${more.severity ?? 'error'}:${more.name ?? 'Service spooler'}`,
  kind: 'check',
  name: 'Service spooler',
  severity: 'error',
  alerts: 41,
  machines: 41,
  servers: 0,
  hostname: '',
  clients: [{ name: 'Acme', alerts: 41 }],
  more_clients: 0,
  since: new Date(Date.now() - 2 * 3_600_000).toISOString(),
  newest: new Date(Date.now() - 30 * 60_000).toISOString(),
  acknowledged: 0,
  acknowledged_by: '',
  snoozed: 0,
  snooze_until: null,
  next_notice: null,
  ...more,
})

const DAY_MS = 86_400_000
const daysAhead = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()

/** Two clients, causes, disks, patches, a job and maintenance. */
export const TROUBLE: Overview = {
  machines: 902,
  connected: 885,
  counts: { overdue: 6, failing: 52, warning: 31, offline: 11, maintenance: 78, unchecked: 0, healthy: 724 },
  clients: [
    {
      id: 1,
      name: 'Acme',
      machines: 592,
      counts: {
        overdue: 6,
        failing: 52,
        warning: 31,
        offline: 11,
        maintenance: 0,
        unchecked: 0,
        healthy: 492,
      },
    },
    {
      id: 2,
      name: 'Borealis',
      machines: 310,
      counts: { overdue: 0, failing: 0, warning: 0, offline: 0, maintenance: 78, unchecked: 0, healthy: 232 },
    },
  ],
  needs_reboot: 31,
  causes: {
    total: 13,
    unacknowledged: 4,
    new_since_yesterday: 3,
    gone_since_yesterday: 5,
    shown: [
      testCause({
        kind: 'overdue',
        name: 'Machine overdue',
        alerts: 6,
        machines: 6,
        servers: 2,
        clients: [
          { name: 'Borealis', alerts: 4 },
          { name: 'Acme', alerts: 2 },
        ],
        next_notice: new Date(Date.now() + 6 * 60_000).toISOString(),
      }),
      testCause({ acknowledged: 41, acknowledged_by: 'mina' }),
      testCause({
        name: 'Service cron',
        severity: 'warning',
        machines: 1,
        alerts: 1,
        hostname: 'alpha',
      }),
    ],
  },
  disks: {
    total: 9,
    shown: [
      {
        agent_id: 'alpha0000000',
        hostname: 'alpha',
        mount: 'D:',
        free: 78 * 1024 ** 3,
        used: 1970 * 1024 ** 3,
        total: 2048 * 1024 ** 3,
        full_at: daysAhead(3),
        points: Array.from({ length: 30 }, (_, index) => [
          Math.floor(Date.now() / 1000) - (30 - index) * 86_400,
          66 + index,
        ]),
      },
      {
        agent_id: 'bravo0000000',
        hostname: 'bravo',
        mount: '/var',
        free: 31 * 1024 ** 3,
        used: 169 * 1024 ** 3,
        total: 200 * 1024 ** 3,
        full_at: daysAhead(15.2),
        points: [],
      },
    ],
  },
  patches: { critical: 61, important: 5, oldest_critical: daysAhead(-19), undecided: 14 },
  jobs: [
    {
      id: 7,
      name: 'Disable SMB 1.0',
      action: 'script',
      action_text: 'Run script Disable SMB',
      state: 'running',
      reason: null,
      created_by: 'ada',
      created_at: daysAhead(-1),
      approved_by: null,
      approved_at: null,
      starts_at: null,
      started_at: daysAhead(-1),
      finished_at: null,
      expires_at: null,
      counts: { waiting: 320, running: 3, succeeded: 197, failed: 2, skipped: 0 },
      wave: 2,
      waves_count: 3,
      undo_of: null,
      repeat_of: null,
    },
  ],
  maintenance: [
    {
      targets: [{ type: 'client', id: 2, name: 'Borealis' }],
      machines: 77,
      reason: 'Moving',
      until: daysAhead(0.1),
      since: null,
    },
    {
      targets: [{ type: 'agent', id: 'charlie00000', name: 'charlie' }],
      machines: 1,
      reason: '',
      until: null,
      since: daysAhead(-5),
    },
  ],
  next: [],
}
