import { posix, resolve } from 'node:path'
import { FLOWS, type Flow, PROGRAM_FOLDERS, type Program } from './flows.ts'
import { listImports, resolveImport } from './import-rules.ts'
import { root } from './programs.ts'
import { readSources, type SourceFile } from './source-files.ts'

/**
 * `npm run structure`: how large the files are, what imports in a circle, and how many files four flows pass.
 * `npm run structure -- ../other` measures another checkout, for the figures before a change.
 */

const SHORT_LINES = 40

/** Sources of the product: no tests, no helpers of tests. */
export function isProductFile(path: string): boolean {
  return (
    /^(apps|packages)\/.*\.tsx?$/.test(path) &&
    !/\.(test|story)\.tsx?$|\/test-[^/]+\.tsx?$|\/testing\//.test(path)
  )
}

export interface Sizes {
  files: number
  lines: number
  /** Lines of a file. */
  mean: number
  /** Percentage of files under 40 lines. */
  short: number
}

export function measureSizes(files: SourceFile[]): Sizes {
  const counts = files.map(({ text }) => text.split('\n').length - (text.endsWith('\n') ? 1 : 0))
  const lines = counts.reduce((sum, count) => sum + count, 0)
  const short = counts.filter((count) => count < SHORT_LINES).length
  return { files: files.length, lines, mean: lines / files.length, short: (100 * short) / files.length }
}

/** Folders of features that import each other, directly or by way of others. */
export function findFeatureCycles(files: SourceFile[]): string[][] {
  const feature = (path: string) => /^apps\/server\/src\/features\/([\w-]+)\//.exec(path)?.[1]
  return findCycles(collectEdges(files, feature))
}

/** Files of the console that import each other. Dynamic imports and imports of types count. */
export function findConsoleCycles(files: SourceFile[]): string[][] {
  return findCycles(collectEdges(files, (path) => (path.startsWith('apps/console/src/') ? path : undefined)))
}

/** The files in which a flow's steps are declared, and the steps that are declared in none or in several. */
export function followFlow(flow: Flow, files: SourceFile[]): { passed: string[]; lost: string[] } {
  const passed = new Set<string>()
  const lost: string[] = []
  for (const [program, names] of Object.entries(flow.steps)) {
    // The keys of the record are the programs.
    const folder = PROGRAM_FOLDERS[program as Program]
    const sources = files.filter(({ path }) => path.startsWith(folder))
    for (const name of names.split(/\s+/).filter((part) => part !== '')) {
      const homes = findDeclarations(name, sources)
      if (homes.length === 1) passed.add(homes[0] ?? '')
      else lost.push(`${program} ${name} is declared in ${homes.length} files (${homes.join(', ')})`)
    }
  }
  return { passed: [...passed], lost }
}

/** Exported ones first: a private function elsewhere may have the same name. */
function findDeclarations(name: string, files: SourceFile[]): string[] {
  const declaration = `(async )?(abstract )?(function|const|class|interface|type) (${name})\\b`
  const homesOf = (pattern: string) => {
    const expression = new RegExp(pattern, 'm')
    return files.filter(({ text }) => expression.test(text)).map(({ path }) => path)
  }
  const exported = homesOf(`^export ${declaration}`)
  return exported.length > 0 ? exported : homesOf(`^${declaration}`)
}

/** Imports between the nodes that `nodeOf` assigns to files. */
function collectEdges(
  files: SourceFile[],
  nodeOf: (path: string) => string | undefined,
): Map<string, Set<string>> {
  const paths = new Set(files.map(({ path }) => path))
  const edges = new Map<string, Set<string>>()
  for (const { path, text } of files) {
    const from = nodeOf(path)
    if (from === undefined) continue
    const targets = edges.get(from) ?? new Set()
    edges.set(from, targets)
    for (const specifier of listImports(text)) {
      const target = resolveImport(path, specifier)
      const to = target !== undefined && paths.has(posix.normalize(target)) ? nodeOf(target) : undefined
      if (to !== undefined && to !== from) targets.add(to)
    }
  }
  return edges
}

/** Strongly connected components of more than one node, the largest first (Tarjan). */
export function findCycles(edges: Map<string, Set<string>>): string[][] {
  const order = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[][] = []
  const visit = (node: string): number => {
    let low = order.size
    order.set(node, low)
    const height = stack.push(node) - 1
    for (const next of edges.get(node) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next))
      else if (stack.includes(next)) low = Math.min(low, order.get(next) ?? low)
    }
    if (low === order.get(node)) {
      const component = stack.splice(height)
      if (component.length > 1) cycles.push(component.toSorted())
    }
    return low
  }
  for (const node of edges.keys()) if (!order.has(node)) visit(node)
  return cycles.toSorted((a, b) => b.length - a.length)
}

function printReport(files: SourceFile[]): void {
  const folders = ['apps/server/', 'apps/console/', 'apps/agent/', 'apps/cli/', 'packages/', '']
  console.log('                 files    lines  mean  under 40')
  for (const folder of folders) {
    const {
      files: count,
      lines,
      mean,
      short,
    } = measureSizes(files.filter(({ path }) => path.startsWith(folder)))
    const cells = [String(count).padStart(8), String(lines).padStart(9), mean.toFixed(0).padStart(6)]
    console.log(`${(folder || 'all').padEnd(14)}${cells.join('')}${`${short.toFixed(0)} %`.padStart(10)}`)
  }
  const features = findFeatureCycles(files)
  console.log(`circles of features of the server: ${describeCycles(features)}`)
  for (const cycle of features) console.log(`      ${cycle.join(' ')}`)
  console.log(`circles of files of the console: ${describeCycles(findConsoleCycles(files))}`)
  for (const flow of FLOWS) {
    const { passed, lost } = followFlow(flow, files)
    console.log(`${String(passed.length).padStart(3)} files: ${flow.name}`)
    for (const problem of lost) console.log(`      ${problem}`)
  }
}

function describeCycles(cycles: string[][]): string {
  return cycles.length === 0 ? 'none' : `of ${cycles.map(({ length }) => length).join(', ')}`
}

if (import.meta.main) {
  const folder = resolve(process.argv[2] ?? root)
  printReport(readSources(folder).filter(({ path }) => isProductFile(path)))
}
