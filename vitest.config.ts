import { tmpdir } from 'node:os'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { findTestChromium } from './tools/system-programs.ts'

const chromiumFlags =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'

// The shells that tests start read nobody's profile: one may wait for a minute, or print.
const env = { HOME: tmpdir() }

const nodeProject = (name: string, folder: string, include = '**/*.test.ts') => ({
  test: {
    name,
    root: folder,
    include: [include],
    testTimeout: 20_000,
    hookTimeout: 30_000,
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
  '@mantine/form',
  '@mantine/hooks',
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
    // Shared machines are slow now and then; what fails twice is broken.
    retry: process.env.CI === 'true' ? 1 : 0,
    projects: [
      nodeProject('rules', 'packages/rules'),
      nodeProject('contract', 'packages/contract'),
      nodeProject('fake-agent', 'packages/fake-agent'),
      nodeProject('server', 'apps/server'),
      nodeProject('agent', 'apps/agent/src'),
      { test: { ...nodeProject('wine', 'apps/agent/wine').test, globalSetup: ['./prepare.ts'] } },
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
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({
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
