import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { isContinued, openPlainProxy } from '../../../../tools/plain-proxy.ts'
import { requireIdentity } from '../identity/identity.ts'
import { runProgram } from '../testing/agent-process.ts'
import { givenFolder, givenServer } from '../testing/given.ts'
import { GOOD_TOKEN } from '../testing/test-server.ts'
import { downloadFile } from './download-file.ts'

const PATH = '/agent/download'
// Half of it can be packed.
const CONTENT = Buffer.concat([randomBytes(300_000), Buffer.alloc(300_000, 'muster ')])

/** A server whose file is sent in ranges, behind a proxy that may break it off. */
async function givenDownload({ packed = false, tag = '"v1"' as string | null } = {}) {
  const { server, port } = await givenServer()
  const proxy = await openPlainProxy(`http://127.0.0.1:${port}`)
  onTestFinished(() => proxy[Symbol.dispose]())
  const folder = givenFolder()
  await runProgram('enrol', '--server', proxy.url, '--token', GOOD_TOKEN, '--data', folder)
  const served = { content: packed ? gzipSync(CONTENT) : CONTENT, tag }
  server.onRequest = ({ headers }, response) => {
    const { content, tag: current } = served
    const first = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0)
    const isRest = headers.range !== undefined && headers['if-range'] === current
    response.writeHead(isRest ? 206 : 200, {
      'content-length': isRest ? content.length - first : content.length,
      ...(current === null ? {} : { etag: current }),
      ...(packed ? { 'content-encoding': 'gzip' } : {}),
      ...(isRest ? { 'content-range': `bytes ${first}-${content.length - 1}/${content.length}` } : {}),
    })
    response.end(isRest ? content.subarray(first) : content)
  }
  const file = join(folder, 'downloaded')
  const download = () =>
    downloadFile(file, {
      path: PATH,
      bytes: CONTENT.length,
      sha256: createHash('sha256').update(CONTENT).digest('hex'),
      what: 'the file',
      server: requireIdentity(folder),
      signal: new AbortController().signal,
    })
  return { proxy, served, download, read: () => readFileSync(file) }
}

test.each([
  ['as it is', false],
  ['with gzip', true],
])('a download that is sent %s continues where the connection broke off, twice', async (_how, packed) => {
  const { proxy, download, read } = await givenDownload({ packed })
  proxy.cut(/download/, 200_000)
  proxy.cut(/download/, 50_000)
  await download()
  expect(read().equals(CONTENT)).toBe(true)
  const offsets = proxy.offsets(/download/)
  expect(isContinued(offsets, [200_000, 50_000]), `requested from ${offsets.join(', ')}`).toBe(true)
  expect(offsets[1]).toBeGreaterThan(0)
})

test('a file that changed meanwhile is not mixed with the old one', async () => {
  const { proxy, served, download } = await givenDownload()
  proxy.cut(/download/, 100_000)
  const ended = download()
  served.content = randomBytes(CONTENT.length)
  served.tag = '"v2"'
  await expect(ended).rejects.toThrow(
    /the file broke off, and the server does not continue it|announced hash/,
  )
})

test('a download without a tag does not continue', async () => {
  const { proxy, download } = await givenDownload({ tag: null })
  proxy.cut(/download/, 100_000)
  await expect(download()).rejects.toThrow('The download of the file was interrupted')
  expect(proxy.offsets(/download/)).toEqual([undefined])
})
