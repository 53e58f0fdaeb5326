import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { CommandInput } from '@muster/contract/agent/commands'
import { MAX_KEPT_FILE_BYTES, PUSHED } from '@muster/contract/agent/push-file'
import { expect, test } from 'vitest'
import { givenAgent, givenFolder } from '../../testing/given.ts'
import { ACCESS_LIST, accessListFor, readAttributes, setAttributes } from '../../testing/given-attributes.ts'
import { givenBadDisk, givenBindMount } from '../../testing/given-disk.ts'
import { ask, raw } from './test-files.ts'

const TOKEN = 'a-token-of-this-test-server'
const CONTENT = randomBytes(5 * 1024 * 1024)
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

async function prepare({ expectedWarnings = [] as RegExp[], folder = givenFolder() } = {}) {
  const { server, folder: own, agent } = await givenAgent({ expectedWarnings })
  const target = join(folder, 'app.bin')
  let downloads = 0
  /** Answers the download with this number, which counts from 1. */
  const served: { answer: (response: ServerResponse, count: number) => void } = {
    answer: (response) => void response.end(CONTENT),
  }
  server.onRequest = (request, response) => {
    const isAllowed = request.headers.authorization === `Bearer ${TOKEN}`
    if (!isAllowed || !request.url?.startsWith('/agent/package-files/'))
      return void response.writeHead(404).end()
    downloads += 1
    response.writeHead(200, { 'content-length': CONTENT.length })
    served.answer(response, downloads)
  }
  let runs = 0
  const start = (more: Partial<CommandInput<'push-file'>> = {}) => {
    const history_id = (runs += 1)
    const input = {
      path: raw(target),
      bytes: CONTENT.length,
      sha256: hashOf(CONTENT),
      token: TOKEN,
      mode: null,
      owner: null,
      overwrite: true,
      job: 7,
      timeout_seconds: 60,
      output_cap_bytes: 100_000,
      ...more,
    }
    server.command(server.sign('push-file', input, { payload: { history_id } }))
    return history_id
  }
  const endOf = async (history_id: number) => {
    const { outcome, reason } = await server.result(history_id)
    return outcome === 'exited' ? server.outputOf(history_id).trimEnd() : reason
  }
  const push = (more: Partial<CommandInput<'push-file'>> = {}) => endOf(start(more))
  const undo = async (job = 7) => {
    const { answer, refused } = await ask(server, 'undo-push', { job })
    return refused ?? answer.state
  }
  const names = () => readdirSync(folder)
  return {
    server,
    own,
    agent,
    folder,
    target,
    served,
    start,
    endOf,
    push,
    undo,
    names,
    count: () => downloads,
  }
}

test('a file of 5 MB is created with its rights, and undo deletes it', async () => {
  const { target, push, undo, names, count } = await prepare()
  expect(await push({ mode: 0o750 })).toBe(PUSHED.created)
  expect(hashOf(readFileSync(target))).toBe(hashOf(CONTENT))
  expect((statSync(target).mode & 0o7777).toString(8)).toBe('750')
  expect(await push()).toBe(PUSHED.earlier)
  expect(await push({ job: 8 })).toBe(PUSHED.same)
  expect(count()).toBe(1)
  expect(await push({ job: 9, mode: 0o640 })).toBe(PUSHED.replaced)
  expect((statSync(target).mode & 0o7777).toString(8)).toBe('640')
  expect([await undo(9), (statSync(target).mode & 0o7777).toString(8)]).toEqual(['restored', '640'])
  expect([await undo(), await undo()]).toEqual(['deleted', 'deleted'])
  expect(names()).toEqual([])
  expect(await undo(8)).toBe('The former file is no longer kept on this machine.')
})

test('a file is replaced through a link to its folder, and undo restores its content and rights', async () => {
  const { folder, target, push, undo, names } = await prepare()
  symlinkSync(folder, join(folder, 'link'))
  const former = Buffer.from([0, 255, 10, 0])
  writeFileSync(target, former)
  chmodSync(target, 0o604)
  expect(await push({ path: raw(join(folder, 'link/app.bin')), mode: 0o700 })).toBe(PUSHED.replaced)
  expect(await undo()).toBe('restored')
  expect([readFileSync(target), (statSync(target).mode & 0o7777).toString(8)]).toEqual([former, '604'])
  expect(await undo()).toBe('restored')
  expect(await push({ job: 8 })).toBe(PUSHED.replaced)
  writeFileSync(target, 'edited')
  expect(await undo(8)).toBe(`"${target}" was changed on the machine, so it was not replaced.`)
  expect(readFileSync(target, 'utf8')).toBe('edited')
  expect(names().toSorted()).toEqual(['app.bin', 'link'])
})

test('a file that is mounted is pushed and restored in place, with its rights', async () => {
  const { target, push, undo, names } = await prepare()
  const source = join(givenFolder(), 'source')
  writeFileSync(source, 'old', { mode: 0o600 })
  writeFileSync(target, '')
  if (!givenBindMount(source, target)) return expect(process.getuid?.()).not.toBe(0)
  const now = () => {
    const { mode, uid, gid } = statSync(source)
    return [hashOf(readFileSync(source)), mode & 0o7777, uid, gid]
  }
  expect(await push({ mode: 0o4640, owner: '1:1' })).toBe(PUSHED.replaced)
  expect(now()).toEqual([hashOf(CONTENT), 0o4640, 1, 1])
  expect(await undo()).toBe('restored')
  expect(now()).toEqual([hashOf(Buffer.from('old')), 0o600, 0, 0])
  expect(names()).toEqual(['app.bin'])
})

test('a pushed file and its undo keep access list and attributes', async () => {
  const { target, push, undo, names } = await prepare()
  writeFileSync(target, 'old', { mode: 0o660 })
  const kept = { 'user.note': '6b657074', [ACCESS_LIST]: accessListFor(1) }
  setAttributes(target, kept)
  expect(await push()).toBe(PUSHED.replaced)
  expect([hashOf(readFileSync(target)), readAttributes(target)]).toEqual([hashOf(CONTENT), kept])
  expect(await undo()).toBe('restored')
  expect([readFileSync(target, 'utf8'), readAttributes(target)]).toEqual(['old', kept])
  expect([names(), statSync(target).mode & 0o777]).toEqual([['app.bin'], 0o660])
})

test('a file with other content stays where it must not be replaced', async () => {
  const { target, push, undo, count } = await prepare()
  writeFileSync(target, 'mine')
  expect(await push({ overwrite: false })).toBe(PUSHED.skipped)
  expect([readFileSync(target, 'utf8'), count()]).toEqual(['mine', 0])
  expect(await undo()).toBe('The former file is no longer kept on this machine.')
})

test('a former file that is too large is replaced without undo, and the run says so', async () => {
  const { target, push, undo } = await prepare()
  writeFileSync(target, '')
  truncateSync(target, MAX_KEPT_FILE_BYTES + 1)
  const reason = 'The former file was larger than 64 MB.'
  expect(await push()).toBe(`${PUSHED.lost}${reason}`)
  expect(await undo()).toBe(reason)
  expect(hashOf(readFileSync(target))).toBe(hashOf(CONTENT))
})

test('former files are kept for 30 days in the folder of the agent', async () => {
  const { own, target, push, undo } = await prepare()
  writeFileSync(target, 'secret')
  expect(await push()).toBe(PUSHED.replaced)
  const kept = join(own, 'pushed-files')
  expect((statSync(kept).mode & 0o777).toString(8)).toBe('700')
  expect(readFileSync(join(kept, 'job-7'), 'utf8')).toBe('secret')
  const past = Date.now() / 1000 - 31 * 86_400
  for (const name of readdirSync(kept)) utimesSync(join(kept, name), past, past)
  writeFileSync(target, 'newer')
  expect(await push({ job: 8 })).toBe(PUSHED.replaced)
  expect(await undo(7)).toBe('The former file is no longer kept on this machine.')
  expect(await undo(8)).toBe('restored')
})

test('an interrupted download starts again, also when the link of the agent is lost meanwhile', async () => {
  const { server, target, served, push, names } = await prepare({ expectedWarnings: [/link/] })
  served.answer = (response, number) => {
    if (number > 1) return void response.end(CONTENT)
    response.write(CONTENT.subarray(0, 1_000_000), () => {
      server.socket?.terminate()
      response.destroy()
    })
  }
  const said = await push()
  expect(said).toMatch(/^The download of the file (was interrupted|ended after).* Trying again in 1 s\.\n/)
  expect(said).toContain(PUSHED.created)
  expect(hashOf(readFileSync(target))).toBe(hashOf(CONTENT))
  expect(names()).toEqual(['app.bin'])
})

test('a wrong hash, size or token is refused, and nothing is left behind', async () => {
  const { target, push, names } = await prepare()
  writeFileSync(target, 'mine')
  expect(await push({ sha256: 'f'.repeat(64) })).toBe(
    'The download of the file does not have the announced hash.',
  )
  expect(await push({ bytes: 1000 })).toBe('The download of the file is longer than announced.')
  expect(await push({ token: 'another-token-of-nobody' })).toMatch(/^The server returned status 404 /)
  expect([names(), readFileSync(target, 'utf8')]).toEqual([['app.bin'], 'mine'])
})

test('a full disk, a missing or read-only folder, a folder and a link are refused with a sentence', async () => {
  const { push, folder, target, names } = await prepare({
    folder: givenBadDisk().folder,
    expectedWarnings: [/command refused/],
  })
  const at = (path: string) => push({ path: raw(path) })
  if (process.getuid?.() === 0) expect(await at(target)).toMatch(/^Not enough disk space\. Free: /)
  expect(await at(join(folder, 'none/app.bin'))).toMatch(/^The folder ".*none" does not exist\.$/)
  mkdirSync(join(folder, 'sub'))
  expect(await at(join(folder, 'sub'))).toMatch(/^This is a folder/)
  symlinkSync('/etc/passwd', join(folder, 'link'))
  expect(await at(join(folder, 'link'))).toBe('This is a link. Open its target instead.')
  expect(await at('/proc/sys/kernel/muster-test')).toMatch(
    /^(The disk is read-only|The agent has no permission|The file or folder no longer exists|Not enough disk space)/,
  )
  expect(await push({ owner: 'nobody-of-this-name' })).toBe('The user "nobody-of-this-name" does not exist.')
  expect(names().toSorted()).toEqual(['link', 'sub'])
})

test('a cancelled push removes its temporary file', async () => {
  const { server, served, start, endOf, names } = await prepare()
  const begun = Promise.withResolvers<void>()
  served.answer = (response) => void response.write(CONTENT.subarray(0, 1_000_000), () => begun.resolve())
  const id = start()
  await begun.promise
  await server.until(() => names().length === 1)
  server.command(server.sign('cancel', { history_id: id }))
  expect(await endOf(id)).toBe('Cancelled.')
  await expect.poll(names).toEqual([])
})
