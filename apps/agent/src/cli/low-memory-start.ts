import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { dataFiles } from '../identity/data-folder.ts'
import { withStartUmask } from '../os/umask.ts'
import { AGENT_VERSION } from '../version.ts'
import { loadCheckTypes } from '../checks/table.ts'
import { os } from '../os/index.ts'

/**
 * Flags for an agent that is idle most of the time: without JIT compilers its code is a few microseconds slower and
 * takes 12 MB less. Bytes that pass through channels are collected by an explicit call.
 */
export const LOW_MEMORY_FLAGS = [
  '--no-opt',
  '--no-maglev',
  '--no-sparkplug',
  '--max-semi-space-size=1',
  '--optimize-for-size',
  '--expose-gc',
]
/**
 * One malloc arena instead of one per thread, which returns unused memory: 2 MB less. Blocks of 32 KiB lie outside it:
 * V8 compiles in them, and small blocks between them would keep 4 MB from being returned.
 */
const LOW_MEMORY_ENV = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_TRIM_THRESHOLD_: '131072',
  MALLOC_MMAP_THRESHOLD_: '32768',
}

/**
 * Replaces this process with one that uses less memory and has the same process id.
 *
 * When run from source, Node keeps the TypeScript compiler in memory (20 MB) unless it finds the compiled code in a
 * cache, which must be configured before Node starts. A child process that loads everything fills the cache, which
 * agents share that are given one (NODE_COMPILE_CACHE). Does nothing on the second start, and on systems that cannot
 * replace a process (Windows).
 */
export function startWithLowMemory(folder: string, [node = process.execPath, ...script]: string[]): void {
  if (process.execArgv.includes('--no-opt') || process.platform === 'win32' || process.execve === undefined)
    return
  const env: Record<string, string> = { ...LOW_MEMORY_ENV }
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) env[name] = value
  if (import.meta.filename.endsWith('.ts')) {
    const caches = process.env.NODE_COMPILE_CACHE ?? join(folder, dataFiles.codeCache)
    const cache = join(caches, AGENT_VERSION)
    env.NODE_COMPILE_CACHE = cache
    if (!existsSync(cache))
      spawnSync(node, [...LOW_MEMORY_FLAGS, ...script, 'warm-up'], { env, timeout: 30_000 })
  }
  const args = [node, ...LOW_MEMORY_FLAGS, ...script, 'run', '--data', folder]
  withStartUmask(() => process.execve?.(node, args, env))
}

/** Loads every module that a running agent may load, to fill the compile cache. */
export async function warmUp(): Promise<void> {
  await Promise.all([
    import('./run.ts'),
    import('../link/regain-trust.ts'),
    import('../checks/measure-check.ts'),
    import('../remote/terminal/terminal.ts'),
    import('../remote/terminal/plan-shell.ts'),
    import('../remote/terminal/shells.ts'),
    import('../remote/desktop/desktop.ts'),
    loadCheckTypes(),
    os.loadProbes(),
    os.loadProcessTools(),
    os.loadServiceTools(),
    os.loadSoftwareTools(),
    import('./reports.ts'),
    os.loadPatchTools(),
    os.loadPackageTools(),
    import('./install-order.ts'),
    import('./install-file.ts'),
    import('./session-changes.ts'),
    import('./serve-mount.ts'),
    import('../remote/files/list-folder.ts'),
    import('../update/install-update.ts'),
    import('../collectors/process-changes.ts'),
  ])
}
