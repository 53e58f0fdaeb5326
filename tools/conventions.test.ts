import { readdirSync, readFileSync } from 'node:fs'
import { join, parse } from 'node:path'
import { expect, test } from 'vitest'
import * as rules from './convention-rules.ts'
import { findForbiddenImports, findUpwardImports } from './import-rules.ts'
import { findBannedTerms } from './language-rules.ts'
import { root } from './programs.ts'
import { listTopFolders, readSources } from './source-files.ts'
import { findConsoleCycles } from './structure.ts'
import { findUnstyled } from './style-rules.ts'

const files = readSources(root)

test('the whole project is read', () => {
  expect(files.length).toBeGreaterThan(100)
  expect(files.map(({ path }) => path)).toContain('packages/rules/src/checks/thresholds.ts')
})

test.each([
  ['each noun of the contract has a folder in the server', rules.findMissingFeatures],
  ['each endpoint of the contract is mounted once', rules.findWronglyMounted],
  ['no file is longer than 500 lines', rules.findLongFiles],
  ['no file only passes on others', rules.findBarrels],
  ['no test is left out', rules.findSkippedTests],
  ['tests wait with the one patience', rules.findImpatientTests],
  ['every mark names its issue', rules.findOpenMarks],
  ['exports are named', rules.findDefaultExports],
  ['constants of the specification stand once', rules.findWrongConstants],
  ['decisions have a status and a date', rules.findBadDecisions],
  ['documents name paths that exist', rules.findMissingPaths],
  ['nothing names a private folder or host', rules.findPrivatePaths],
  ['imports follow the architecture', findForbiddenImports],
  ['features import only features above them in modules.ts', findUpwardImports],
  ['no files of the console import one another in a circle', findConsoleCycles],
  ['no word of the glossary returns', findBannedTerms],
])('%s', (_name, findProblems) => {
  expect(findProblems(files)).toEqual([])
})

test('each file loads the styles of what it shows', () => {
  const styles = readdirSync(join(root, 'node_modules/@mantine/core/styles')).map((name) => parse(name).name)
  expect(styles).toContain('SegmentedControl')
  expect(findUnstyled(files, styles)).toEqual([])
})

test('every top folder is known', () => {
  expect(rules.findUnknownTopFolders(listTopFolders(root))).toEqual([])
})

test('the lock file names no registry, serves every platform and pins what is installed by its hash', () => {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8')
  expect(rules.findResolvedUrls(lock)).toEqual([])
  expect(rules.findMissingLockEntries(lock)).toEqual([])
  expect(rules.findUnhashedLockEntries(lock)).toEqual([])
})
