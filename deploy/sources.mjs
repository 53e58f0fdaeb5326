// The targets of the build, their sources, and whether the last build is current. Runs on Node 18+.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { root } from './node24.mjs'

const sharedInputs = ['packages/contract/src', 'packages/rules/src', 'package-lock.json', 'deploy/build.mjs']

/** `dist` is the folder, `entry` the file in it without which nothing works. */
export const targets = [
  {
    name: 'console',
    dist: 'apps/console/dist',
    entry: 'index.html',
    inputs: [
      'apps/console/src',
      'apps/console/public',
      'apps/console/index.html',
      'apps/console/api-docs.html',
      'apps/console/vite.config.ts',
      'apps/console/vite.api-docs.config.ts',
      'apps/console/calls-without-schemas.ts',
      'apps/console/inline-runtime.ts',
      'apps/console/novnc-without-await.ts',
      'apps/console/zod-without-json-schema.ts',
      'apps/console/package.json',
      ...sharedInputs,
    ],
  },
  {
    name: 'agent',
    dist: 'apps/agent/dist',
    entry: 'agent.mjs',
    inputs: [
      'apps/agent/src',
      'apps/agent/package.json',
      'deploy/lazy-schemas.mjs',
      'deploy/terminal-module.mjs',
      ...sharedInputs,
    ],
  },
]

// Inside the folder, so that whatever empties it takes the stamp along.
const STAMP = '.sources'

export function stampFile(dist) {
  return join(dist, STAMP)
}

export function isFresh(target) {
  const dist = join(root, target.dist)
  if (!existsSync(join(dist, target.entry)) || !existsSync(stampFile(dist))) return false
  return readFileSync(stampFile(dist), 'utf8') === hashSources(target.inputs)
}

/** One hash over names and contents of all files under these paths; tests are left out, they are never built. */
export function hashSources(inputs) {
  const hash = createHash('sha256')
  for (const file of inputs.flatMap((input) => listFiles(join(root, input)))) {
    hash.update(relative(root, file).split(sep).join('/'))
    hash.update('\0')
    hash.update(createHash('sha256').update(readFileSync(file)).digest())
  }
  return hash.digest('hex')
}

function listFiles(path) {
  if (!existsSync(path)) return []
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const child = join(path, entry.name)
      if (entry.isDirectory()) return listFiles(child)
      return /\.test\.tsx?$/.test(entry.name) ? [] : [child]
    })
}
