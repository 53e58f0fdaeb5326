import { globSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './programs.ts'
import { staticChecks } from './static-checks.ts'
import { canNestMachines, type SystemProgram } from './system-programs.ts'

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
  /** It leaves most of the processor idle: the steps after it run meanwhile, and its output is printed when it ends. */
  waits?: true
}

const vitest = (...projects: string[]) => [
  'vitest',
  'run',
  ...projects.flatMap((project) => ['--project', project]),
]

// Most of these wait for programs, sockets and pages: more of them at once than there are cores end sooner.
const several = (count: number) => `--maxWorkers=${count}`

// These start programs on SQLite, or have no database at all: on PostgreSQL they would prove the same again.
const WITHOUT_POSTGRES = ['main', 'kill', 'lock', 'email', 'presets', 'console-files']
const EXCLUDED = WITHOUT_POSTGRES.flatMap((name) => ['--exclude', `**/${name}.test.ts`])

/** Everything that `npm test` runs, in order. */
export function listSteps(): Step[] {
  return [
    ...staticChecks.map((check) => ({ ...check, needs: [], servers: [] })),
    {
      name: 'units',
      command: [...vitest('rules', 'contract', 'tools', 'fake-agent', 'agent', 'console-units'), several(4)],
      runner: 'vitest',
      needs: [],
      servers: [],
    },
    {
      name: 'server on SQLite',
      command: [...vitest('server'), several(3)],
      runner: 'vitest',
      needs: [],
      servers: [],
    },
    {
      name: 'server on PostgreSQL and NATS',
      command: [...vitest('server'), several(3), ...EXCLUDED],
      runner: 'vitest',
      needs: ['postgres', 'nats'],
      servers: ['postgres', 'nats'],
    },
    {
      name: 'console in Chromium',
      command: [...vitest('console'), several(3)],
      runner: 'vitest',
      needs: ['chromium'],
      servers: [],
    },
    ...storySteps(),
    {
      name: 'service',
      command: vitest('service'),
      runner: 'vitest',
      needs: ['systemd'],
      servers: [],
      isPossible: canNestMachines,
      needsToo: 'which needs root and a kernel that lets it start a machine inside this one',
    },
    { name: 'registry in Wine', command: vitest('wine'), runner: 'vitest', needs: ['wine'], servers: [] },
    {
      name: 'programs and load',
      command: [...vitest('e2e'), several(3)],
      runner: 'vitest',
      needs: [],
      servers: [],
    },
  ]
}

function storySteps(): Step[] {
  if (globSync(join(root, 'e2e/stories/*.story.ts')).length === 0) return []
  const story = {
    command: ['playwright', 'test', '-c', 'e2e/playwright.config.ts'],
    runner: 'playwright' as const,
  }
  return [
    { ...story, name: 'stories', needs: ['chromium'], servers: [] },
    {
      ...story,
      name: 'stories on PostgreSQL and NATS',
      waits: true,
      needs: ['chromium', 'postgres', 'nats'],
      servers: ['postgres', 'nats'],
    },
  ]
}
