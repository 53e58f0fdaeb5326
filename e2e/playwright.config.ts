import { defineConfig } from '@playwright/test'

const CHROMIUM_FLAGS =
  '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'

// What these look at does not depend on the database; the server's own tests do run on each.
const SAME_ON_EVERY_DATABASE = [
  'axe*',
  'failures',
  'keyboard',
  'layout',
  'navigation',
  'preferences',
  'sign-in',
  'totp',
  'unfinished-tools',
]

// Every story starts its own server (support/story.ts); what a test is started with comes from there.
export default defineConfig({
  testDir: 'stories',
  projects: [
    { name: 'build', testMatch: 'build.setup.ts' },
    {
      name: 'stories',
      testMatch: '**/*.story.ts',
      testIgnore:
        process.env['MUSTER_TEST_POSTGRES'] === undefined
          ? []
          : SAME_ON_EVERY_DATABASE.map((name) => `**/${name}.story.ts`),
      dependencies: ['build'],
    },
  ],
  outputDir: 'test-results',
  fullyParallel: true,
  workers: 2,
  // Shared machines are slow now and then; what fails twice is broken.
  retries: process.env['CI'] === 'true' ? 1 : 0,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  use: {
    actionTimeout: 20_000,
    trace: 'retain-on-failure',
    viewport: { width: 1440, height: 900 },
    launchOptions: {
      executablePath: process.env['MUSTER_CHROMIUM'] ?? '/usr/bin/chromium',
      args: CHROMIUM_FLAGS.split(' '),
    },
  },
})
