import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fetchPackages, prepareSystem } from './wine-machine.ts'

/** Before the suites, which run beside each other: Wine, Node for Windows and the agent are made ready once. */
export function setup(): void {
  prepareSystem()
  fetchPackages()
  execFileSync(process.execPath, [join(import.meta.dirname, '../../../deploy/build.mjs')], {
    stdio: 'ignore',
  })
}
