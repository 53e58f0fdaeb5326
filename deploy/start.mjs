// `npm start`, on Node 18+: installs and builds what is missing, then runs the server until a signal stops it.
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fail, findNode, installPackages, root } from './node24.mjs'
import { serverFlags, serverMemory } from './server-flags.mjs'
import { isFresh, targets } from './sources.mjs'

// One Ctrl+C reaches this program twice, from the terminal and from npm; the server gets it once.
const REPEATED_WITHIN_MS = 1000
const PARENT_CHECK_MS = 250

installPackages()
const node = findNode()
buildStale()
runServer()

function buildStale() {
  const stale = targets.filter((target) => !isFresh(target)).map((target) => target.name)
  if (stale.length === 0) return
  console.log(`Building the ${stale.join(' and the ')} ...`)
  const result = spawnSync(node, [join(root, 'deploy', 'build.mjs'), ...stale], {
    cwd: root,
    stdio: 'inherit',
  })
  if (result.error) fail(`the build could not be started: ${result.error.message}`)
  if (result.signal) process.exit(1)
  if (result.status !== 0) process.exit(result.status ?? 1)
}

function runServer() {
  const watcher = pathToFileURL(join(root, 'deploy', 'stop-with-parent.mjs')).href
  const main = join(root, 'apps', 'server', 'src', 'main.ts')
  const child = spawn(node, [...serverFlags, '--import', watcher, main, ...process.argv.slice(2)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // A process group of its own: what the terminal sends comes by way of this program only.
    detached: process.platform !== 'win32',
    env: {
      ...serverMemory,
      ...process.env,
      // The same data wherever it is started from.
      MUSTER_DATA: process.env.MUSTER_DATA || join(root, 'data'),
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules', '.cache', 'compiled'),
    },
  })
  let forwardedAtMs = -Infinity
  const forward = (signal) => {
    if (Date.now() - forwardedAtMs < REPEATED_WITHIN_MS) return
    forwardedAtMs = Date.now()
    child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => forward(signal))
  // npm passes SIGTERM on to its shell, which exits without forwarding it: losing that parent means the same.
  const parent = process.ppid
  if (process.env.npm_lifecycle_event !== undefined) {
    setInterval(() => process.ppid === parent || forward('SIGTERM'), PARENT_CHECK_MS)
  }
  child.on('error', (error) => fail(`the server could not be started: ${error.message}`))
  // A server that was killed ends this program with a failure, one that stopped in order with its own code.
  child.on('exit', (code) => process.exit(code ?? 1))
}
