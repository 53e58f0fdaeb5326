import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { installScript } from './install-script.ts'

/** Runs the installer with a file system of its own at `folder`, and returns the last line that it prints. */
async function install(given: { mount: string; data?: string }): Promise<{ code: number; last: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-folder-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  // Programs of a size that fills a small disk.
  const server = createServer((_request, response) => response.end('//'.repeat(500_000)))
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const script = join(folder, 'install.sh')
  const trust = { authority: undefined, certificateHash: undefined, keyPin: undefined }
  await writeFile(script, installScript({ url, token: 'x'.repeat(43), trust }))
  const line = `mount -t tmpfs -o ${given.mount} tmpfs /mnt && sh ${script} --data ${given.data ?? '/mnt/agent'}`
  const user = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
  const { promise, resolve } = Promise.withResolvers<{ code: number; last: string }>()
  execFile('unshare', [...user, '--mount', 'sh', '-c', line], (error, _stdout, stderr) => {
    resolve({ code: Number(error?.code ?? 0), last: stderr.trim().split('\n').at(-1) ?? '' })
  })
  return promise
}

const ADVICE = 'Choose another folder with --data.'

test.each([
  [
    'a file system without programs',
    { mount: 'noexec' },
    `/mnt is mounted noexec: programs cannot run there. ${ADVICE}`,
  ],
  [
    'a read-only file system',
    { mount: 'ro' },
    `the folder /mnt/agent could not be created: Read-only file system. ${ADVICE}`,
  ],
  [
    'a full disk',
    { mount: 'size=200k' },
    'the disk of /mnt/agent/program is full: 0 KB are free. Free some space, or choose another folder with --data.',
  ],
  ['a file', { mount: 'rw', data: '/etc/passwd' }, `/etc/passwd is a file. ${ADVICE}`],
  [
    'a folder in a file',
    { mount: 'rw', data: '/etc/passwd/agent' },
    `the folder /etc/passwd/agent could not be created: Not a directory. ${ADVICE}`,
  ],
])('an installation into %s fails and says why', async (_name, given, sentence) => {
  expect(await install(given)).toEqual({ code: 1, last: `muster: ${sentence}` })
})
