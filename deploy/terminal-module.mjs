import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './node24.mjs'

/**
 * The native part of the terminal, which cannot be in the agent's file, for machines of either processor. npm installs
 * the one of this machine only; the other one is fetched if the registry is reachable.
 */
export function layTerminalModule(arch, folder) {
  const name = `@lydell/node-pty-linux-${arch}`
  const { version, integrity } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages[
    `node_modules/${name}`
  ]
  mkdirSync(folder, { recursive: true })
  const target = join(folder, `linux-${arch}.node`)
  const installed = join(root, 'node_modules', name, 'pty.node')
  if (existsSync(installed)) return copyFileSync(installed, target)
  const scratch = mkdtempSync(join(folder, 'fetch-'))
  try {
    const run = (program, ...args) =>
      execFileSync(program, args, {
        cwd: scratch,
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: 60_000,
        shell: process.platform === 'win32',
      })
    run('npm', 'pack', '--silent', `${name}@${version}`)
    const archive = readdirSync(scratch).find((file) => file.endsWith('.tgz')) ?? ''
    const digest = createHash('sha512')
      .update(readFileSync(join(scratch, archive)))
      .digest('base64')
    if (`sha512-${digest}` !== integrity) throw new Error('it is not what the lock file names')
    run('tar', 'xzf', archive)
    copyFileSync(join(scratch, 'package', 'pty.node'), target)
  } catch (error) {
    console.warn(
      `muster: no terminals on ${arch} machines: ${name} could not be fetched (${error.message.split('\n')[0]})`,
    )
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
