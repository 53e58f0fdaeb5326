import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './programs.ts'
import { ON_POSTGRES } from './test-steps.ts'

const server = join(root, 'apps/server')
const files = globSync('src/**/*.ts', { cwd: server })
const isTest = (file: string) => /\.test\.ts$|\/test-[\w-]+\.ts$|^src\/testing\//.test(file)
const runsOnPostgres = (file: string) =>
  file.endsWith('.test.ts') && ON_POSTGRES.some((part) => file.includes(part))

test('each entry of the tests on PostgreSQL names a test of the server', () => {
  const unknown = ON_POSTGRES.filter(
    (part) => !files.some((file) => file.endsWith('.test.ts') && file.includes(part)),
  )
  expect(unknown).toEqual([])
})

test('each folder with SQL of its own has a test that runs on PostgreSQL', () => {
  const ownSql = /\bsql(\.\w+)?[`<(]|\.onConflict\(|\blockRow\(|\bis(Unique|ForeignKey)Violation\(/
  const folders = new Set(
    files
      .filter((file) => !isTest(file) && ownSql.test(readFileSync(join(server, file), 'utf8')))
      .map((file) => dirname(file)),
  )
  // The settings that are written there are tested through their endpoints, features/settings.
  folders.delete('src/platform/config')
  // The rows of these kinds are tested in features/patches/policy and features/software/policy.
  folders.delete('src/features/policies/kinds')
  const untested = [...folders].filter(
    (folder) => !files.some((file) => dirname(file) === folder && runsOnPostgres(file)),
  )
  expect(untested).toEqual([])
})
