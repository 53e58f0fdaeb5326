import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { lazySchemas } from './deploy/lazy-schemas.mjs'
import { findTestChromium } from './tools/system-programs.ts'

const chromiumFlags =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'

// The shells that tests start read nobody's profile: one may wait for a minute, or print.
const env = { HOME: tmpdir() }

// A limit for what hangs. How fast something is, `npm run bench` measures: here several suites share the processors.
const patience = {
  testTimeout: 480_000,
  hookTimeout: 480_000,
  expect: { poll: { timeout: 120_000 } },
  setupFiles: [join(import.meta.dirname, 'tools/wait-longer.ts')],
}

const nodeProject = (name: string, folder: string, include = '**/*.test.ts') => ({
  test: {
    name,
    root: folder,
    include: [include],
    ...patience,
    env,
    // The files of a process share what they import, which takes longer than most of their tests.
    isolate: false,
  },
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

const forUsers = { 'process.env.NODE_ENV': '"production"' }

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      nodeProject('rules', 'packages/rules'),
      nodeProject('contract', 'packages/contract'),
      nodeProject('fake-agent', 'packages/fake-agent'),
      nodeProject('server', 'apps/server'),
      {
        ...nodeProject('agent', 'apps/agent/src'),
        // As in the build.
        plugins: [lazySchemas(join(import.meta.dirname, 'apps/agent/src/cli/schema-settings.ts'))],
      },
      { test: { ...nodeProject('wine', 'apps/agent/wine').test, globalSetup: ['./prepare.ts'] } },
      nodeProject('cli', 'apps/cli'),
      nodeProject('tools', 'tools'),
      nodeProject('packages', 'deploy/packages'),
      nodeProject('console-units', 'apps/console'),
      nodeProject('e2e', 'e2e', '{faults,load,support}/**/*.test.ts'),
      nodeProject('service', 'e2e/service'),
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
              actionTimeout: 120_000,
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
