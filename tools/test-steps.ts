import { staticChecks } from './static-checks.ts'
import { canIsolate, canNestMachines, type SystemProgram } from './system-programs.ts'

export interface Step {
  name: string
  /** Program and arguments. Names of files may follow those of Vitest and Playwright. */
  command: string[]
  /** The files of the command; absent = all. */
  files?: string[]
  /** Settings of the tests, as environment variables. */
  env?: Record<string, string>
  /** Which runner writes a JSON report; absent = the step passes or fails as a whole and counts no tests. */
  runner?: 'vitest' | 'playwright'
  /** Only in `npm run test:all`. */
  isInAllOnly?: boolean
  /** Programs of the machine without which the step is left out. */
  needs: SystemProgram[]
  /** A private PostgreSQL or NATS server that is started for the step. */
  servers: ('postgres' | 'nats')[]
  /** Whether this machine allows the step; where it does not, it is left out, and `needsToo` says why. */
  isPossible?: () => boolean
  needsToo?: string
}

const vitest = (...projects: string[]) => ({
  command: ['vitest', 'run', ...projects.flatMap((project) => ['--project', project])],
  runner: 'vitest' as const,
})

const playwright = (config: string) => ({
  command: ['playwright', 'test', '-c', config],
  runner: 'playwright' as const,
})

const STORIES = 'e2e/playwright.config.ts'
const UNITS = ['rules', 'contract', 'tools', 'fake-agent', 'agent', 'agent-alone', 'cli', 'console-units']
const CHECKS: Step[] = staticChecks.map((check) => ({ ...check, needs: [], servers: [] }))

/**
 * Tests of the server that run on PostgreSQL and NATS as well, by a part of their path: each folder with SQL of its own
 * has one here (test-steps.test.ts). Everything else behaves alike on both engines.
 * `node tools/test-postgres.ts vitest run --project 'server*'` runs all.
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
  'features/agents/values/',
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

/** All steps in the order in which they run, one after another. */
export function listSteps(): Step[] {
  return [
    ...CHECKS,
    { ...vitest(...UNITS), name: 'units', needs: [], servers: [] },
    { ...vitest('server*'), name: 'server on SQLite', needs: [], servers: [] },
    {
      ...vitest('server*'),
      name: 'server on PostgreSQL and NATS',
      files: ON_POSTGRES,
      needs: ['postgres', 'nats'],
      servers: ['postgres', 'nats'],
    },
    { ...vitest('console'), name: 'console in Chromium', needs: ['chromium'], servers: [] },
    { ...playwright(STORIES), name: 'stories', needs: ['chromium'], servers: [] },
    ...stepsOfAll.map((step) => ({ ...step, isInAllOnly: true })),
  ]
}

/** Paths of tests of the server and the console, and of stories, that belong to the changes since a commit. */
export interface ChangedTests {
  base: string
  tests: readonly string[]
  stories: readonly string[]
}

export function listChangedSteps({ base, tests, stories }: ChangedTests): Step[] {
  const { command, runner } = vitest(...UNITS)
  const filesOf = (app: string) => tests.filter((test) => test.startsWith(`apps/${app}/`))
  const steps: Step[] = [
    { command: [...command, '--changed', base], runner, name: 'changed units', needs: [], servers: [] },
    { ...vitest('server*'), name: 'changed server', files: filesOf('server'), needs: [], servers: [] },
    {
      ...vitest('console'),
      name: 'changed console',
      files: filesOf('console'),
      needs: ['chromium'],
      servers: [],
    },
    {
      ...playwright(STORIES),
      name: 'changed stories',
      files: [...stories],
      needs: ['chromium'],
      servers: [],
    },
  ]
  return [...CHECKS, ...steps.filter(({ files }) => files?.length !== 0)]
}

const stepsOfAll: Step[] = [
  {
    ...playwright(STORIES),
    name: 'stories on PostgreSQL and NATS',
    needs: ['chromium', 'postgres', 'nats'],
    servers: ['postgres', 'nats'],
  },
  {
    ...playwright(STORIES),
    name: 'job on 30 real agents',
    files: ['/jobs.story.ts'],
    env: { MUSTER_STORY_AGENTS: '30' },
    needs: ['chromium'],
    servers: [],
  },
  {
    ...vitest('service'),
    name: 'service',
    needs: ['systemd'],
    servers: [],
    isPossible: canNestMachines,
    needsToo: 'which needs root and a kernel that lets it start a machine inside this one',
  },
  {
    ...vitest('wine'),
    name: 'Windows in Wine',
    needs: ['debootstrap', 'xvfb', 'wixl'],
    servers: [],
    isPossible: canIsolate,
    needsToo: 'which needs root and a kernel that gives a program mounts of its own',
  },
  {
    ...playwright('e2e/windows/playwright.config.ts'),
    name: 'console and Windows in Wine',
    needs: ['chromium', 'debootstrap', 'xvfb'],
    servers: [],
    isPossible: canIsolate,
    needsToo: 'which needs root and a kernel that gives a program mounts of its own',
  },
  {
    ...vitest('packages'),
    name: 'packages of the agent',
    needs: ['wixl', 'rpmbuild', 'osslsigncode', 'gpg', 'ar'],
    servers: [],
  },
  { ...vitest('endurance'), name: 'endurance', needs: [], servers: [] },
  { ...vitest('e2e'), name: 'programs and load', needs: [], servers: [] },
  {
    name: 'full fuzz',
    command: ['node', 'apps/server/src/testing/run-fuzz.ts'],
    needs: [],
    servers: [],
  },
]
