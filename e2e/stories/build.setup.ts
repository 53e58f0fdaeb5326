import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { buildPrograms } from '../support/build.ts'
import { ROOT } from '../support/program.ts'

test('the console and the agent are built from these sources, of the libraries that users get', () => {
  buildPrograms()
  const files = globSync(join(ROOT, 'apps/console/dist/assets/index-*.js'))
  // Only the half of React that is meant for users says so.
  expect(files.filter((file) => readFileSync(file, 'utf8').includes('Minified React error'))).toHaveLength(1)
  // One byte for each character in the memory of every machine.
  expect(readFileSync(join(ROOT, 'apps/agent/dist/agent.mjs')).find((byte) => byte > 127)).toBeUndefined()
})
