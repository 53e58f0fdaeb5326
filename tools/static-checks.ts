/** Checks of the sources that do not run them. */
export const staticChecks = [
  { name: 'types', command: ['tsc', '-p', 'tsconfig.json'] },
  { name: 'types of the console', command: ['tsc', '-p', 'apps/console/tsconfig.json'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--quiet'] },
  { name: 'format', command: ['oxfmt', '--check', '.'] },
]
