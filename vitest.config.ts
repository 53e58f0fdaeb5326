import { availableParallelism, tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { playwright } from '@vitest/browser-playwright'
import { configDefaults, defineConfig } from 'vitest/config'
import { lazySchemas } from './deploy/lazy-schemas.mjs'
import { PATIENCE_MS } from './tools/patience.ts'
import { findTestChromium } from './tools/system-programs.ts'
import { ResultReporter } from './tools/vitest-results.ts'

// Pages live for seconds: helper threads and optimized code would crowd the machine, and save no time.
const chromiumFlags =
  '--js-flags=--no-opt,--no-maglev,--single-threaded --num-raster-threads=1 --in-process-gpu --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'

// The shells that tests start read nobody's profile: one may wait for a minute, or print.
const env = { HOME: tmpdir() }

// Waits have a limit of their own, which says what it saw.
const TEST_TIMEOUT_MS = 900_000
const patience = {
  testTimeout: TEST_TIMEOUT_MS,
  hookTimeout: TEST_TIMEOUT_MS,
  expect: { poll: { timeout: PATIENCE_MS } },
  setupFiles: [join(import.meta.dirname, 'tools/wait-longer.ts')],
}

interface NodeProject {
  include?: string[]
  exclude?: string[]
  fileParallelism?: boolean
  isolate?: boolean
  globalSetup?: string[]
  sequence?: { groupOrder: number }
}

const nodeProject = (name: string, folder: string, options: NodeProject = {}) => ({
  test: {
    name,
    root: folder,
    include: ['**/*.test.ts'],
    ...patience,
    env,
    // The files of a process share what they import, which takes longer than most of their tests.
    isolate: false,
    ...options,
  },
})

const oneByOne = { fileParallelism: false }

// Files that start many programs, or flood one: each runs with nothing beside it, after the others.
const aloneInAgent = ['main.test.ts', 'remote/terminal/terminal.test.ts']
const aloneInServer = [
  'src/main.test.ts',
  'src/hostile.test.ts',
  'src/features/remote/webterm/webterm.test.ts',
]
// They measure memory, or kill programs for minutes: each in a process of its own, in `npm run test:all` only.
const endurance = [
  'apps/agent/src/output-flood.test.ts',
  'apps/agent/src/update/update-kills.test.ts',
  'apps/server/src/platform/database/kill.test.ts',
]
const except = (files: string[]) => [
  ...configDefaults.exclude,
  ...files,
  ...endurance.map((file) => `**/${basename(file)}`),
]
const alone = (include: string[]) => ({ include, ...oneByOne, sequence: { groupOrder: 1 } })

const agentProject = (name: string, options: NodeProject) => ({
  ...nodeProject(name, 'apps/agent/src', options),
  // As in the build.
  plugins: [lazySchemas(join(import.meta.dirname, 'apps/agent/src/cli/schema-settings.ts'))],
})

// Every library of the console that a widget test may reach, bundled before the first test: what is discovered later
// would be bundled again, with a second React in it.
const bundledOnce = [
  'react',
  'react-dom',
  'react-dom/client',
  'react/jsx-runtime',
  '@xterm/addon-fit',
  '@xterm/addon-webgl',
  '@xterm/xterm',
  'vitest-browser-react',
  '@mantine/core',
  '@mantine/dates',
  '@mantine/form',
  '@mantine/hooks',
  '@simplewebauthn/browser',
  '@tabler/icons-react',
  '@tanstack/react-query',
  '@tanstack/react-router',
  'moment',
  'qrcode-generator',
  'uplot',
  'zod',
]

// Set by `npm test`, which reads it.
const resultFile = process.env['MUSTER_TEST_RESULTS']

const forUsers = { 'process.env.NODE_ENV': '"production"' }

export default defineConfig({
  test: {
    maxWorkers: availableParallelism(),
    reporters: ['default', ...(resultFile === undefined ? [] : [new ResultReporter(resultFile)])],
    projects: [
      nodeProject('rules', 'packages/rules'),
      nodeProject('contract', 'packages/contract'),
      nodeProject('fake-agent', 'packages/fake-agent'),
      nodeProject('server', 'apps/server', { exclude: except(aloneInServer) }),
      nodeProject('server-alone', 'apps/server', alone(aloneInServer)),
      agentProject('agent', { exclude: except(aloneInAgent) }),
      agentProject('agent-alone', alone(aloneInAgent)),
      nodeProject('cli', 'apps/cli'),
      nodeProject('tools', 'tools'),
      nodeProject('console-units', 'apps/console'),
      nodeProject('endurance', '.', { include: endurance, ...oneByOne, isolate: true }),
      nodeProject('wine', 'apps/agent/wine', { globalSetup: ['./prepare.ts'], ...oneByOne }),
      nodeProject('packages', 'deploy/packages', oneByOne),
      nodeProject('e2e', 'e2e', { include: ['{faults,load,support}/**/*.test.ts'], ...oneByOne }),
      nodeProject('service', 'e2e/service', oneByOne),
      {
        root: 'apps/console',
        // React as users get it: its checks for developers take a third of the time.
        oxc: { jsx: { runtime: 'automatic', development: false } },
        define: forUsers,
        optimizeDeps: { include: bundledOnce, rolldownOptions: { transform: { define: forUsers } } },
        test: {
          name: 'console',
          include: ['**/*.test.tsx'],
          ...patience,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({
              // As for what is expected: a click that hangs is tried again sooner.
              actionTimeout: PATIENCE_MS,
              launchOptions: {
                executablePath: findTestChromium() ?? 'chromium',
                args: chromiumFlags.split(' '),
              },
            }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
    ],
  },
})
