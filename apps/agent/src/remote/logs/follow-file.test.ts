import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  closeSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CHANNEL_WINDOW_BYTES } from '@muster/contract/agent/channel'
import { givenAgent, givenFolder } from '../../testing/given.ts'
import { LogChannel } from './test-log-channel.ts'

const MIB = 1024 * 1024
const raw = (path: string) => Buffer.from(path).toString('base64url')

async function prepare() {
  const { server, folder: own } = await givenAgent()
  const folder = givenFolder()
  const file = join(folder, 'app.log')
  const follow = (path = file, more: { reads?: boolean; anywhere?: boolean } = {}) =>
    new LogChannel(server, { kind: 'file', path: raw(path), anywhere: more.anywhere ?? true }, more)
  return { server, folder, own, file, follow }
}

/** Number of open descriptors of a file in this process. */
function countOpen(path: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path
    } catch {
      return false
    }
  }).length
}

test('the end of a file is shown, and new content is sent as it is written', async () => {
  const { server, file, follow } = await prepare()
  writeFileSync(file, Array.from({ length: 20_000 }, (_, line) => `line ${line}\n`).join(''))
  const channel = follow()
  await channel.has('line 19999\n')
  expect(channel.news).toEqual([{ type: 'following', name: file }])
  expect(channel.text).toMatch(/^line \d+\n/)
  expect(channel.bytes.length).toBeLessThanOrEqual(64 * 1024)
  appendFileSync(file, 'one more\n')
  await channel.has('line 19999\none more\n')
  channel.close()
  await server.until(() => countOpen(file) === 0)
})

test('a file that is rotated or truncated is followed further', async () => {
  const { file, follow } = await prepare()
  writeFileSync(file, 'old\n')
  const channel = follow()
  await channel.has('old\n')
  appendFileSync(file, 'last of the old\n')
  renameSync(file, `${file}.1`)
  writeFileSync(file, 'first of the new\n')
  await channel.has('last of the old\nfirst of the new\n')
  await channel.untilNews('rotated')
  truncateSync(file, 0)
  await channel.untilNews('truncated')
  appendFileSync(file, 'after it\n')
  await channel.has('first of the new\nafter it\n')
  renameSync(file, `${file}.2`)
  appendFileSync(`${file}.2`, 'nothing has its name yet\n')
  await channel.has('nothing has its name yet\n')
  channel.close()
})

test('a log that is written faster than it is read skips content, reports that, and does not fill the memory', async () => {
  const { server, file, follow } = await prepare()
  writeFileSync(file, '')
  const channel = follow(file, { reads: false })
  await channel.untilNews('following')
  const before = process.memoryUsage.rss()
  const piece = Buffer.alloc(MIB, `${'x'.repeat(99)}\n`)
  for (let count = 0; count < 2; count += 1) appendFileSync(file, piece)
  await server.until(() => channel.bytes.length >= CHANNEL_WINDOW_BYTES - 1024)
  const fd = openSync(file, 'a')
  for (let count = 0; count < 64; count += 1) writeSync(fd, piece)
  closeSync(fd)
  expect(process.memoryUsage.rss() - before).toBeLessThan(64 * MIB)
  appendFileSync(file, 'the end\n')
  channel.read()
  await channel.has('the end\n')
  const skips = channel.news.flatMap((news) => (news.type === 'skipped' ? [news.bytes] : []))
  const skippedBytes = skips.reduce((sum, bytes) => sum + bytes, 0)
  expect(skippedBytes).toBeGreaterThan(60 * MIB)
  expect(skippedBytes + channel.bytes.length).toBe(66 * MIB + 'the end\n'.length)
})

test('a line of a megabyte and bytes of any kind are sent unchanged', async () => {
  const { file, follow } = await prepare()
  const bytes = Buffer.concat([Buffer.from([0, 255, 27, 91, 50, 74, 7, 10]), Buffer.alloc(MIB, 'y')])
  writeFileSync(file, '')
  const channel = follow()
  await channel.untilNews('following')
  appendFileSync(file, bytes)
  appendFileSync(file, '\nend\n')
  await channel.has('\nend\n')
  expect(channel.bytes.subarray(0, bytes.length).equals(bytes)).toBe(true)
})

test('a role for logs only is refused files elsewhere, also through a link', async () => {
  const { folder, file, follow, own } = await prepare()
  writeFileSync(file, 'secret\n')
  const sentence = 'Your role allows following files in /var/log only.'
  expect(await follow(file, { anywhere: false }).ended()).toEqual({ code: 'refused', message: sentence })
  symlinkSync('/etc/shadow', join(folder, 'link'))
  expect(await follow(join(folder, 'link'), { anywhere: false }).ended()).toMatchObject({ message: sentence })
  expect((await follow('/var/log/../../etc/passwd', { anywhere: false }).ended()).code).toBe('refused')
  expect((await follow(join(own, 'state.db')).ended()).code).toBe('refused')
})

test('a special file is not followed, and the reason is reported', async () => {
  const { folder, follow } = await prepare()
  execFileSync('mkfifo', [join(folder, 'pipe')])
  expect((await follow(join(folder, 'pipe')).ended()).message).toMatch(/a pipe, not a file/)
  expect((await follow('/dev/zero').ended()).message).toMatch(/a device, not a file/)
  expect((await follow(folder).ended()).message).toMatch(/a folder/)
  expect((await follow(join(folder, 'nothing')).ended()).code).toBe('refused')
})
