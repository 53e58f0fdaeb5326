import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ROOT } from './program.ts'

/** Builds the console and the agent where they do not fit their sources, as `npm start` does. */
export function buildPrograms(): void {
  const { status } = spawnSync(process.execPath, [join(ROOT, 'deploy/build.mjs')], { stdio: 'inherit' })
  if (status !== 0) throw new Error('the build failed')
}

/** Builds a package of the agent for this machine into a folder, and returns its file. */
export function buildPackage(format: 'deb' | 'rpm', folder: string, version?: string): string {
  const program = join(ROOT, 'deploy/packages.mjs')
  const args = ['--platform', 'linux', '--arch', process.arch, '--format', format, '--fast', '--out', folder]
  const env = { ...process.env, ...(version === undefined ? {} : { MUSTER_PACKAGE_VERSION: version }) }
  const printed = execFileSync(process.execPath, [program, ...args], { encoding: 'utf8', env })
  // The contract of the program.
  return (JSON.parse(printed.trim().split('\n').at(-1) ?? '') as { file: string }).file
}
