import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CHANNEL_KIND, encodeChannelFrame, encodeChannelText } from '@muster/contract/agent/channel'
import { expect, test } from 'vitest'
import { enrolMachine } from '../../link/enrol-machine.ts'
import { os } from '../../os/index.ts'
import type { Os } from '../../os/os.ts'
import { readAttributes, setAttributes } from '../../testing/given-attributes.ts'
import { givenChecks, setChecks, untilResult } from '../../testing/given-checks.ts'
import { givenAgent, givenFolder, givenServer } from '../../testing/given.ts'
import { isAlive } from '../../testing/is-alive.ts'
import { GOOD_TOKEN } from '../../testing/test-server.ts'
import { givenDeadMount } from '../../testing/given-dead-mount.ts'
import { startProgram } from '../../testing/agent-process.ts'
import { ask, FileChannel, raw } from './test-files.ts'

const isRoot = process.getuid?.() === 0

async function prepare() {
  const given = await givenAgent()
  const { server } = given
  const folder = givenFolder()
  const dead = join(folder, 'dead')
  mkdirSync(dead)
  writeFileSync(join(folder, 'file'), 'alive')
  symlinkSync('dead', join(folder, 'link'))
  const mount = isRoot ? await givenDeadMount(dead) : undefined
  const list = (path: string) => ask(server, 'list-folder', { path: raw(path), after: null, search: '' })
  return { ...given, folder, dead, list, mount }
}

test('a mount that never answers holds up nothing else, whatever is done with it', async () => {
  if (!isRoot) return expect(prepare()).resolves.toMatchObject({ mount: undefined })
  const { server, folder, dead, list } = await prepare()
  const path = raw(join(dead, 'new'))
  const upload = randomUUID()
  const texts = { text: 'x', hash: 'a'.repeat(64) }
  const requests = [
    ...Array.from({ length: 20 }, () => list(dead)),
    ask(server, 'read-text', { path: raw(join(folder, 'link', 'motd')) }),
    ask(server, 'begin-upload', { path, upload, size: 1, replace: false }),
    ask(server, 'look-at-upload', { path, upload }),
    ask(server, 'write-text', { path, ...texts }),
    ask(server, 'put-text', { path, ...texts, mode: null, owner: null }),
    ask(server, 'find-text', { path }),
    ask(server, 'change-file', { change: 'make-folder', path }),
    ask(server, 'change-file', { change: 'move', path: raw(join(folder, 'file')), to: path }),
  ]
  const channels = [
    new FileChannel(server, { task: 'read', path, offset: 0, version: null }),
    new FileChannel(server, { task: 'archive', path }),
    new FileChannel(server, { task: 'write', path, upload, offset: 0 }),
  ]
  let ended = 0
  for (const request of requests) void request.then(() => (ended += 1))
  expect((await list('/etc')).refused).toBeNull()
  expect((await ask(server, 'read-text', { path: raw(join(folder, 'file')) })).answer.text).toBe('alive')
  expect(ended).toBe(0)
  const silent = `"${dead}" does not respond.`
  for (const request of requests) expect((await request).refused).toBe(silent)
  for (const channel of channels) expect(await channel.ended()).toEqual({ code: 'refused', message: silent })
  const removal = await ask(server, 'change-file', { change: 'delete', path: raw(folder) })
  expect(removal.refused).toBe(`The network drive "${dead}" is mounted in this folder. Unmount it first.`)
})

test('the folder of a dead mount is listed, and says which entries are not reachable', async () => {
  if (!isRoot) return expect(prepare()).resolves.toMatchObject({ mount: undefined })
  const { folder, list, mount } = await prepare()
  const problems = async () =>
    (await list(folder)).answer.entries.map(({ name, kind, problem }) => [name, kind, problem])
  expect(await problems()).toEqual([
    ['dead', 'folder', 'The network drive does not respond.'],
    ['file', 'file', undefined],
    ['link', 'link', 'The network drive does not respond.'],
  ])
  await mount?.leave()
  expect(await problems()).toEqual([
    ['dead', 'folder', 'Not reachable: Transport endpoint is not connected'],
    ['file', 'file', undefined],
    ['link', 'link', undefined],
  ])
})

test('on a network mount that responds, every tool for files works as elsewhere', async () => {
  const folder = givenFolder()
  const at = (name: string) => join(folder, name)
  mkdirSync(at('nas'), { mode: 0o700 })
  writeFileSync(at('nas/motd'), 'hello', { mode: 0o600 })
  symlinkSync('nas/motd', at('link'))
  const { server } = await givenAgent({ agent: { readNetworkMounts: () => new Set([at('nas')]) } })
  const list = await ask(server, 'list-folder', { path: raw(at('nas')), after: null, search: '' })
  expect(list.answer.entries).toMatchObject([{ name: 'motd', kind: 'file', size: 5, mode: 0o600 }])
  const outside = await ask(server, 'list-folder', { path: raw(folder), after: null, search: '' })
  expect(outside.answer.entries).toMatchObject([
    { name: 'nas', kind: 'folder', mode: 0o700 },
    { name: 'link', kind: 'link', target: { path: 'nas/motd', kind: 'file' } },
  ])
  const { answer } = await ask(server, 'read-text', { path: raw(at('link')) })
  expect(answer).toMatchObject({ text: 'hello', path: raw(at('nas/motd')) })
  setAttributes(at('nas/motd'), { 'user.note': '6b657074' })
  await ask(server, 'write-text', { ...answer, text: 'changed' })
  expect(readFileSync(at('nas/motd'), 'utf8')).toBe('changed')
  expect(readAttributes(at('nas/motd'))).toEqual({ 'user.note': '6b657074' })
  await ask(server, 'change-file', { change: 'make-folder', path: raw(at('nas/sub')) })
  expect(existsSync(at('nas/sub'))).toBe(true)

  const big = Buffer.alloc(3_000_000, 'muster ')
  writeFileSync(at('nas/big'), big)
  const download = new FileChannel(server, {
    task: 'read',
    path: raw(at('nas/big')),
    offset: 0,
    version: null,
  })
  expect(await download.ended()).toMatchObject({ code: 'ended' })
  expect(download.bytes.equals(big)).toBe(true)
  const archive = new FileChannel(server, { task: 'archive', path: raw(at('nas')) })
  expect(await archive.ended()).toMatchObject({ code: 'ended' })
  const left = new FileChannel(
    server,
    { task: 'read', path: raw(at('nas/big')), offset: 0, version: null },
    { reads: false },
  )
  await server.until(() => left.news)
  left.close()
  const missing = new FileChannel(server, { task: 'read', path: raw(at('nas/no')), offset: 0, version: null })
  expect(await missing.ended()).toMatchObject({ message: 'The file or folder no longer exists.' })

  const upload = randomUUID()
  const path = raw(at('nas/new'))
  await ask(server, 'begin-upload', { path, upload, size: 6, replace: false })
  const write = new FileChannel(server, { task: 'write', path, upload, offset: 0 })
  await server.until(() => write.hasText)
  const payload = Buffer.from('landed')
  server.sendRaw(encodeChannelFrame({ kind: CHANNEL_KIND.data, channel: write.id, payload }))
  server.sendRaw(encodeChannelText(write.id, { type: 'done' }))
  expect(await write.ended()).toMatchObject({ code: 'ended' })
  const finish = new FileChannel(server, {
    task: 'finish',
    path,
    upload,
    size: 6,
    replace: false,
    hash: null,
  })
  expect(await finish.ended()).toMatchObject({ code: 'ended' })
  expect(readFileSync(at('nas/new'), 'utf8')).toBe('landed')
})

test('a process is started for a network mount alone, and ends when it is idle', async () => {
  const folder = givenFolder()
  mkdirSync(join(folder, 'nas'))
  const big = join(folder, 'nas/big')
  writeFileSync(big, Buffer.alloc(3_000_000))
  const agent = { readNetworkMounts: () => new Set([join(folder, 'nas')]), mountIdleMs: 100 }
  const given = await givenAgent({ agent })
  const countWorkers = () =>
    readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isWorkerOf(pid, given.folder)).length
  const list = (path: string) =>
    ask(given.server, 'list-folder', { path: raw(path), after: null, search: '' })
  expect((await list(folder)).refused).toBeNull()
  expect(countWorkers()).toBe(0)
  const order = { task: 'read', path: raw(big), offset: 0, version: null } as const
  const left = new FileChannel(given.server, order, { reads: false })
  await given.server.until(() => left.news)
  expect(countWorkers()).toBe(1)
  left.close()
  await expect.poll(countWorkers).toBe(0)
  expect((await list(join(folder, 'nas'))).refused).toBeNull()
})

function isWorkerOf(pid: string, dataFolder: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`\0mount\0--data\0${dataFolder}\0`)
  } catch {
    return false
  }
}

test('a user whose home does not respond still runs commands, in the root folder', async () => {
  if (!isRoot) return expect(prepare()).resolves.toMatchObject({ mount: undefined })
  const home = givenFolder()
  await givenDeadMount(home)
  const findUser: Os['findUser'] = async (name) => ({
    name,
    uid: 65_534,
    gid: 65_534,
    home,
    shell: '/bin/sh',
  })
  const { server } = await givenAgent({ agent: { os: { ...os, findUser } } })
  server.runShell(1, 'pwd', { shell: 'sh', run_as_user: 'nobody' })
  expect(await server.result(1)).toMatchObject({ outcome: 'exited', retcode: 0 })
  expect(server.outputOf(1)).toBe('/\n')
})

test('an agent with work and a check on a dead mount stops when it is asked to', async () => {
  if (!isRoot) return expect(prepare()).resolves.toMatchObject({ mount: undefined })
  const { server, url } = await givenServer()
  const [own, folder] = [givenFolder(), givenFolder()]
  await givenDeadMount(folder)
  await enrolMachine({ folder: own, serverUrl: url, token: GOOD_TOKEN, caPem: null, os })
  const up = server.untilUp()
  const { child, ended } = startProgram('run', '--data', own)
  await up
  setChecks(server, givenChecks({ check_type: 'diskspace', settings: { disk: folder } }))
  expect((await untilResult(server, 1)).measured).toMatchObject({
    check_type: 'unmeasurable',
    reason: `${folder} did not respond within 5 seconds.`,
  })
  const work = new FileChannel(server, { task: 'archive', path: raw(join(folder, 'x')) })
  const isWorker = (pid: string) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('\0mount\0')
  const children = () =>
    readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').match(/\d+/g) ?? []
  const worker = await server.until(() => children().find(isWorker))
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: 0 })
  await expect.poll(() => isAlive(Number(worker))).toBe(false)
  expect(work.bytes).toHaveLength(0)
})
