import { posix } from 'node:path'
import type { SourceFile } from './source-files.ts'

const SERVER_PARTS = ['server', 'context', 'features', 'samples', 'fleet', 'platform', 'contract', 'rules']

/** Allowed imports, docs/ARCHITECTURE.md section "Imports". The first area that holds a file is its own. */
const AREAS: { area: string; folder: string; mayImport: string[]; packages?: RegExp }[] = [
  { area: 'rules', folder: 'packages/rules/', mayImport: [], packages: /^$/ },
  { area: 'contract', folder: 'packages/contract/', mayImport: ['rules'], packages: /^zod$/ },
  { area: 'fake-agent', folder: 'packages/fake-agent/', mayImport: ['contract'] },
  {
    area: 'features',
    folder: 'apps/server/src/features/',
    mayImport: ['samples', 'fleet', 'platform', 'context', 'contract', 'rules'],
  },
  {
    area: 'fleet',
    folder: 'apps/server/src/fleet/',
    mayImport: ['platform', 'context', 'contract', 'rules'],
  },
  {
    area: 'samples',
    folder: 'apps/server/src/samples/',
    mayImport: ['platform', 'context', 'contract', 'rules'],
  },
  { area: 'platform', folder: 'apps/server/src/platform/', mayImport: ['contract', 'rules'] },
  // The context and the types of hooks: what all of the server is given.
  { area: 'context', folder: 'apps/server/src/context.ts', mayImport: SERVER_PARTS },
  { area: 'context', folder: 'apps/server/src/hooks.ts', mayImport: SERVER_PARTS },
  {
    area: 'server',
    folder: 'apps/server/',
    mayImport: [...SERVER_PARTS, 'fake-agent'],
  },
  { area: 'ui', folder: 'apps/console/src/ui/', mayImport: ['rules'] },
  { area: 'console', folder: 'apps/console/', mayImport: ['ui', 'contract', 'rules'] },
  // Machines with Windows, for tests and figures.
  { area: 'wine', folder: 'apps/agent/wine/', mayImport: ['agent', 'contract', 'rules'] },
  { area: 'agent', folder: 'apps/agent/', mayImport: ['contract', 'rules'] },
  { area: 'cli', folder: 'apps/cli/', mayImport: ['contract', 'rules'] },
  { area: 'e2e', folder: 'e2e/', mayImport: ['contract', 'rules', 'fake-agent', 'wine', 'tools', 'deploy'] },
  { area: 'deploy', folder: 'deploy/', mayImport: [] },
  {
    area: 'tools',
    folder: 'tools/',
    mayImport: ['deploy', ...SERVER_PARTS],
  },
]
/** Tests may also use the test runner, simulated machines and the private servers of tools. */
const TEST_FILE = /\.(test|story)\.tsx?$|\/test-[\w-]+\.tsx?$/
const TEST_AREAS = new Set(['fake-agent', 'tools', 'server', 'context', 'features', 'samples', 'fleet'])

const FEATURES = 'apps/server/src/features/'

export function findForbiddenImports(files: SourceFile[]): string[] {
  return files
    .filter(({ path }) => /\.(ts|tsx|mjs)$/.test(path))
    .flatMap(({ path, text }) =>
      listImports(text)
        .filter((specifier) => !isAllowed(path, specifier))
        .map((specifier) => `${path} may not import ${specifier}`),
    )
}

export function listImports(text: string): string[] {
  const statements = text.matchAll(/^(?:import|export)\b[^'"`;]*?from\s+'([^']+)'|^import\s+'([^']+)'/gm)
  const calls = text.matchAll(/\bimport\(\s*['"`]([^'"`]+)['"`]/g)
  return [...statements, ...calls].flatMap(([, first, second]) => first ?? second ?? [])
}

function isAllowed(path: string, specifier: string): boolean {
  const from = AREAS.find(({ folder }) => path.startsWith(folder))
  if (from === undefined) return true
  const isTest = TEST_FILE.test(path)
  const target = resolveImport(path, specifier)
  if (target === undefined) return from.packages === undefined || isTest || from.packages.test(specifier)
  const to = AREAS.find(({ folder }) => target.startsWith(folder))
  if (to === undefined || to.area === from.area) return true
  return from.mayImport.includes(to.area) || (isTest && from.area !== 'rules' && TEST_AREAS.has(to.area))
}

/** The file inside the project that is meant; undefined for packages from elsewhere. */
export function resolveImport(path: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(path), specifier)
  const [, name, rest] = /^@muster\/([\w-]+)\/?(.*)$/.exec(specifier) ?? []
  if (name === undefined) return undefined
  const folder = ['server', 'agent', 'cli', 'console'].includes(name)
    ? 'apps'
    : name === 'e2e'
      ? ''
      : 'packages'
  // The same modules: the package's `exports` say so.
  const file = name === 'contract' ? rest?.replace(/^calls\//, 'api/') : rest
  return posix.join(folder, name, 'src', file ?? '')
}

/** A feature imports only those above it in the list of modules.ts, which names each once. */
export function findUpwardImports(files: SourceFile[]): string[] {
  const modules = files.find(({ path }) => path === 'apps/server/src/modules.ts')?.text ?? ''
  const [, list = ''] = /FEATURES = \[([^\]]*)\]/.exec(modules) ?? []
  const order = list.split(/[\s',]+/).filter((name) => name !== '')
  const features = files.filter(({ path }) => path.startsWith(FEATURES))
  const folders = new Set(features.map(({ path }) => folderOf(path.slice(FEATURES.length))))
  const upward = features
    .filter(({ path }) => !TEST_FILE.test(path))
    .flatMap(({ path, text }) =>
      listImports(text)
        .map((specifier) => resolveImport(path, specifier) ?? '')
        .filter((target) => target.startsWith(FEATURES))
        .map((target) => ({
          importer: path.slice(FEATURES.length),
          imported: target.slice(FEATURES.length),
        })),
    )
    .filter(({ importer, imported }) => order.indexOf(folderOf(importer)) < order.indexOf(folderOf(imported)))
  return [
    ...upward.map(
      ({ importer, imported }) => `${importer} may not import ${imported}: it comes later in modules.ts`,
    ),
    ...[...folders].filter((name) => !order.includes(name)).map((name) => `modules.ts does not list ${name}`),
    ...order
      .filter((name, index) => !folders.has(name) || order.indexOf(name) < index)
      .map((name) => `modules.ts lists ${name}, which is no feature or twice there`),
  ]
}

function folderOf(path: string): string {
  return path.slice(0, path.indexOf('/'))
}
