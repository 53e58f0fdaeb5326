import { execFileSync } from 'node:child_process'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { CHANNEL_KIND, encodeChannelFrame, encodeChannelText } from '@muster/contract/agent/channel'
import type { FileChange, FileEntry } from '@muster/contract/agent/files'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ask, FileChannel, raw } from '../src/remote/files/test-files.ts'
import { LogChannel } from '../src/remote/logs/test-log-channel.ts'
import { WineAgent } from './wine-agent.ts'

const ROOT = 'C:\\files test'
let agent: WineAgent
let folders = 0
/** A new folder of each test, and where it is on this machine. */
let folder = ''
let disk = ''

beforeAll(async () => {
  agent = await WineAgent.start()
})
afterAll(() => agent[Symbol.asyncDispose]())
beforeEach(() => {
  folders += 1
  folder = `${ROOT}\\${folders}`
  disk = agent.machine.hostPath(folder)
  mkdirSync(disk, { recursive: true })
})

const at = (...names: string[]) => [folder, ...names].join('\\')
const change = (request: FileChange) => ask(agent.server, 'change-file', request)
const list = (path: string, search = '') =>
  ask(agent.server, 'list-folder', { path: raw(path), after: null, search })
const move = (from: string, to: string) => change({ change: 'move', path: raw(from), to: raw(to) })
const remove = (path: string) => change({ change: 'delete', path: raw(path) })
const makeFolder = (path: string) => change({ change: 'make-folder', path: raw(path) })
const text = (entry: { raw: string } | undefined) => Buffer.from(entry?.raw ?? '', 'base64url').toString()

async function findEntry(path: string, name: string): Promise<FileEntry | undefined> {
  return (await list(path)).answer.entries.find((entry) => entry.name === name)
}

async function read(path: string): Promise<string> {
  const channel = new FileChannel(agent.server, { task: 'read', path: raw(path), offset: 0, version: null })
  const end = await channel.ended()
  return end.code === 'ended' ? channel.bytes.toString() : end.message
}

async function setAttribute(attribute: string, path: string): Promise<void> {
  expect(await agent.machine.run(['attrib', attribute, path])).toBe(0)
}

test('the drives are the first folder, and a drive is listed by its path', async () => {
  const { answer } = await list('/')
  expect(answer.shown_path).toBe('/')
  const drive = answer.entries.find((entry) => text(entry) === 'C:\\')
  expect(drive).toMatchObject({ name: 'C:', kind: 'drive', mode: null })
  expect(drive?.size).toBeGreaterThan(1e6)
  const inside = (await list('C:\\')).answer
  expect(inside.shown_path).toBe('C:\\')
  expect(inside.entries.map(({ name }) => name)).toContain('ProgramData')
})

test('a folder shows sizes, attributes and owners, and is found in any case', async () => {
  mkdirSync(join(disk, 'Ünter 雪'))
  writeFileSync(join(disk, 'Report.txt'), 'hello')
  await setAttribute('+r', at('Report.txt'))
  await setAttribute('+h', at('Report.txt'))
  const { answer } = await list(folder.toUpperCase().replaceAll('\\', '/'))
  expect(answer).toMatchObject({ shown_path: folder, total: 2 })
  expect(answer.entries).toMatchObject([
    { name: 'Ünter 雪', kind: 'folder', mode: null, group: '' },
    { name: 'Report.txt', kind: 'file', size: 5, attributes: ['read-only', 'hidden'] },
  ])
  expect(answer.entries[1]?.owner).toMatch(/\\root$/)
  expect((await list(folder, 'REPORT')).answer.total).toBe(1)
  expect(await read(at('report.TXT'))).toBe('hello')
})

test('paths are longer than 260 characters', async () => {
  let path = folder
  for (let depth = 0; depth < 8; depth += 1) {
    path += `\\${'long name '.repeat(5)}${depth}`
    expect((await makeFolder(path)).refused).toBeNull()
  }
  expect(path.length).toBeGreaterThan(400)
  writeFileSync(join(agent.machine.hostPath(path), 'deep.txt'), 'deep')
  expect(await read(`${path}\\deep.txt`)).toBe('deep')
  expect((await remove(at(`${'long name '.repeat(5)}0`))).answer).toEqual({ count: 9 })
  expect(readdirSync(disk)).toEqual([])
})

test('files and folders are renamed, moved and deleted, and never overwritten', async () => {
  writeFileSync(join(disk, 'a.txt'), 'a')
  writeFileSync(join(disk, 'b.txt'), 'b')
  const exists = 'A file or folder with this name already exists.'
  expect((await makeFolder(at('Folder'))).answer).toEqual({ count: 1 })
  expect((await makeFolder(at('FOLDER'))).refused).toBe(exists)
  expect((await move(at('a.txt'), at('B.TXT'))).refused).toBe(exists)
  expect((await move(at('a.txt'), at('A.TXT'))).refused).toBeNull()
  expect((await move(at('a.txt'), at('folder', 'c.txt'))).refused).toBeNull()
  expect((await move(at('Folder'), at('Other'))).refused).toBeNull()
  expect(readFileSync(join(disk, 'Other/c.txt'), 'utf8')).toBe('a')
  expect((await remove(at('Other'))).answer).toEqual({ count: 2 })
  expect((await remove(at('Other'))).refused).toBe('The file or folder no longer exists.')
  expect(readdirSync(disk)).toEqual(['b.txt'])
  expect((await remove('C:\\')).refused).toBe('This is not possible for a drive.')
})

test('names that Windows cannot use are refused, and those that exist can be deleted', async () => {
  const refusals = await Promise.all(
    ['CON', 'nul.txt', 'dot.', 'a:b', 'a*b', 'what?', '..'].map(
      async (name) => (await makeFolder(at(name))).refused,
    ),
  )
  expect(refusals).toEqual([
    'Windows reserves the name "CON" for a device.',
    'Windows reserves the name "nul.txt" for a device.',
    'On Windows a name cannot end with a dot or a space.',
    '"a:b" is not a valid name of a file or folder.',
    '"a*b" is not a valid name of a file or folder.',
    '"what?" is not a valid name of a file or folder.',
    '".." is not a valid name of a file or folder.',
  ])
  expect(readdirSync(disk)).toEqual([])
  writeFileSync(join(disk, 'AUX'), 'device')
  expect((await remove(at('AUX'))).answer).toEqual({ count: 1 })
})

test('network paths and the own folder of the agent are refused, by any spelling', async () => {
  const network = 'Network paths are not opened: the agent would sign in there as this machine.'
  expect((await list('\\\\server\\share')).refused).toBe(network)
  expect((await list('//server/share')).refused).toBe(network)
  expect((await list('\\\\?\\C:\\')).refused).toBe(network)
  expect((await list('windows')).refused).toBe('A path must start with a drive, such as C:\\.')
  const own = "This is the agent's own folder, which is not accessible."
  expect((await list('C:\\ProgramData\\muster AGENT')).refused).toBe(own)
  expect(await read('c:/programdata/Muster Agent/agent.json')).toBe(own)
  expect((await move('C:\\programdata', at('x'))).refused).toBe("It contains the agent's own folder.")
})

test('a file is read from an offset, and one in use says so', async () => {
  writeFileSync(join(disk, 'log.txt'), '0123456789')
  const path = raw(at('log.txt'))
  const channel = new FileChannel(agent.server, { task: 'read', path, offset: 4, version: null })
  expect((await channel.ended()).code).toBe('ended')
  expect([channel.news, channel.bytes.toString()]).toMatchObject([
    { name: 'log.txt', size: 10, offset: 4 },
    '456789',
  ])
  using _ = await lock(at('log.txt'))
  const inUse = 'The file is in use by another program.'
  expect(await read(at('log.txt'))).toBe(inUse)
  expect((await remove(at('log.txt'))).refused).toBe(inUse)
  expect((await move(at('log.txt'), at('other.txt'))).refused).toBe(inUse)
})

/** Opens a file in another process so that nobody else can, until it is disposed of. */
async function lock(path: string): Promise<Disposable> {
  const release = join(agent.machine.folder, `release-${randomUUID()}`)
  const script = join(agent.machine.folder, 'lock.mjs')
  const ready = `${release}.ready`
  const windows = (file: string) => JSON.stringify(`Z:${file}`)
  // UV_FS_O_EXLOCK: no sharing.
  writeFileSync(
    script,
    `import fs from 'node:fs'
     fs.openSync(${JSON.stringify(path)}, fs.constants.O_RDWR | 0x10000000)
     fs.writeFileSync(${windows(ready)}, '')
     const timer = setInterval(() => fs.existsSync(${windows(release)}) && process.exit(), 50)`,
  )
  agent.machine.start([agent.node, `Z:${script.replaceAll('/', '\\')}`])
  await expect.poll(() => existsSync(ready)).toBe(true)
  return { [Symbol.dispose]: () => writeFileSync(release, '') }
}

test('a text is edited only if it is unchanged, keeps its attributes, and leaves no other file', async () => {
  writeFileSync(join(disk, 'hosts'), 'one\r\n')
  await setAttribute('+h', at('hosts'))
  const path = raw(at('hosts'))
  const { answer } = await ask(agent.server, 'read-text', { path })
  expect(answer.text).toBe('one\r\n')
  const write = (hash: string) => ask(agent.server, 'write-text', { path, text: 'two\r\n', hash })
  expect((await write('0'.repeat(64))).answer.state).toBe('changed')
  expect(await write(answer.hash)).toMatchObject({ refused: null, answer: { state: 'written' } })
  expect(readFileSync(join(disk, 'hosts'), 'utf8')).toBe('two\r\n')
  expect(readdirSync(disk)).toEqual(['hosts'])
  expect((await findEntry(folder, 'hosts'))?.attributes).toEqual(['hidden'])
})

test('a text file of a job is created, replaced and deleted, without a mode', async () => {
  const path = raw(at('motd.txt'))
  const put = (more: object) =>
    ask(agent.server, 'put-text', { path, text: 'one\r\n', mode: null, owner: null, ...more })
  expect((await ask(agent.server, 'find-text', { path })).answer).toEqual({ state: 'missing' })
  expect((await put({ mode: 0o600 })).refused).toBe('Windows has access lists instead of modes and owners.')
  expect(await put({ hash: null })).toMatchObject({ refused: null, answer: { state: 'written' } })
  await setAttribute('+h', at('motd.txt'))
  const { answer } = await ask(agent.server, 'find-text', { path })
  expect(answer).toMatchObject({ state: 'text', text: 'one\r\n', mode: null, owner: null })
  if (answer.state !== 'text') throw new Error('no text')
  expect((await put({ text: 'two\r\n', hash: answer.hash })).refused).toBeNull()
  expect((await put({ text: 'three\r\n', hash: answer.hash })).answer.state).toBe('changed')
  expect(readFileSync(join(disk, 'motd.txt'), 'utf8')).toBe('two\r\n')
  expect((await findEntry(folder, 'motd.txt'))?.attributes).toEqual(['hidden'])
  expect((await put({ text: null })).refused).toBeNull()
  expect(readdirSync(disk)).toEqual([])
})

test('an upload resumes, gets its name when it is complete, and replaces only on request', async () => {
  const bytes = randomBytes(200_000)
  const path = raw(at('Setup ü.exe'))
  const hash = createHash('sha256').update(createHash('sha256').update(bytes).digest()).digest('hex')
  async function upload(replace: boolean): Promise<string> {
    const id = randomUUID()
    const begun = await ask(agent.server, 'begin-upload', { path, upload: id, size: bytes.length, replace })
    if (begun.refused !== null) return begun.refused
    await write(id, 0, bytes.subarray(0, 120_000))
    const { answer } = await ask(agent.server, 'look-at-upload', { path, upload: id })
    await write(id, answer.size, bytes.subarray(answer.size))
    const finish = { task: 'finish', path, upload: id, size: bytes.length, replace, hash } as const
    return (await new FileChannel(agent.server, finish).ended()).code
  }
  async function write(id: string, offset: number, part: Buffer): Promise<void> {
    const channel = new FileChannel(agent.server, { task: 'write', path, upload: id, offset })
    const isReady = () =>
      agent.server.channelFrames.some(
        (frame) => frame.channel === channel.id && frame.kind === CHANNEL_KIND.text,
      )
    await agent.server.until(isReady)
    for (let from = 0; from < part.length; from += 16_384) {
      const payload = part.subarray(from, from + 16_384)
      agent.server.sendRaw(encodeChannelFrame({ kind: CHANNEL_KIND.data, channel: channel.id, payload }))
    }
    agent.server.sendRaw(encodeChannelText(channel.id, { type: 'done' }))
    expect((await channel.ended()).code).toBe('ended')
  }
  expect(await upload(false)).toBe('ended')
  expect(readFileSync(join(disk, 'Setup ü.exe')).equals(bytes)).toBe(true)
  expect(await upload(false)).toBe('A file or folder with this name already exists.')
  expect(await upload(true)).toBe('ended')
  expect(readdirSync(disk)).toEqual(['Setup ü.exe'])
})

test('a folder is downloaded as an archive, without the own folder of the agent', async () => {
  mkdirSync(join(disk, 'Ordner/deep'.padEnd(150, '-')), { recursive: true })
  writeFileSync(join(disk, 'Ordner/ä.txt'), 'a'.repeat(1000))
  writeFileSync(join(disk, 'Ordner/empty'), '')
  const archive = async (path: string) => {
    const channel = new FileChannel(agent.server, { task: 'archive', path: raw(path) })
    expect((await channel.ended()).message).toBe('Complete.')
    const options = { input: channel.bytes, maxBuffer: 1e9, encoding: 'utf8' } as const
    return {
      options,
      names: execFileSync('tar', ['-tzf', '-', '--quoting-style=literal'], options).trim().split('\n'),
    }
  }
  const { options, names } = await archive(at('Ordner'))
  expect(names.toSorted()).toEqual([
    'Ordner/',
    `Ordner/${'deep'.padEnd(143, '-')}/`,
    'Ordner/empty',
    'Ordner/ä.txt',
  ])
  expect(execFileSync('tar', ['-xzOf', '-', 'Ordner/ä.txt'], options)).toBe('a'.repeat(1000))
  const all = (await archive('C:\\ProgramData')).names
  expect(all.filter((name) => name.includes('Muster'))).toEqual([])
})

test('a folder that leads to another place is not followed by changes', async () => {
  mkdirSync(join(disk, 'real'))
  writeFileSync(join(disk, 'real/kept.txt'), 'kept')
  // Wine has no junctions. It follows links of Linux without a word, and the path that the system reports is another.
  symlinkSync(join(disk, 'real'), join(disk, 'link'))
  expect((await remove(at('link', 'kept.txt'))).refused).toBe('This is a link. Open its target instead.')
  expect((await makeFolder(at('link', 'new'))).refused).toBe('This is a link. Open its target instead.')
  expect(readdirSync(join(disk, 'real'))).toEqual(['kept.txt'])
})

test('the owner and the access list of a file are shown', async () => {
  writeFileSync(join(disk, 'a.txt'), '')
  const { answer } = await ask(agent.server, 'read-file-access', { path: raw(at('a.txt')) })
  expect(answer.owner).toMatch(/\\root$/)
  expect(answer.entries).toContainEqual({
    name: expect.stringMatching(/^(?:NT AUTHORITY\\)?SYSTEM$/i) as string,
    allowed: true,
    rights: ['full'],
    inherited: false,
    applies: 'this',
  })
  const { refused } = await ask(agent.server, 'read-file-access', { path: raw(at('none')) })
  expect(refused).toBe('The file or folder no longer exists.')
})

test('a log file is followed, also after it is renamed and written again', async () => {
  const [file, old] = [join(disk, 'app.log'), join(disk, 'app.1.log')]
  writeFileSync(file, 'first\n')
  const channel = new LogChannel(agent.server, { kind: 'file', path: raw(at('app.log')), anywhere: true })
  await channel.has('first\n')
  expect(channel.news).toEqual([{ type: 'following', name: at('app.log') }])
  appendFileSync(file, 'second\n')
  await channel.has('second\n')
  renameSync(file, old)
  writeFileSync(file, 'third\n')
  await channel.has('third\n')
  expect((await channel.untilNews('rotated')).type).toBe('rotated')
  channel.close()
})
