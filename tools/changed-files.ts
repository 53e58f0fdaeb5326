import { execFileSync } from 'node:child_process'
import { root } from './programs.ts'

/** The last landing of `main` that this checkout knows; without a remote, the last commit. */
export function findBase(): string {
  try {
    return git('merge-base', 'HEAD', 'origin/main').trim()
  } catch {
    return 'HEAD'
  }
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
