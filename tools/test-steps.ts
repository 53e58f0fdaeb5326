import { globSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './programs.ts'
import { staticChecks } from './static-checks.ts'
import { canIsolate, canNestMachines, type SystemProgram } from './system-programs.ts'

export interface Step {
  name: string
  command: string[]
  /** Which runner writes a JSON report; absent = the step passes or fails as a whole and counts no tests. */
  runner?: 'vitest' | 'playwright'
  /** Programs of the machine without which the step is left out. */
  needs: SystemProgram[]
  /** A private PostgreSQL or NATS server that is started for the step. */
  servers: ('postgres' | 'nats')[]
  /** Whether this machine allows the step; where it does not, it is left out, and `needsToo` says why. */
  isPossible?: () => boolean
  needsToo?: string
  /** Steps of a lane run one after another, beside the other lanes. Static checks have none: they come first. */
  lane?: Lane
}

/**
 * `system` mostly waits for processes, timers and other systems, so that the other two have the processors. The output
 * of `browser` is printed as it comes, that of the others when a step ends.
 */
export const LANES = ['browser', 'server', 'system'] as const
export type Lane = (typeof LANES)[number]

const vitest = (...projects: string[]) => [
  'vitest',
  'run',
  ...projects.flatMap((project) => ['--project', project]),
]

const several = (count: number) => `--maxWorkers=${count}`

/**
 * Tests of the server that run on PostgreSQL and NATS as well, by a part of their path: each folder with SQL of its own
 * has one here (test-steps.test.ts). Everything else behaves alike on both engines.
 * `node tools/test-postgres.ts vitest run --project server` runs all.
 */
export const ON_POSTGRES = [
  // Every route of the API: each query is executed, with correct, malformed and hostile values.
  'src/walk.test',
  'src/fuzz.test',
  // Schema, types, transactions, row locks, unique keys, claims of jobs.
  'src/platform/database/json-rows.test',
  'src/platform/database/migrat',
  'src/platform/database/open-database.test',
  'src/platform/database/transaction.test',
  'src/platform/http/idempotency.test',
  'src/platform/jobs/',
  // Several processes on one database, and the messages between them.
  'two-processes.test',
  'two-servers.test',
  'src/platform/bus/',
  'src/platform/agent-link/bus-channels.test',
  'src/fleet/agent-rows.test',
  // Ranges, partitions and upserts of measured values.
  'src/samples/ingest.test',
  'src/samples/partitions.test',
  'src/samples/prune-samples.test',
  'src/features/checks/read-history.test',
  'src/samples/samples.test',
  // Upserts, conditional updates, text search, sorting of empty values, aggregates and removal of many rows.
  'features/agents/availability.test',
  'features/agents/store-facts.test',
  'features/agents/search/',
  'features/alerts/alerts.test',
  'features/alerts/causes.test',
  'features/alerts/suggestion.test',
  'features/alerts/dependency.test',
  'features/alerts/channels/delivery.test',
  'features/alerts/escalations/',
  'features/alerts/links/',
  'features/alerts/on-call/',
  'features/alerts/push/',
  'features/alerts/templates/actions.test',
  'features/audit/audit.test',
  // Snapshots, cursors, schemas and sequences of both engines.
  'features/backups/',
  'features/checks/dependency.test',
  'features/checks/dropped-results.test',
  'features/checks/results.test',
  'features/checks/from-server/server-checks.test',
  'features/clients/',
  'features/custom-fields/custom-fields.test',
  'features/first-steps/',
  'features/fleet-jobs/',
  'features/installers/enrolment.test',
  'features/keystore/keystore.test',
  'features/maintenance/maintenance.test',
  'features/maintenance/record-periods.test',
  'features/metrics/prometheus.test',
  'features/overview/',
  'features/patches/',
  'features/policies/policies.test',
  'features/remote/session-changes.test',
  'features/remote/access/remote-access.test',
  'features/runs/history.test',
  'features/scripts/scripts.test',
  'features/scripts/snippets/',
  'features/webhooks/',
  'features/settings/retention.test',
  'features/software/package-files/',
  'features/software/policy/',
  'features/software/software.test',
  'features/sso/',
  'features/system/description.test',
  'features/tag-rules/',
  'features/tags/',
  'features/tasks/task-results.test',
  'features/timeline/',
  'features/url-actions/',
  'features/users/api-keys/',
  'features/users/invitations/',
  'features/users/passkeys/',
  'features/users/roles/built-in-roles.test',
  'features/users/roles/preview-role.test',
  'features/users/users.test',
  'features/users/sessions/recovery-codes.test',
  'features/users/sessions/sessions.test',
  'features/users/sessions/sign-ins.test',
  'features/users/sessions/throttle.test',
  'features/views/',
  // One order for a machine, however many jobs offer a version at the same time.
  'features/updates/updates.test',
]

/** Everything that `npm test` runs: what has no lane first, then all lanes, each in order. */
export function listSteps(): Step[] {
  return [
    ...staticChecks.map((check) => ({ ...check, needs: [], servers: [] })),
    {
      name: 'units',
      command: [
        ...vitest('rules', 'contract', 'tools', 'fake-agent', 'agent', 'cli', 'console-units'),
        several(3),
      ],
      runner: 'vitest',
      needs: [],
      servers: [],
      lane: 'system',
    },
    {
      name: 'server on SQLite',
      command: [...vitest('server'), several(2)],
      runner: 'vitest',
      needs: [],
      servers: [],
      lane: 'server',
    },
    {
      name: 'server on PostgreSQL and NATS',
      command: [...vitest('server'), several(2), ...ON_POSTGRES],
      runner: 'vitest',
      needs: ['postgres', 'nats'],
      servers: ['postgres', 'nats'],
      lane: 'server',
    },
    {
      name: 'service',
      command: vitest('service'),
      runner: 'vitest',
      needs: ['systemd'],
      servers: [],
      isPossible: canNestMachines,
      needsToo: 'which needs root and a kernel that lets it start a machine inside this one',
      lane: 'system',
    },
    {
      name: 'Windows in Wine',
      command: vitest('wine'),
      runner: 'vitest',
      needs: ['debootstrap', 'xvfb', 'wixl'],
      servers: [],
      isPossible: canIsolate,
      needsToo: 'which needs root and a kernel that gives a program mounts of its own',
      lane: 'system',
    },
    {
      name: 'console and Windows in Wine',
      command: ['playwright', 'test', '-c', 'e2e/windows/playwright.config.ts'],
      runner: 'playwright',
      needs: ['chromium', 'debootstrap', 'xvfb'],
      servers: [],
      isPossible: canIsolate,
      needsToo: 'which needs root and a kernel that gives a program mounts of its own',
      lane: 'system',
    },
    {
      name: 'packages of the agent',
      command: vitest('packages'),
      runner: 'vitest',
      needs: ['wixl', 'rpmbuild', 'osslsigncode', 'gpg', 'ar'],
      servers: [],
      lane: 'system',
    },
    {
      name: 'programs and load',
      command: [...vitest('e2e'), several(2)],
      runner: 'vitest',
      needs: [],
      servers: [],
      lane: 'system',
    },
    {
      name: 'console in Chromium',
      command: [...vitest('console'), several(2)],
      runner: 'vitest',
      needs: ['chromium'],
      servers: [],
      lane: 'browser',
    },
    ...storySteps(),
  ]
}

function storySteps(): Step[] {
  if (globSync(join(root, 'e2e/stories/*.story.ts')).length === 0) return []
  const story = {
    command: ['playwright', 'test', '-c', 'e2e/playwright.config.ts'],
    runner: 'playwright' as const,
  }
  return [
    { ...story, name: 'stories', needs: ['chromium'], servers: [], lane: 'browser' },
    {
      ...story,
      name: 'stories on PostgreSQL and NATS',
      needs: ['chromium', 'postgres', 'nats'],
      servers: ['postgres', 'nats'],
      lane: 'server',
    },
  ]
}
