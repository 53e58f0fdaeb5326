// Runs on Node 18+: installs what package-lock.json names when it is not installed yet, and finds a Node that
// runs TypeScript sources (24 or newer): this one, or the pinned binary that npm installed.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = resolve(fileURLToPath(import.meta.url), '..', '..')

const stamp = join(root, 'node_modules', '.muster-lock')

export function installPackages() {
  const lockText = readFileSync(join(root, 'package-lock.json'))
  const lock = createHash('sha256').update(lockText).digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  if (!isInstalled(JSON.parse(lockText.toString()).packages)) {
    console.log('Installing packages (first start, or package-lock.json changed) ...')
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
    const result = spawnSync(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    })
    if (result.error) fail(`npm could not be started: ${result.error.message}`)
    if (result.status !== 0) fail(`npm ci failed (exit code ${result.status}); the lines above say why`)
  }
  writeFileSync(stamp, lock)
}

/** Absolute path of a Node 24+ executable. */
export function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  const os = { linux: 'linux', win32: 'win', darwin: 'darwin' }[process.platform]
  const folder = join(root, 'node_modules', `node-${os}-${process.arch}`, 'bin')
  const file = join(folder, process.platform === 'win32' ? 'node.exe' : 'node')
  if (!existsSync(file)) {
    fail(
      `Node 24 or newer is needed; this is ${process.version} and no pinned Node fits ${process.platform}-${process.arch}`,
    )
  }
  return file
}

export function fail(message) {
  console.error(`muster: ${message}`)
  process.exit(1)
}

/** npm writes its own list last, so what it names is complete: after an `npm install` there is nothing to do. */
function isInstalled(wanted) {
  const list = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(list)) return false
  const present = JSON.parse(readFileSync(list, 'utf8')).packages
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.includes('node_modules/') || entry.link) return true
    // Optional ones are for other platforms where npm left them out.
    return present[path] === undefined ? entry.optional === true : present[path].version === entry.version
  })
}
