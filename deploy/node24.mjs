// Runs on Node 18+: installs what package-lock.json names when it is not installed yet, and finds a Node that
// runs TypeScript sources (24 or newer): this one, or the pinned binary that npm installed.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const root = resolve(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..')

const stamp = join(root, 'node_modules', '.muster-lock')

export function installPackages() {
  const lock = createHash('sha256').update(readFileSync(join(root, 'package-lock.json'))).digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  console.log('Installing packages (first start, or the lock file changed) ...')
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const result = spawnSync(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
  if (result.status !== 0) fail(`npm ci failed (exit code ${result.status}); the lines above say why`)
  writeFileSync(stamp, lock)
}

/** Absolute path of a Node 24+ executable. */
export function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  const os = { linux: 'linux', win32: 'win', darwin: 'darwin' }[process.platform]
  const folder = join(root, 'node_modules', `node-${os}-${process.arch}`, 'bin')
  const file = join(folder, process.platform === 'win32' ? 'node.exe' : 'node')
  if (!existsSync(file)) fail(`Muster needs Node 24 or newer; this is ${process.version} and no pinned Node fits ${process.platform}-${process.arch}`)
  return file
}

function fail(message) {
  console.error(`muster: ${message}`)
  process.exit(1)
}
