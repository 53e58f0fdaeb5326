import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { CheckSettings } from '@muster/contract/api/checks'
import type { OutboundTargets } from '../../../platform/config/config.ts'
import { kindOfAddress } from '../../../platform/outbound/address-kind.ts'
import { expect, onTestFinished, test, vi } from 'vitest'
import { measureFromServer } from './server-checks.ts'
import { isServerCheck } from './server-kind.ts'

function measure(given: object, targets: OutboundTargets = 'any', signal = new AbortController().signal) {
  const settings = CheckSettings.parse({ name: 'Shop', ...given })
  if (!isServerCheck(settings)) throw new Error('not a check of the server')
  return measureFromServer(settings, { targets, signal })
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  onTestFinished(() => void server.close())
  // It listens on a port.
  return (server.address() as AddressInfo).port
}

async function givenWeb(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  onTestFinished(() => server.closeAllConnections())
  return `http://127.0.0.1:${await listen(server)}`
}

const http = (url: string, more: object = {}) => measure({ check_type: 'http', url, ...more })

test('status, time and text of a response', async () => {
  const seen: unknown[] = []
  const url = await givenWeb(({ method, url: path, headers }, response) => {
    seen.push([method, path, headers.host, headers['accept-encoding']])
    response.statusCode = 418
    response.setHeader('content-type', 'text/html; charset=iso-8859-1')
    response.end(Buffer.from('Grün (.*)', 'latin1'))
  })
  expect(await http(`${url}/a?b=1#c`, { text_present: 'Grün (.*)', text_absent: 'grün' })).toEqual({
    check_type: 'http',
    reason: '',
    status: 418,
    ms: expect.any(Number),
    has_present: true,
    has_absent: false,
    is_cut: false,
    cert_days: null,
  })
  expect(await http(url, { method: 'HEAD' })).toMatchObject({ status: 418, has_present: null })
  expect(seen[0]).toEqual(['GET', '/a?b=1', new URL(url).host, 'identity'])
  expect(seen[1]).toEqual(['HEAD', '/', new URL(url).host, 'identity'])
})

test('redirects are followed, or are the result', async () => {
  const url = await givenWeb(({ url: path }, response) => {
    const to = {
      '/': '/next',
      '/next': `//127.0.0.1:${new URL(url).port}/end`,
      '/loop': '/loop',
      '/file': 'file:///etc/passwd',
    }[path ?? '']
    if (to !== undefined) response.setHeader('location', to)
    response.writeHead(to === undefined ? 200 : 302).end(path)
  })
  expect(await http(url, { text_present: '/end' })).toMatchObject({ status: 200, has_present: true })
  expect(await http(url, { follow_redirects: false })).toMatchObject({ status: 302 })
  expect(await http(`${url}/loop`)).toMatchObject({
    status: null,
    reason: 'More than 5 redirects.',
  })
  expect(await http(`${url}/file`)).toMatchObject({
    reason: 'It redirects to file:///etc/passwd, which is not a web address.',
  })
})

test('a redirect cannot reach a forbidden address', async () => {
  const url = await givenWeb((_, response) => {
    response.writeHead(302, { location: 'http://169.254.169.254/keys' }).end()
  })
  // The machine's own network address may be requested, but its redirect may not be followed.
  const [own = '127.0.0.1'] = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ address, family }) => family === 'IPv4' && kindOfAddress(address) !== 'own')
    .map(({ address }) => address)
  const asked = await measure({ check_type: 'http', url: url.replace('127.0.0.1', own) }, 'lan')
  const refused = own === '127.0.0.1' ? own : '169.254.169.254'
  expect(asked).toMatchObject({
    status: null,
    reason: expect.stringContaining(`${refused} belongs to this server`),
  })
})

test('an endless response is read up to one megabyte', async () => {
  const url = await givenWeb((_, response) => {
    const write = () => {
      while (response.write('x'.repeat(65_536)));
    }
    response.on('drain', write)
    write()
  })
  expect(await http(url, { text_present: 'y' })).toMatchObject({
    status: 200,
    is_cut: true,
    has_present: false,
  })
})

test('a late response is given up', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  let asked = Promise.withResolvers<void>()
  const url = await givenWeb((_, response) => {
    response.write('a bit')
    asked.resolve()
  })
  const answer = http(url)
  await asked.promise
  vi.advanceTimersByTime(10_000)
  expect(await answer).toMatchObject({ status: null, reason: 'No complete response within 10 seconds.' })
})

test.each([
  ['a port without a listener', () => 'http://127.0.0.1:1/', 'The connection was refused.'],
  ['a missing name', () => 'http://no-such-host-here/', 'The host no-such-host-here does not exist.'],
])('%s', async (_, url, reason) => {
  expect(await http(url())).toMatchObject({ status: null, ms: null, reason })
})

test('a server with another protocol', async () => {
  const port = await listen(createTcpServer((socket) => socket.end('SSH-2.0-x\r\n')))
  const { reason } = await http(`http://127.0.0.1:${port}/`)
  expect(reason).toMatch(/^The request failed: Parse Error/)
  const silent = await listen(createTcpServer((socket) => socket.destroy()))
  expect(await http(`http://127.0.0.1:${silent}/`)).toMatchObject({ reason: 'The connection was closed.' })
  expect((await http(`https://127.0.0.1:${port}/`)).reason).not.toBe('')
})

async function givenSecureWeb(days: number): Promise<{ url: string; requests: () => number }> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-cert-'))
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')]
  const args = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    `${days}`,
  ]
  execFileSync('openssl', [...args, '-subj', '/CN=shop', '-keyout', key, '-out', cert], { stdio: 'pipe' })
  const files = { key: readFileSync(key), cert: readFileSync(cert) }
  rmSync(folder, { recursive: true })
  let requests = 0
  const server = createSecureServer(files, (_, response) => {
    requests += 1
    response.end('secret')
  })
  onTestFinished(() => server.closeAllConnections())
  return { url: `https://127.0.0.1:${await listen(server)}`, requests: () => requests }
}

test('an untrusted certificate is reported with its days, and nothing is sent', async () => {
  const { url, requests } = await givenSecureWeb(9)
  const found = await http(url)
  expect(found).toMatchObject({
    status: null,
    reason: 'The certificate of 127.0.0.1 is signed by an unknown authority.',
  })
  expect(found).toMatchObject({ cert_days: expect.closeTo(9, 1) })
  expect(requests()).toBe(0)
  expect(await http(url, { ignore_certificate: true })).toMatchObject({
    status: 200,
    cert_days: expect.closeTo(9, 1),
  })
  expect(requests()).toBe(1)
})

test('a port', async () => {
  const port = await listen(createTcpServer((socket) => socket.end()))
  const tcp = { check_type: 'tcp', host: 'localhost' }
  expect(await measure({ ...tcp, port })).toEqual({ check_type: 'tcp', reason: '', ms: expect.any(Number) })
  expect(await measure({ ...tcp, port: 1 })).toMatchObject({
    ms: null,
    reason: 'The connection was refused.',
  })
  expect(await measure({ ...tcp, port }, 'lan')).toMatchObject({
    ms: null,
    reason: expect.stringMatching(/belongs to this server/),
  })
})

/** A name server that gives every query the same answer. */
async function givenNameServer(code: number, records: [type: number, data: Buffer][]): Promise<string> {
  const socket = createSocket('udp4')
  socket.on('message', (question, from) => {
    const head = Buffer.from(question.subarray(0, 12))
    head.writeUInt16BE(0x8180 | code, 2)
    head.writeUInt16BE(records.length, 6)
    head.writeUInt16BE(0, 10)
    const end = question.indexOf(0, 12) + 5
    const answers = records.map(([type, data]) => {
      const answer = Buffer.alloc(12)
      answer.writeUInt16BE(0xc00c, 0)
      answer.writeUInt16BE(type, 2)
      answer.writeUInt16BE(1, 4)
      answer.writeUInt32BE(60, 6)
      answer.writeUInt16BE(data.length, 10)
      return Buffer.concat([answer, data])
    })
    socket.send(Buffer.concat([head, question.subarray(12, end), ...answers]), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  onTestFinished(() => void socket.close())
  return `127.0.0.1:${socket.address().port}`
}

const name = (text: string) =>
  Buffer.concat([
    ...text.split('.').map((part) => Buffer.from([part.length, ...Buffer.from(part)])),
    Buffer.from([0]),
  ])

test.each([
  ['A', 1, [Buffer.from([192, 0, 2, 7]), Buffer.from([192, 0, 2, 8])], ['192.0.2.7', '192.0.2.8']],
  ['AAAA', 28, [Buffer.from('20010db8000000000000000000000001', 'hex')], ['2001:db8::1']],
  ['CNAME', 5, [name('www.example.org')], ['www.example.org']],
  [
    'MX',
    15,
    [
      Buffer.concat([Buffer.from([0, 20]), name('b.example.org')]),
      Buffer.concat([Buffer.from([0, 5]), name('a.example.org')]),
    ],
    ['5 a.example.org', '20 b.example.org'],
  ],
  [
    'TXT',
    16,
    [Buffer.concat([Buffer.from([2]), Buffer.from('v='), Buffer.from([4]), Buffer.from('spf1')])],
    ['v=spf1'],
  ],
])('records of type %s', async (record_type, type, data, answers) => {
  const resolver = await givenNameServer(
    0,
    data.map((one) => [type, one]),
  )
  const dns = { check_type: 'dns', record_name: 'example.org', record_type, resolver }
  const found = await measure(dns)
  expect(found).toMatchObject({ check_type: 'dns', reason: '', answers: expect.arrayContaining(answers) })
  expect(found).toMatchObject({ ms: expect.any(Number) })
  expect(await measure(dns, 'lan')).toMatchObject({
    answers: [],
    reason: expect.stringMatching(/belongs to this server/),
  })
})

test.each([
  [3, 'This name does not exist.'],
  [2, 'The name server could not answer the request.'],
  [5, 'The name server refused the request.'],
])('a name server that answers %d', async (code, reason) => {
  const resolver = await givenNameServer(code, [])
  const dns = { check_type: 'dns', record_name: 'example.org', resolver }
  expect(await measure(dns)).toMatchObject({ ms: null, reason, answers: [] })
})
