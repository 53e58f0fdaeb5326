import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Program } from './program.ts'

export type FullRoot = Awaited<ReturnType<typeof mountFullRoot>>

// The temporary folder is shared, so that tests see what agents write there.
const SETUP = `
set -e
mount -t tmpfs -o size=16m muster "$1"
cd "$1"
mkdir upper work root
mount -t overlay overlay -o lowerdir=/,upperdir=upper,workdir=work root
for folder in /dev /proc /sys "$2"; do mount --rbind "$folder" "root$folder"; done
head -c 15500000 /dev/zero > root/filler
echo ready
exec chroot root sleep infinity
`

/**
 * A file system of this machine's files that is almost full, in a mount namespace of its own: agents in it report that
 * their disk is full, and nothing else does. For root only. `within` starts a command in it.
 */
export async function mountFullRoot() {
  await using stack = new AsyncDisposableStack()
  const path = await mkdtemp(join(tmpdir(), 'muster-e2e-root-'))
  stack.defer(() => rm(path, { recursive: true, force: true }))
  const arguments_ = ['--mount', '--propagation', 'private', 'sh', '-c', SETUP, 'sh', path, tmpdir()]
  const holder = stack.use(new Program('unshare', arguments_, { env: { ...process.env } }))
  await holder.waitForLine(/^ready$/)
  const resources = stack.move()
  return {
    within: ['nsenter', '--target', `${holder.pid}`, '--mount', '--root', '--wd'],
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
