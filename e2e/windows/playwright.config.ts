import { defineConfig } from '@playwright/test'
import stories from '../playwright.config.ts'

// Apart from the other stories: it needs what the tests in Wine need.
export default defineConfig({
  ...stories,
  testDir: '..',
  projects: [
    { name: 'build', testMatch: 'stories/build.setup.ts' },
    { name: 'windows', testMatch: 'windows/*.story.ts', dependencies: ['build'] },
  ],
  outputDir: '../test-results/windows',
  workers: 1,
})
