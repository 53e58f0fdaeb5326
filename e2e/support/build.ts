import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from './program.ts'

/** Builds the console and the agent where they do not fit their sources, as `npm start` does. */
export function buildPrograms(): void {
  const { status } = spawnSync(process.execPath, [join(ROOT, 'deploy/build.mjs')], { stdio: 'inherit' })
  if (status !== 0) throw new Error('the build failed')
}
