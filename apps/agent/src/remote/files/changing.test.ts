import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { FileChange } from '@muster/contract/agent/files'
import { expect, onTestFinished, test } from 'vitest'
import type { KeyValueStore } from '../../state/state.ts'
import { givenAgent, givenFolder, givenLog } from '../../testing/given.ts'
import { OpenParts } from './open-parts.ts'
import { openParent } from './open-parent.ts'
import { removeTree } from './change-file.ts'
import { ask, raw } from './test-files.ts'
import { writeText } from './text-file.ts'

async function prepare() {
  const { server, folder: own } = await givenAgent()
  const folder = givenFolder()
  const change = (request: FileChange) => ask(server, 'change-file', request)
  const at = (name: string) => join(folder, name)
  const move = (from: string, to: string) => change({ change: 'move', path: raw(from), to: raw(to) })
  const remove = (path: string | Buffer) => change({ change: 'delete', path: raw(path) })
  return { server, own, folder, change, move, remove, at }
}

test('folders are created, entries renamed and moved, and permissions set', async () => {
  const { change, move, at } = await prepare()
  await change({ change: 'make-folder', path: raw(at('new')) })
  expect(statSync(at('new')).isDirectory()).toBe(true)
  writeFileSync(at('a'), 'content')
  expect((await move(at('a'), at('b'))).refused).toBeNull()
  expect((await move(at('b'), at('new/b'))).refused).toBeNull()
  expect(readFileSync(at('new/b'), 'utf8')).toBe('content')
  expect((await move(at('new'), at('old'))).refused).toBeNull()
  await change({ change: 'set-mode', path: raw(at('old/b')), mode: 0o4750 })
  expect(statSync(at('old/b')).mode & 0o7777).toBe(0o4750)
})

test('names with any bytes are created, moved and deleted exactly', async () => {
  const { change, remove, folder } = await prepare()
  const odd = (...bytes: number[]) => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(bytes)])
  const [one, other] = [odd(0xff, 0x0a, 0x41), odd(0xc3, 0x28, 0x20)]
  await change({ change: 'make-folder', path: raw(one) })
  writeFileSync(Buffer.concat([one, Buffer.from([0x2f, 0xfe])]), 'x')
  expect((await change({ change: 'move', path: raw(one), to: raw(other) })).refused).toBeNull()
  await change({ change: 'set-mode', path: raw(other), mode: 0o700 })
  expect(readdirSync(folder, { encoding: 'buffer' })).toEqual([Buffer.from([0xc3, 0x28, 0x20])])
  expect(statSync(other).mode & 0o777).toBe(0o700)
  expect((await remove(other)).answer).toEqual({ count: 2 })
  expect(readdirSync(folder)).toEqual([])
})

test('devices, pipes and sockets are deleted without being opened, and never edited', async () => {
  const { server, remove, folder, at } = await prepare()
  execFileSync('mkfifo', [at('pipe')])
  const socket = createServer().listen(at('socket'))
  onTestFinished(() => void socket.close())
  for (const name of ['pipe', 'socket']) {
    const { refused } = await ask(server, 'read-text', { path: raw(at(name)) })
    expect(refused).toBe(`This is a ${name}, not a file, so it has no content to read.`)
    const edit = { path: raw(at(name)), text: 'x', hash: createHash('sha256').digest('hex') }
    expect((await ask(server, 'write-text', edit)).refused).toBe(refused)
    expect((await remove(at(name))).refused).toBeNull()
  }
  expect((await ask(server, 'read-text', { path: raw('/dev/zero') })).refused).toMatch(/^This is a device/)
  expect(readdirSync(folder)).toEqual([])
})

test('a stream of the kernel has no text, and says so in words', async () => {
  const { server } = await prepare()
  const { refused } = await ask(server, 'read-text', { path: raw('/proc/kmsg') })
  // Not everyone may open it.
  expect(refused).toMatch(/^(This file is a stream of the system, |The (system|agent) )/)
})

test('the temporary file of an edit is registered before it exists, for an agent that is killed', async () => {
  const { server, folder, at, own } = await prepare()
  writeFileSync(at('conf'), 'a')
  const seen: string[][] = []
  const keyValues: Pick<KeyValueStore, 'find' | 'save' | 'remove'> = {
    find: () => undefined,
    save: (_, text) => seen.push([...JSON.parse(text), ...readdirSync(folder)]),
    remove: () => seen.push(readdirSync(folder)),
  }
  const { answer } = await ask(server, 'read-text', { path: raw(at('conf')) })
  const openParts = new OpenParts({ keyValues, log: givenLog().log, removeAbandoned: async () => true })
  await writeText({ ...answer, text: 'b' }, { dataFolder: own, openParts })
  const draft = Buffer.from(seen[0]?.[0] ?? '', 'base64url').toString()
  expect(draft).toMatch(new RegExp(`^${folder}/\\.muster-.*\\.part$`))
  expect(seen.map((list) => list.at(-1))).toEqual(['conf', 'conf'])
  expect(seen.map(({ length }) => length)).toEqual([2, 1])
})

test('a rename never overwrites a file or a folder', async () => {
  const { change, move, at } = await prepare()
  for (const name of ['a', 'b']) writeFileSync(at(name), name)
  mkdirSync(at('folder'))
  mkdirSync(at('other'))
  const sentence = 'A file or folder with this name already exists.'
  expect((await move(at('a'), at('b'))).refused).toBe(sentence)
  expect((await move(at('folder'), at('other'))).refused).toBe(sentence)
  expect((await change({ change: 'make-folder', path: raw(at('a')) })).refused).toBe(sentence)
  expect(readFileSync(at('b'), 'utf8')).toBe('b')
  expect((await move(at('gone'), at('c'))).refused).toBe('The file or folder no longer exists.')
})

test('a folder is deleted recursively, and links only as links', async () => {
  const { remove, folder, at } = await prepare()
  mkdirSync(at('keep'))
  writeFileSync(at('keep/file'), 'x')
  mkdirSync(at('tree/deep/deeper'), { recursive: true })
  writeFileSync(at('tree/deep/file'), 'x')
  symlinkSync(at('keep'), at('tree/deep/link'))
  expect((await remove(at('tree'))).answer).toEqual({ count: 5 })
  expect(readdirSync(folder)).toEqual(['keep'])
  expect(existsSync(at('keep/file'))).toBe(true)
})

test('a link in the path is refused, and one that appears later leads nowhere', async () => {
  const { own, remove, change, at } = await prepare()
  mkdirSync(at('real'))
  mkdirSync(at('victim'))
  writeFileSync(at('victim/file'), 'x')
  symlinkSync(at('victim'), at('way'))
  const sentence = 'This is a link or not a folder. Reload the folder.'
  expect((await remove(at('way/file'))).refused).toBe(sentence)
  expect((await change({ change: 'make-folder', path: raw(at('way/new')) })).refused).toBe(sentence)
  writeFileSync(at('real/file'), 'x')
  await using place = await openParent(raw(at('real/file')), own)
  renameSync(at('real'), at('moved'))
  symlinkSync(at('victim'), at('real'))
  expect(await removeTree(place)).toBe(1)
  expect(existsSync(at('victim/file'))).toBe(true)
  expect(existsSync(at('moved/file'))).toBe(false)
  symlinkSync(at('victim/file'), at('link'))
  chmodSync(at('victim/file'), 0o600)
  expect((await change({ change: 'set-mode', path: raw(at('link')), mode: 0o777 })).refused).toBe(
    'A link has no permissions of its own.',
  )
  expect(statSync(at('victim/file')).mode & 0o777).toBe(0o600)
})

test("the root folder and the agent's own folder are neither moved nor deleted", async () => {
  const around = givenFolder()
  const own = join(around, 'lib', 'agent')
  mkdirSync(own, { recursive: true })
  const { server } = await givenAgent({ folder: own })
  const refusal = async (request: FileChange) => (await ask(server, 'change-file', request)).refused
  const remove = (path: string) => refusal({ change: 'delete', path: raw(path) })
  const move = (path: string) =>
    refusal({ change: 'move', path: raw(path), to: raw(join(around, 'elsewhere')) })
  expect(await remove('/')).toBe('This is not possible for the root folder.')
  expect(await remove(`${own}/..`)).toBe('".." is not a valid name of a file or folder.')
  for (const path of [own, join(own, 'key.pem')])
    for (const act of [remove, move])
      expect(await act(path)).toBe("This is the agent's own folder, which is not accessible.")
  for (const act of [remove, move])
    expect(await act(join(around, 'lib'))).toBe("It contains the agent's own folder.")
  expect(existsSync(join(own, 'key.pem'))).toBe(true)
})

test('a text file is replaced atomically if unchanged, with its permissions', async () => {
  const { server, folder, at } = await prepare()
  writeFileSync(at('conf'), 'a=1\n', { mode: 0o640 })
  const read = async () => (await ask(server, 'read-text', { path: raw(at('conf')) })).answer
  const write = (text: string, hash: string) =>
    ask(server, 'write-text', { path: raw(at('conf')), text, hash })
  const first = await read()
  expect(first).toMatchObject({ text: 'a=1\n', path: raw(at('conf')) })
  const written = (await write('a=2 ä\n', first.hash)).answer
  expect(written.state).toBe('written')
  expect(await read()).toMatchObject({ text: 'a=2 ä\n', hash: written.hash })
  expect(statSync(at('conf')).mode & 0o777).toBe(0o640)
  writeFileSync(at('conf'), 'of another user')
  expect((await write('mine', written.hash)).answer.state).toBe('changed')
  expect(readFileSync(at('conf'), 'utf8')).toBe('of another user')
  expect(readdirSync(folder)).toEqual(['conf'])
})

test('only small text files are edited', async () => {
  const { server, at } = await prepare()
  const refusal = async (name: string) => (await ask(server, 'read-text', { path: raw(at(name)) })).refused
  writeFileSync(at('binary'), Buffer.from([0xff, 0xfe, 0x00]))
  expect(await refusal('binary')).toBe('This is not a UTF-8 text file. Download it instead.')
  writeFileSync(at('large'), 'x'.repeat(300_000))
  expect(await refusal('large')).toBe('The file is too large to edit. Download it instead.')
  writeFileSync(at('twice'), 'x')
  linkSync(at('twice'), at('again'))
  const { answer } = await ask(server, 'read-text', { path: raw(at('twice')) })
  const { refused } = await ask(server, 'write-text', { ...answer, text: 'y' })
  expect(refused).toMatch(/several names/)
})
