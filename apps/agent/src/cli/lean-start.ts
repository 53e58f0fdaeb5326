import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { dataFiles } from '../identity/data-folder.ts'
import { withStartUmask } from '../os/umask.ts'
import { AGENT_VERSION } from '../version.ts'

/**
 * An agent waits most of its life: without compilers its code takes a few more microseconds and 12 MB less. What passes
 * through its channels is collected by a call.
 */
const LEAN_FLAGS = [
  '--no-opt',
  '--no-maglev',
  '--no-sparkplug',
  '--max-semi-space-size=1',
  '--optimize-for-size',
  '--expose-gc',
]
/** One pool of the C library instead of one for each thread, which gives back what it does not need: 2 MB less. */
const LEAN_MEMORY = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' }

/**
 * Starts this very process over with less memory, keeping its process id.
 *
 * Run from its sources, an agent carries the TypeScript compiler along for good (20 MB more) unless Node finds
 * them compiled in a cache, and the cache has to be named before Node starts. It is filled by a process that loads
 * everything and ends. Does nothing the second time, and where a process cannot be replaced (Windows).
 */
export function startLean(folder: string, [node = process.execPath, ...script]: string[]): void {
  if (process.execArgv.includes('--no-opt') || process.platform === 'win32' || process.execve === undefined)
    return
  const env: Record<string, string> = { ...LEAN_MEMORY }
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) env[name] = value
  if (import.meta.filename.endsWith('.ts')) {
    const cache = join(folder, dataFiles.codeCache, AGENT_VERSION)
    env.NODE_COMPILE_CACHE = cache
    if (!existsSync(cache)) spawnSync(node, [...LEAN_FLAGS, ...script, 'warm-up'], { env, timeout: 30_000 })
  }
  const args = [node, ...LEAN_FLAGS, ...script, 'run', '--data', folder]
  withStartUmask(() => process.execve?.(node, args, env))
}
