import { execFileSync, spawnSync } from 'node:child_process'
import { dirname } from 'node:path/posix'
import { root } from './programs.ts'

/** The last landing of `main` that this checkout knows; without a remote, the last commit. */
export function findBase(): string {
  try {
    return git('merge-base', 'HEAD', 'origin/main').trim()
  } catch {
    return 'HEAD'
  }
}

/** Whether git knows the commit. */
export function isCommit(name: string): boolean {
  return (
    spawnSync('git', ['rev-parse', '--verify', '--quiet', `${name}^{commit}`], { cwd: root }).status === 0
  )
}

/** Paths from the project's folder: what differs from `base`, committed or not, and files that git does not know yet. */
export function listChangedFiles(base: string): string[] {
  const changed = git('diff', '--name-only', base, '--')
  const untracked = git('ls-files', '--others', '--exclude-standard')
  return `${changed}${untracked}`.split('\n').filter((path) => path !== '')
}

/**
 * The stories of the changed features, by their names: `features/users/api-keys/` has `api-keys`, `alerts/` has `alerts`
 * and `alert-causes`. The innermost folder that has a story counts. The main job belongs to each change of a program.
 */
export function findStories(paths: readonly string[], stories: readonly string[]): string[] {
  const found = paths.flatMap((path) => {
    const [, story] = /^e2e\/stories\/(.+)\.story\.ts$/.exec(path) ?? []
    if (story !== undefined) return [story]
    return /^(apps|packages)\//.test(path) ? ['main-job', ...findNamed(path, stories)] : []
  })
  return stories.filter((story) => found.includes(story))
}

/**
 * The tests of the changed folders of the server and the console, where nearly every test imports nearly every file:
 * those beside and below a changed file, or of the next folder above that has any. A file of `packages/` belongs to the
 * features with its name.
 */
export function findTests(paths: readonly string[], tests: readonly string[]): string[] {
  const features = [...new Set(tests.flatMap((test) => /\/features\/([^/]+)\//.exec(test)?.slice(1) ?? []))]
  const found = new Set(
    paths.flatMap((path) => {
      if (/^apps\/(server|console)\/src\//.test(path)) return findBeside(path, tests)
      if (!path.startsWith('packages/')) return []
      const named = findNamed(path, features).map((feature) => `/features/${feature}/`)
      return tests.filter((test) => named.some((part) => test.includes(part)))
    }),
  )
  return tests.filter((test) => found.has(test))
}

function findBeside(path: string, tests: readonly string[]): string[] {
  const folder = dirname(path)
  const isShared = folder.endsWith('/src') || folder.endsWith('/features')
  const found = tests.filter((test) => (isShared ? dirname(test) === folder : test.startsWith(`${folder}/`)))
  return found.length > 0 || isShared ? found : findBeside(folder, tests)
}

function findNamed(path: string, stories: readonly string[]): string[] {
  const [file = '', ...folders] = path.split('/').slice(3).toReversed()
  for (const segment of [file.replace(/\..*$/, ''), ...folders]) {
    const parts = splitName(segment)
    const named = stories.filter((story) => parts.isSubsetOf(splitName(story)))
    if (named.length > 0) return named
  }
  return []
}

function splitName(name: string): Set<string> {
  return new Set(name.split('-').map((part) => part.replace(/ies$/, 'y').replace(/s$/, '')))
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}
