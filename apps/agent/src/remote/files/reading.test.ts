import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { CHANNEL_WINDOW_BYTES } from '@muster/contract/agent/channel'
import { MAX_LISTED_ENTRIES } from '@muster/contract/agent/files'
import { expect, onTestFinished, test } from 'vitest'
import { givenAgent, givenFolder } from '../../testing/given.ts'
import { ask, FileChannel, raw } from './test-files.ts'

async function prepare() {
  const { server, folder: own } = await givenAgent()
  const folder = givenFolder()
  const list = async (path: string | Buffer = folder, more: { after?: string; search?: string } = {}) =>
    ask(server, 'list-folder', { path: raw(path), after: null, search: '', ...more })
  const read = (path: string | Buffer, more: { offset?: number; version?: string; reads?: boolean } = {}) => {
    const { offset = 0, version = null, reads = true } = more
    return new FileChannel(server, { task: 'read', path: raw(path), offset, version }, { reads })
  }
  return { server, folder, own, list, read, at: (name: string) => join(folder, name) }
}

test('hidden and special files are listed with their types, folders first', async () => {
  const { folder, list, at } = await prepare()
  mkdirSync(at('zoo'))
  writeFileSync(at('.hidden'), 'x', { mode: 0o640 })
  symlinkSync('zoo', at('link'))
  symlinkSync('/nowhere', at('broken'))
  execFileSync('mkfifo', [at('pipe')])
  const socket = createServer().listen(at('socket'))
  onTestFinished(() => void socket.close())
  const { answer } = await list()
  expect(answer.shown_path).toBe(folder)
  expect(answer.entries.map(({ name, kind, target }) => [name, kind, target?.kind])).toEqual([
    ['zoo', 'folder', undefined],
    ['.hidden', 'file', undefined],
    ['broken', 'link', null],
    ['link', 'link', 'folder'],
    ['pipe', 'pipe', undefined],
    ['socket', 'socket', undefined],
  ])
  expect(answer.entries[1]).toMatchObject({ size: 1, mode: 0o640, target: null })
  expect(answer.entries[3]?.target).toEqual({ path: 'zoo', kind: 'folder' })
  expect((await list(at('link'))).answer.path).toBe(raw(at('zoo')))
  expect((await list('/dev')).answer.entries.find(({ name }) => name === 'null')?.kind).toBe('device')
})

test('names with any bytes are listed, and their files read', async () => {
  const { folder, list, read } = await prepare()
  const name = Buffer.from([0xff, 0x0a, 0x41, 0xe2, 0x80, 0xae])
  const path = Buffer.concat([Buffer.from(`${folder}/`), name])
  writeFileSync(path, 'odd')
  const { answer } = await list()
  expect(answer.entries[0]).toMatchObject({ raw: raw(name), name: '\uFFFD\uFFFDA\uFFFD' })
  const channel = read(path)
  expect(await channel.ended()).toMatchObject({ code: 'ended' })
  expect(channel.bytes.toString()).toBe('odd')
})

test('a large folder is listed in parts, and searched completely', async () => {
  const { folder, list } = await prepare()
  const count = MAX_LISTED_ENTRIES * 2 + 7
  for (let number = 0; number < count; number += 1) writeFileSync(join(folder, `f${number}`), '')
  const names: string[] = []
  let after: string | undefined
  for (let part = 0; part < 3; part += 1) {
    const { answer } = await list(folder, after === undefined ? {} : { after })
    expect(answer.total).toBe(count)
    names.push(...answer.entries.map(({ name }) => name))
    expect(answer.next === null).toBe(part === 2)
    after = answer.next ?? undefined
  }
  expect(new Set(names).size).toBe(count)
  expect(names).toEqual(names.toSorted())
  const found = (await list(folder, { search: 'F100' })).answer
  expect(found.entries.map(({ name }) => name)).toEqual([
    'f100',
    ...[0, 1, 2, 3, 4, 5, 6].map((last) => `f100${last}`),
  ])
})

test('a file is read completely, and from an offset while it is unchanged', async () => {
  const { read, at } = await prepare()
  const content = Buffer.alloc(1_500_000, 'abcdefghi')
  writeFileSync(at('big'), content)
  const whole = read(at('big'))
  await whole.ended()
  expect(whole.news).toMatchObject({ name: 'big', size: content.length, offset: 0 })
  expect(whole.bytes.equals(content)).toBe(true)
  const version = whole.news?.version ?? ''
  const rest = read(at('big'), { offset: 1_000_000, version })
  await rest.ended()
  expect(rest.news?.offset).toBe(1_000_000)
  expect(rest.bytes.equals(content.subarray(1_000_000))).toBe(true)
  writeFileSync(at('big'), 'another one')
  const again = read(at('big'), { offset: 1_000_000, version })
  await again.ended()
  expect([again.news?.offset, again.bytes.toString()]).toEqual([0, 'another one'])
})

test('a slow reader limits the machine to one window, and a closed channel ends the transfer', async () => {
  const { server, read, at } = await prepare()
  writeFileSync(at('big'), Buffer.alloc(3_000_000))
  const channel = read(at('big'), { reads: false })
  await server.until(() => channel.bytes.length > CHANNEL_WINDOW_BYTES - 20_000)
  await ask(server, 'list-folder', { path: raw('/'), after: null, search: '' })
  expect(channel.bytes.length).toBeLessThanOrEqual(CHANNEL_WINDOW_BYTES)
  channel.close()
  const other = read(at('big'))
  await other.ended()
  expect(other.bytes.length).toBe(3_000_000)
})

test('a file that changes while it is read is reported; one that grows is complete up to its old size', async () => {
  const { server, read, at } = await prepare()
  const half = async (name: string) => {
    writeFileSync(at(name), Buffer.alloc(2_000_000, 'a'))
    const channel = read(at(name), { reads: false })
    await server.until(() => channel.bytes.length > 200_000)
    return channel
  }
  const finish = async (channel: FileChannel) => {
    let given = 0
    await server.until(() => {
      const behind = channel.bytes.length - given
      given += behind
      if (behind > 0 && channel.end === undefined) channel.credit(behind)
      return channel.end
    })
    return channel.end
  }
  const shorter = await half('shorter')
  truncateSync(at('shorter'), 1_900_000)
  expect(await finish(shorter)).toEqual({
    code: 'refused',
    message: 'The file changed while it was read. Try again.',
  })
  const rewritten = await half('rewritten')
  writeFileSync(at('rewritten'), Buffer.alloc(2_000_000, 'b'), { flag: 'r+' })
  expect(await finish(rewritten)).toMatchObject({ code: 'refused' })
  expect(rewritten.bytes.length).toBeLessThan(2_000_000)
  const log = await half('log')
  appendFileSync(at('log'), 'one more line')
  expect(await finish(log)).toMatchObject({ code: 'ended' })
  expect(log.bytes.length).toBe(2_000_000)
})

test('special files, missing files and invalid paths are refused with a message', async () => {
  const { read, list, folder, at } = await prepare()
  execFileSync('mkfifo', [at('pipe')])
  const refusalOf = async (path: string) => (await read(path).ended()).message
  expect(await refusalOf(at('pipe'))).toBe('This is a pipe, not a file, so it has no content to read.')
  expect(await refusalOf('/dev/zero')).toMatch(/^This is a device/)
  expect(await refusalOf(folder)).toMatch(/^This is a folder/)
  expect(await refusalOf(at('gone'))).toBe('The file or folder no longer exists.')
  expect(await refusalOf(`${folder}/../../etc/passwd`)).toBe('".." is not a valid name of a file or folder.')
  expect(await refusalOf('etc/passwd')).toBe('A path must start with "/".')
  expect((await list(`${folder}/a\0b`)).refused).toMatch(/is not a valid name/)
  expect((await list(at('pipe'))).refused).toBe('This is a link or not a folder. Reload the folder.')
})

test("the agent's own folder is not accessible, also through a link", async () => {
  const { own, list, read, at } = await prepare()
  const sentence = "This is the agent's own folder, which is not accessible."
  symlinkSync(own, at('way'))
  expect((await list(own)).refused).toBe(sentence)
  expect((await list(at('way'))).refused).toBe(sentence)
  expect(await read(join(own, 'key.pem')).ended()).toEqual({ code: 'refused', message: sentence })
})

test('a kernel file that reports size 0 is read', async () => {
  const { read } = await prepare()
  const channel = read('/proc/version')
  await channel.ended()
  expect(channel.bytes.toString()).toMatch(/^Linux version/)
})

test('a folder is sent as an archive, whatever its name', async () => {
  const { server, folder, at } = await prepare()
  mkdirSync(at('-rf'))
  writeFileSync(join(folder, '-rf', 'inside'), 'content')
  const channel = new FileChannel(server, { task: 'archive', path: raw(at('-rf')) })
  expect(await channel.ended()).toMatchObject({ code: 'ended' })
  expect(channel.news).toMatchObject({ name: '-rf.tar.gz', size: null })
  expect(execFileSync('tar', ['-tzf', '-'], { input: channel.bytes }).toString()).toBe(
    './-rf/\n./-rf/inside\n',
  )
  const gone = new FileChannel(server, { task: 'archive', path: raw(at('gone')) })
  expect(await gone.ended()).toMatchObject({ code: 'refused' })
})

test("an archive of a parent folder excludes the agent's own folder", async () => {
  const around = givenFolder()
  const own = join(around, 'data', 'agent')
  mkdirSync(own, { recursive: true })
  writeFileSync(join(around, 'data', 'beside'), 'x')
  const { server } = await givenAgent({ folder: own })
  const channel = new FileChannel(server, { task: 'archive', path: raw(around) })
  await channel.ended()
  const listed = execFileSync('tar', ['-tzf', '-'], { input: channel.bytes }).toString()
  expect(listed).toContain('/data/beside')
  expect(listed).not.toContain('data/agent')
})
