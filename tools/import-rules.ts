import { posix } from 'node:path'
import type { SourceFile } from './source-files.ts'

/** Who may import whom, docs/ARCHITECTURE.md section "Imports". The first area that holds a file is its own. */
const AREAS: { area: string; folder: string; mayImport: string[]; packages?: RegExp }[] = [
  { area: 'rules', folder: 'packages/rules/', mayImport: [], packages: /^$/ },
  { area: 'contract', folder: 'packages/contract/', mayImport: ['rules'], packages: /^zod$/ },
  { area: 'fake-agent', folder: 'packages/fake-agent/', mayImport: ['contract'] },
  {
    area: 'features',
    folder: 'apps/server/src/features/',
    mayImport: ['platform', 'server', 'contract', 'rules'],
  },
  { area: 'platform', folder: 'apps/server/src/platform/', mayImport: ['contract', 'rules'] },
  {
    area: 'server',
    folder: 'apps/server/',
    mayImport: ['features', 'platform', 'contract', 'rules', 'fake-agent'],
  },
  { area: 'ui', folder: 'apps/console/src/ui/', mayImport: ['rules'] },
  { area: 'console', folder: 'apps/console/', mayImport: ['ui', 'contract', 'rules'] },
  { area: 'agent', folder: 'apps/agent/', mayImport: ['contract', 'rules'] },
  { area: 'e2e', folder: 'e2e/', mayImport: ['contract', 'rules', 'fake-agent', 'tools', 'deploy'] },
  { area: 'deploy', folder: 'deploy/', mayImport: [] },
  {
    area: 'tools',
    folder: 'tools/',
    mayImport: ['deploy', 'contract', 'rules', 'server', 'features', 'platform'],
  },
]
/** Tests may also use the test runner, simulated machines and the private servers of tools. */
const TEST_FILE = /\.(test|story)\.tsx?$|\/test-[\w-]+\.tsx?$/
const TEST_AREAS = new Set(['fake-agent', 'tools', 'server', 'features'])

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
  const folder = ['server', 'agent', 'console'].includes(name) ? 'apps' : name === 'e2e' ? '' : 'packages'
  return posix.join(folder, name, 'src', rest ?? '')
}
