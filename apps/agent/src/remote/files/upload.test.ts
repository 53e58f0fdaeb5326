import { createHash, randomBytes, randomUUID } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import {
  CHANNEL_KIND,
  encodeChannelFrame,
  encodeChannelText,
  readChannelText,
} from '@muster/contract/agent/channel'
import { HASH_PART_BYTES, UploadNews } from '@muster/contract/agent/files'
import { expect, test } from 'vitest'
import { givenAgent, givenFolder, givenLog } from '../../testing/given.ts'
import { ACCESS_LIST, accessListFor, readAttributes, setAttributes } from '../../testing/given-attributes.ts'
import { givenBindMount } from '../../testing/given-disk.ts'
import { OpenParts } from './open-parts.ts'
import { openParent } from './open-parent.ts'
import { ask, FileChannel, raw } from './test-files.ts'
import { removeAbandoned } from './upload-part.ts'

const hashOf = (bytes: Buffer) => {
  const whole = createHash('sha256')
  for (let at = 0; at < bytes.length; at += HASH_PART_BYTES)
    whole.update(
      createHash('sha256')
        .update(bytes.subarray(at, at + HASH_PART_BYTES))
        .digest(),
    )
  return whole.digest('hex')
}

async function prepare() {
  const given = await givenAgent()
  const { server } = given
  const folder = givenFolder()
  const upload = randomUUID()
  const path = raw(join(folder, 'target'))
  const begin = (more: { size?: number; replace?: boolean } = {}) =>
    ask(server, 'begin-upload', { path, upload, size: 200_000, replace: false, ...more })
  const look = () => ask(server, 'look-at-upload', { path, upload })
  const drop = () => ask(server, 'drop-upload', { path, upload })
  /** Sends bytes; returns the new offset, or the refusal. */
  async function write(offset: number, bytes: Buffer, { isAll = true }: { isAll?: boolean | 'never' } = {}) {
    const channel = new FileChannel(server, { task: 'write', path, upload, offset })
    const reported = (type: string) =>
      server.channelFrames
        .filter((frame) => frame.channel === channel.id && frame.kind === CHANNEL_KIND.text)
        .map(({ payload }) => UploadNews.parse(readChannelText(payload)))
        .find((news) => news.type === type)
    await server.until(() => reported('ready') ?? channel.end)
    if (channel.end !== undefined) return channel.end.message
    for (let at = 0; at < bytes.length; at += 16_384) {
      const payload = bytes.subarray(at, at + 16_384)
      server.sendRaw(encodeChannelFrame({ kind: CHANNEL_KIND.data, channel: channel.id, payload }))
    }
    if (isAll === 'never') return undefined
    if (!isAll) return channel.close()
    server.sendRaw(encodeChannelText(channel.id, { type: 'done' }))
    const { message } = await channel.ended()
    return reported('written')?.size ?? message
  }
  const openFinish = (bytes: Buffer, more: { replace?: boolean; hash?: string | null } = {}) =>
    new FileChannel(server, {
      task: 'finish',
      path,
      upload,
      size: bytes.length,
      replace: false,
      hash: hashOf(bytes),
      ...more,
    })
  const finish = (...given: Parameters<typeof openFinish>) => openFinish(...given).ended()
  return {
    ...given,
    own: given.folder,
    folder,
    target: join(folder, 'target'),
    path,
    upload,
    begin,
    look,
    drop,
    write,
    finish,
    openFinish,
  }
}

test('an upload arrives in pieces in a temporary file, and gets its name when its hash matches', async () => {
  const { begin, write, finish, look, target, folder } = await prepare()
  const bytes = randomBytes(200_000)
  expect((await begin({ size: bytes.length })).refused).toBeNull()
  expect(await write(0, bytes.subarray(0, 120_000))).toBe(120_000)
  expect((await look()).answer.size).toBe(120_000)
  expect(existsSync(target)).toBe(false)
  expect(await write(50_000, bytes)).toBe('This upload has 120000 bytes instead of 50000.')
  expect(await write(120_000, bytes.subarray(120_000))).toBe(200_000)
  expect(await finish(bytes)).toMatchObject({ code: 'ended' })
  expect(readFileSync(target).equals(bytes)).toBe(true)
  expect(statSync(target).mode & 0o777).toBe(0o644)
  expect(readdirSync(folder)).toEqual(['target'])
})

test('the agent says that it compares the hash, which can take longer than the server waits for a first word', async () => {
  const { begin, write, openFinish, server } = await prepare()
  const bytes = randomBytes(20_000)
  await begin({ size: bytes.length })
  await write(0, bytes)
  const channel = openFinish(bytes)
  await channel.ended()
  const texts = server.channelFrames
    .filter((frame) => frame.channel === channel.id && frame.kind === CHANNEL_KIND.text)
    .map(({ payload }) => readChannelText(payload))
  expect(texts).toEqual([{ type: 'finishing', size: 20_000 }])
})

test('an interrupted upload continues at its offset, also after a restart of the agent', async () => {
  const { begin, write, finish, look, target, server, restart } = await prepare()
  const bytes = randomBytes(100_000)
  await begin()
  await write(0, bytes.subarray(0, 60_000), { isAll: false })
  await server.until(() => statSync(join(target, '..')).isDirectory())
  await restart()
  const { size } = (await look()).answer
  expect(size).toBeLessThanOrEqual(60_000)
  expect(await write(size, bytes.subarray(size))).toBe(100_000)
  expect(await finish(bytes)).toMatchObject({ code: 'ended' })
  expect(readFileSync(target).equals(bytes)).toBe(true)
})

test('a request for the offset ends an active write, so that the upload can continue at once', async () => {
  const { begin, write, finish, look, target } = await prepare()
  const bytes = randomBytes(200_000)
  await begin()
  await write(0, bytes.subarray(0, 100_000), { isAll: 'never' })
  const { size } = (await look()).answer
  expect(await write(size, bytes.subarray(size))).toBe(200_000)
  expect(await finish(bytes)).toMatchObject({ code: 'ended' })
  expect(readFileSync(target).equals(bytes)).toBe(true)
})

test('an incomplete or damaged upload gets no name, and leaves nothing behind', async () => {
  const { begin, write, finish, drop, folder, own } = await prepare()
  await begin()
  await write(0, Buffer.from('content'))
  expect(await finish(Buffer.from('content and more'))).toMatchObject({
    message: 'This upload has 7 bytes instead of 16.',
  })
  expect(await finish(Buffer.from('Content'))).toMatchObject({
    message: 'The file was damaged during the transfer. Upload it again.',
  })
  expect(readdirSync(folder)).toEqual([])
  await begin()
  expect(readdirSync(join(own, 'uploads'))).toHaveLength(1)
  await drop()
  expect([readdirSync(folder), readdirSync(join(own, 'uploads'))]).toEqual([[], []])
  expect(await write(0, Buffer.from('x'))).toMatch(/^This upload has ended/)
})

test('an existing file is replaced only on request, with its permissions', async () => {
  const { begin, write, finish, target } = await prepare()
  writeFileSync(target, 'old', { mode: 0o600 })
  expect((await begin()).refused).toBe('A file or folder with this name already exists.')
  await begin({ replace: true })
  await write(0, Buffer.from('new'))
  expect(await finish(Buffer.from('new'))).toMatchObject({ code: 'refused' })
  expect(readFileSync(target, 'utf8')).toBe('old')
  expect(await finish(Buffer.from('new'), { replace: true, hash: null })).toMatchObject({ code: 'ended' })
  expect(readFileSync(target, 'utf8')).toBe('new')
  expect(statSync(target).mode & 0o777).toBe(0o600)
})

test('a replaced file that is mounted is written in place', async () => {
  const { begin, write, finish, target, folder } = await prepare()
  const source = join(givenFolder(), 'source')
  writeFileSync(source, 'old', { mode: 0o640 })
  writeFileSync(target, '')
  if (!givenBindMount(source, target)) return expect(isRoot).toBe(false)
  await begin({ replace: true })
  await write(0, Buffer.from('new'))
  expect(await finish(Buffer.from('new'), { replace: true })).toMatchObject({ code: 'ended' })
  expect([readFileSync(source, 'utf8'), readdirSync(folder)]).toEqual(['new', ['target']])
  expect(statSync(source).mode & 0o7777).toBe(0o640)
})

test('a replaced file keeps its access list and attributes', async () => {
  const { begin, write, finish, target, folder } = await prepare()
  writeFileSync(target, 'old', { mode: 0o660 })
  const kept = { 'user.note': '6b657074', [ACCESS_LIST]: accessListFor(1) }
  setAttributes(target, kept)
  await begin({ replace: true })
  await write(0, Buffer.from('new'))
  expect(await finish(Buffer.from('new'), { replace: true })).toMatchObject({ code: 'ended' })
  expect([readFileSync(target, 'utf8'), readdirSync(folder)]).toEqual(['new', ['target']])
  expect(readAttributes(target)).toEqual(kept)
})

test('an upload without enough disk space is refused before it starts, and a full disk is reported', async () => {
  const { begin, folder } = await prepare()
  const { refused } = await begin({ size: 2 ** 52 })
  expect(refused).toMatch(/^Not enough disk space\. Free: /)
  expect(readdirSync(folder)).toEqual([])
})

const CHANGED = 'The temporary file of this upload was changed. Start it again.'

test('bytes are not written into another file that was put in the place of the temporary one', async () => {
  const { begin, write, look, finish, folder, upload, target } = await prepare()
  await begin()
  const part = join(folder, `.muster-${upload}.part`)
  const own = join(folder, 'own')
  writeFileSync(own, '', { mode: 0o666 })
  renameSync(part, join(folder, 'away'))
  renameSync(own, part)
  expect(await write(0, Buffer.from('secret'))).toBe(CHANGED)
  expect((await look()).refused).toBe(CHANGED)
  expect(readFileSync(part, 'utf8')).toBe('')
  writeFileSync(part, 'secret')
  expect(await finish(Buffer.from('secret'), { hash: null })).toMatchObject({ message: CHANGED })
  expect(existsSync(target)).toBe(false)
})

const isRoot = process.getuid?.() === 0
const NOBODY = 65_534

test('the owner of the folder cannot read an upload through a file of their own', async () => {
  const { begin, write, folder, upload, target, finish, drop } = await prepare()
  if (!isRoot) return expect(() => chownSync(folder, NOBODY, NOBODY)).toThrow('EPERM')
  chownSync(folder, NOBODY, NOBODY)
  await begin()
  const part = join(folder, `.muster-${upload}.part`)
  // Another owner at the same inode: the number may be given again when the first file is deleted.
  chownSync(part, NOBODY, NOBODY)
  expect(await write(0, Buffer.from('secret'))).toBe(CHANGED)
  rmSync(part)
  writeFileSync(part, '')
  chownSync(part, NOBODY, NOBODY)
  expect(await write(0, Buffer.from('secret'))).toBe(CHANGED)
  expect(readFileSync(part, 'utf8')).toBe('')
  await drop()
  await begin()
  expect(await write(0, Buffer.from('secret'))).toBe(6)
  expect(await finish(Buffer.from('secret'))).toMatchObject({ code: 'ended' })
  expect([readFileSync(target, 'utf8'), statSync(target).uid]).toEqual(['secret', 0])
})

test('a draft that was replaced before it got its name is reported', async () => {
  const folder = givenFolder()
  await using parent = await openParent(raw(join(folder, 'target')), givenFolder())
  const name = Buffer.from('draft')
  // The first time nothing is there, then a file is replaced.
  for (let round = 0; round < 2; round += 1) {
    const found = statSync(join(folder, 'target'), { throwIfNoEntry: false })
    await using handle = await parent.create(name)
    renameSync(join(folder, 'draft'), join(folder, 'away'))
    writeFileSync(join(folder, 'draft'), 'other')
    await expect(parent.take({ name, handle }, found)).rejects.toThrow(/^Another program replaced the file/)
  }
})

test('set-user-id of a replaced file is not kept, and a file with several names is not replaced', async () => {
  const { begin, write, finish, target, folder } = await prepare()
  writeFileSync(target, 'old')
  chmodSync(target, 0o7755)
  await begin({ replace: true })
  await write(0, Buffer.from('new'))
  linkSync(target, join(folder, 'other'))
  expect((await finish(Buffer.from('new'), { replace: true })).message).toMatch(
    /^This file has several names/,
  )
  expect((await begin({ replace: true })).refused).toMatch(/^This file has several names/)
  rmSync(join(folder, 'other'))
  expect(await finish(Buffer.from('new'), { replace: true })).toMatchObject({ code: 'ended' })
  expect((statSync(target).mode & 0o7777).toString(8)).toBe('755')
})

test('an upload takes no more bytes than were announced, also when it continues', async () => {
  const { begin, write, look, finish, restart } = await prepare()
  const refusal = 'This upload has more bytes than the 3 that were announced.'
  await begin({ size: 3 })
  expect(await write(0, Buffer.alloc(5000))).toBe(refusal)
  expect((await look()).answer.size).toBe(0)
  expect(await write(0, Buffer.from('ab'))).toBe(2)
  await restart()
  expect(await write(2, Buffer.from('cd'))).toBe(refusal)
  expect(await write(2, Buffer.from('c'))).toBe(3)
  expect(await finish(Buffer.from('abc'))).toMatchObject({ code: 'ended' })
})

test('a link in place of the temporary file is not followed', async () => {
  const { begin, write, folder, upload } = await prepare()
  await begin()
  const part = join(folder, `.muster-${upload}.part`)
  const victim = join(folder, 'victim')
  writeFileSync(victim, 'kept')
  renameSync(part, join(folder, 'away'))
  symlinkSync(victim, part)
  expect(await write(0, Buffer.from('evil'))).toBe('This is a link. Open its target instead.')
  expect(readFileSync(victim, 'utf8')).toBe('kept')
})

test('an upload that is idle for an hour is removed, also after a restart of the agent', async () => {
  const { begin, write, server, restart, folder, upload, look } = await prepare()
  await begin()
  await write(0, Buffer.from('part'))
  await restart()
  expect((await look()).answer.size).toBe(4)
  const old = new Date(Date.now() - 3_700_000)
  utimesSync(join(folder, `.muster-${upload}.part`), old, old)
  await restart()
  await server.until(() => readdirSync(folder).length === 0)
})

test('an upload whose folder is gone is dropped', async () => {
  const kept = new Map<string, string>()
  const dataFolder = givenFolder()
  const openParts = new OpenParts({
    keyValues: {
      find: (key) => kept.get(key),
      save: (key, text) => kept.set(key, text),
      remove: (key) => kept.delete(key),
    },
    log: givenLog().log,
    removeAbandoned: ({ path, afterMs }) => removeAbandoned(path, { dataFolder, afterMs }),
  })
  openParts.remember(raw(join(givenFolder(), 'gone', '.muster-upload.part')))
  expect(kept.size).toBe(1)
  openParts.sweep()
  await expect.poll(() => kept.size).toBe(0)
})
