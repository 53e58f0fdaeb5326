import { expect, test } from 'vitest'
import { FLOWS } from './flows.ts'
import { root } from './programs.ts'
import { readSources, type SourceFile } from './source-files.ts'
import { findConsoleCycles, findFeatureCycles, followFlow, isProductFile, measureSizes } from './structure.ts'

const feature = (name: string, ...imports: string[]): SourceFile => ({
  path: `apps/server/src/features/${name}/routes.ts`,
  text: imports.map((other) => `import { a } from '../${other}/routes.ts'\n`).join(''),
})
const screen = (name: string, text: string) => ({ path: `apps/console/src/app/${name}.ts`, text })

test('features that import each other through others are one circle', () => {
  const files = [feature('a', 'b'), feature('b', 'c'), feature('c', 'a', 'd'), feature('d')]
  expect(findFeatureCycles(files)).toEqual([['a', 'b', 'c']])
})

test('a dynamic import and an import of types close a circle of the console', () => {
  const opener = screen('a', "import { b } from './b.ts'")
  expect(findConsoleCycles([opener, screen('b', "const a = () => import('./a.ts')")])).toHaveLength(1)
  expect(findConsoleCycles([opener, screen('b', "import type { A } from './a.ts'")])).toHaveLength(1)
  expect(findConsoleCycles([opener, screen('b', "import { c } from './c.ts'")])).toEqual([])
})

test('short files are counted, and tests are not', () => {
  const file = (lines: number) => ({ path: 'apps/agent/src/a.ts', text: 'a\n'.repeat(lines) })
  expect(measureSizes([file(39), file(40), file(80), file(1)])).toEqual({
    files: 4,
    lines: 160,
    mean: 40,
    short: 50,
  })
  expect(
    ['a.ts', 'a.test.ts', 'test-a.ts', 'testing/a.ts'].map((name) => isProductFile(`apps/agent/src/${name}`)),
  ).toEqual([true, false, false, false])
})

test('each step of the flows is declared in one file', () => {
  const files = readSources(root).filter(({ path }) => isProductFile(path))
  expect(FLOWS.flatMap((flow) => followFlow(flow, files).lost)).toEqual([])
})
