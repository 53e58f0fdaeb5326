import { availableParallelism } from 'node:os'
import { defineConfig } from '@playwright/test'
import { PATIENCE_MS } from '../tools/patience.ts'
import { findChromium, findTestChromium } from '../tools/system-programs.ts'

// Pages live for seconds: optimized code costs more to compile than it saves, and helper threads crowd the machine.
const CHROMIUM_FLAGS =
  '--js-flags=--no-opt,--no-maglev,--single-threaded --in-process-gpu --num-raster-threads=1 --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'

// Each takes a minute or more, of which it waits the most: begun first, so that others run meanwhile.
const LONG = ['axe', 'axe-monitoring', 'axe-remote', 'checks', 'kill-server', 'monitoring', 'tasks'].map(
  fileOf,
)

// Two whole stories, what a killed server must not lose, and two servers. The server's own tests run on each database, and
// screens do not depend on it.
const ON_EVERY_DATABASE = [
  'kill-server',
  'killed-while-notifying',
  'main-job',
  'two-processes',
  'two-processes-terminal',
  'two-processes-tools',
].map(fileOf)

// Only a browser with windows shows anything outside of its pages.
const IN_A_WHOLE_BROWSER = ['browser-notices'].map(fileOf)

function fileOf(name: string): string {
  return `**/${name}.story.ts`
}

function launch(executablePath = 'chromium') {
  return { executablePath, args: CHROMIUM_FLAGS.split(' ') }
}

const onPostgres = process.env['MUSTER_TEST_POSTGRES'] !== undefined
const long = onPostgres ? LONG.filter((file) => ON_EVERY_DATABASE.includes(file)) : LONG

// Every story starts its own server (support/story.ts); what a test is started with comes from there.
export default defineConfig({
  testDir: 'stories',
  projects: [
    { name: 'build', testMatch: 'build.setup.ts' },
    { name: 'long stories', testMatch: long, dependencies: ['build'] },
    {
      name: 'stories',
      testMatch: onPostgres ? ON_EVERY_DATABASE : '**/*.story.ts',
      testIgnore: [...LONG, ...IN_A_WHOLE_BROWSER],
      dependencies: ['build'],
    },
    {
      name: 'stories in a whole browser',
      testMatch: onPostgres ? [] : IN_A_WHOLE_BROWSER,
      dependencies: ['build'],
      use: { launchOptions: launch(findChromium()) },
    },
  ],
  outputDir: `test-results/${onPostgres ? 'postgres' : 'sqlite'}`,
  fullyParallel: true,
  // Two servers and their machines run alone.
  workers: onPostgres ? 1 : availableParallelism(),
  forbidOnly: true,
  timeout: 900_000,
  expect: { timeout: PATIENCE_MS },
  use: {
    actionTimeout: PATIENCE_MS,
    // Its requests would pass by what stories answer themselves. One story allows it.
    serviceWorkers: 'block',
    viewport: { width: 1440, height: 900 },
    launchOptions: launch(findTestChromium()),
  },
})
