import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

/** Opens the device of FUSE, mounts it, and never answers the kernel. */
const SERVE = `
const { openSync } = require('node:fs'), { spawnSync } = require('node:child_process')
const device = openSync('/dev/fuse', 'r+')
const options = 'fd=3,rootmode=40000,user_id=0,group_id=0'
const { status } = spawnSync('mount', ['-i', '-t', 'fuse', 'dead', process.argv[1], '-o', options], { stdio: ['ignore', 'ignore', 'inherit', device] })
console.log(status === 0 ? 'mounted' : 'failed')
setInterval(() => {}, 60_000)
`

/** A mount whose calls never return, or fail at once with ENOTCONN after \`leave\`. Needs root. */
export async function givenDeadMount(folder: string): Promise<{ leave: () => Promise<void> }> {
  const server = spawn(process.execPath, ['-e', SERVE, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const leave = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return
    server.kill('SIGKILL')
    await once(server, 'exit')
  }
  onTestFinished(async () => {
    await leave()
    spawnSync('umount', ['-l', folder], { stdio: 'ignore' })
  })
  const [said] = (await once(server.stdout, 'data')) as [Buffer]
  if (said.toString() !== 'mounted\n') throw new Error('FUSE is not allowed here')
  return { leave }
}
