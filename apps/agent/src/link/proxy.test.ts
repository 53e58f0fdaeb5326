import { createHash } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Identity } from '../identity/identity.ts'
import { decodeWinHttp } from '../os/windows/system-proxy.ts'
import { runProgram, startProgram } from '../testing/agent-process.ts'
import { ConnectProxy } from '../testing/connect-proxy.ts'
import { givenFolder } from '../testing/given.ts'
import { GOOD_TOKEN, TestServer } from '../testing/test-server.ts'
import { nextAuthority, otherNameTls, secondSelfSigned } from '../testing/tls-fixture.ts'
import { downloadFile } from './download-file.ts'
import { chooseProxy, isException, type SystemProxy } from './proxy.ts'

/** Only the proxy knows this name. */
const HOST = 'other.example.com'

/** A server and a proxy in front of it. The variables of a test are those of the shell. */
async function givenProxy(tls?: typeof otherNameTls) {
  for (const name of ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY', 'ALL_PROXY']) {
    vi.stubEnv(name, undefined)
    vi.stubEnv(name.toLowerCase(), undefined)
  }
  onTestFinished(() => void vi.unstubAllEnvs())
  const server = new TestServer(tls)
  onTestFinished(() => server[Symbol.asyncDispose]())
  const port = await server.listen()
  const proxy = new ConnectProxy()
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  const folder = givenFolder()
  const caFile = join(folder, 'server-ca.pem')
  writeFileSync(caFile, nextAuthority)
  const url = `${tls === undefined ? 'http' : 'https'}://${HOST}:${port}`
  const words = ['enrol', '--server', url, '--token', GOOD_TOKEN, '--data', folder]
  if (tls !== undefined) words.push('--ca', caFile)
  return { server, port, proxy, address: await proxy.listen(), folder, url, words }
}

const readIdentity = (folder: string) =>
  Identity.parse(JSON.parse(readFileSync(join(folder, 'agent.json'), 'utf8')))

test('an agent enrols and stays connected through the proxy of the shell, and keeps it for its service', async () => {
  const { server, port, proxy, address, folder, url, words } = await givenProxy(otherNameTls)
  proxy.credentials = 'ada:s3cret@'
  vi.stubEnv('HTTPS_PROXY', `http://ada:s3cret%40@${address}`)
  const { stdout, stderr } = await runProgram(...words)
  expect(stderr).toBe('')
  expect(stdout).toContain(`enrolled at ${url} through the proxy http://${address} (with a user name) as `)
  expect(statSync(join(folder, 'agent.json')).mode & 0o077).toBe(0)

  vi.stubEnv('HTTPS_PROXY', undefined)
  const up = server.untilUp()
  const agent = startProgram('run', '--data', folder)
  await up
  server.runShell(1, 'echo through')
  await server.result(1)
  expect(server.outputOf(1)).toBe('through\n')
  expect(proxy.opened).toEqual([`${HOST}:${port}`, `${HOST}:${port}`])
  const status = await runProgram('status', '--data', folder)
  expect(status.stdout).toContain(`proxy     http://${address} (with a user name)\n`)
  expect(status.stdout + agent.stderr()).not.toContain('s3cret')
})

test('a server without TLS is reached through the proxy as well', async () => {
  const { server, port, proxy, address, words } = await givenProxy()
  vi.stubEnv('HTTP_PROXY', address)
  const up = server.untilUp()
  startProgram(...words, '--run')
  await up
  expect(proxy.opened).toEqual([`${HOST}:${port}`, `${HOST}:${port}`])
})

test('a server proves its new certificate through the proxy', async () => {
  const { server: first, port, proxy, address, folder, words } = await givenProxy(otherNameTls)
  const up = first.untilUp()
  startProgram(...words, '--proxy', `http://${address}`, '--run')
  await up
  await first[Symbol.asyncDispose]()
  const next = first.successor(secondSelfSigned)
  onTestFinished(() => next[Symbol.asyncDispose]())
  const again = next.untilUp()
  await next.listen(port)
  await again
  expect(readIdentity(folder).proven_certificate).not.toBeNull()
  expect(new Set(proxy.opened)).toEqual(new Set([`${HOST}:${port}`]))
})

test('downloads come through the proxy', async () => {
  const { server, proxy, address, folder, words, port } = await givenProxy(otherNameTls)
  vi.stubEnv('HTTPS_PROXY', `http://${address}`)
  expect(await runProgram(...words)).toMatchObject({ code: 0 })
  const content = Buffer.from('the content')
  server.onRequest = (_request, response) => response.writeHead(200).end(content)
  const path = join(folder, 'agent.mjs')
  await downloadFile(path, {
    path: '/agent/update',
    bytes: content.length,
    what: 'version 9',
    sha256: createHash('sha256').update(content).digest('hex'),
    signal: new AbortController().signal,
    server: readIdentity(folder),
  })
  expect(readFileSync(path, 'utf8')).toBe('the content')
  expect(proxy.opened).toEqual([`${HOST}:${port}`, `${HOST}:${port}`])
})

test.each([
  [
    'wants a password',
    { credentials: 'ada:s3cret' },
    '',
    'wants a user name and a password. Enrol with --proxy http://USER:PASSWORD@HOST:PORT',
  ],
  [
    'gets a wrong password',
    { credentials: 'ada:s3cret' },
    'ada:wrong@',
    'does not accept the user name and the password',
  ],
  [
    'allows no such connection',
    { refusal: '403 Forbidden' },
    '',
    'does not allow connections to HOST:PORT (403 Forbidden)',
  ],
  [
    'does not reach the server',
    { refusal: '502 Bad Gateway' },
    '',
    'does not reach HOST:PORT (502 Bad Gateway)',
  ],
])('an enrolment whose proxy %s fails and says so', async (_name, settings, user, sentence) => {
  const { proxy, address, port, words } = await givenProxy(otherNameTls)
  Object.assign(proxy, settings)
  vi.stubEnv('HTTPS_PROXY', `http://${user}${address}`)
  const { code, stderr } = await runProgram(...words)
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `muster-agent: failed to reach the server ${HOST}:${port}: the proxy ${address} ${sentence.replace('HOST:PORT (', `${HOST}:${port} (`)}\n`,
  })
})

test('an enrolment whose proxy does not run fails and says so', async () => {
  const { proxy, address, port, words } = await givenProxy(otherNameTls)
  await proxy[Symbol.asyncDispose]()
  const { code, stderr } = await runProgram(...words, '--proxy', `http://${address}`)
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `muster-agent: failed to reach the server ${HOST}:${port}: the proxy ${address} cannot be reached: connection refused\n`,
  })
})

test('an agent whose proxy is gone says so in its status', async () => {
  const { server, proxy, address, folder, words } = await givenProxy(otherNameTls)
  const up = server.untilUp()
  startProgram(...words, '--proxy', `http://${address}`, '--run')
  await up
  await proxy[Symbol.asyncDispose]()
  await expect
    .poll(async () => (await runProgram('status', '--data', folder)).stdout)
    .toContain(`the proxy ${address} cannot be reached: connection refused`)
})

test('the proxy is that of the option, of the shell, or of the operating system', async () => {
  const winHttp: SystemProxy = { proxy: 'http=web:8080;https=tls:8443', bypass: '*.office.test;<local>' }
  const choose = (url: string, env: Record<string, string> = {}, given?: string, system?: SystemProxy) =>
    chooseProxy(url, { given, env, ofSystem: async () => system })
  const tls = { HTTPS_PROXY: 'http://proxy:3128' }
  expect(await choose('https://rmm.test')).toBeNull()
  expect(await choose('https://rmm.test', tls)).toBe('http://proxy:3128')
  expect(await choose('http://rmm.test', tls)).toBeNull()
  expect(await choose('http://rmm.test', { http_proxy: 'proxy:3128/' })).toBe('http://proxy:3128')
  expect(await choose('https://rmm.test', { ALL_PROXY: 'https://proxy' })).toBe('https://proxy')
  expect(await choose('https://rmm.test', tls, 'http://ada:pw@own:81')).toBe('http://ada:pw@own:81')
  expect(await choose('https://rmm.test', tls, 'none', winHttp)).toBeNull()
  expect(
    await choose('https://rmm.test', { ...tls, NO_PROXY: 'a.test, rmm.test' }, undefined, winHttp),
  ).toBeNull()
  expect(await choose('https://127.0.0.1:8420', tls)).toBeNull()
  expect(await choose('https://rmm.test', {}, undefined, winHttp)).toBe('http://tls:8443')
  expect(await choose('http://rmm.test', {}, undefined, winHttp)).toBe('http://web:8080')
  expect(await choose('https://rmm.office.test', {}, undefined, winHttp)).toBeNull()
  expect(await choose('https://rmm', {}, undefined, winHttp)).toBeNull()
  await expect(choose('https://rmm.test', {}, 'socks5://secret@proxy:1080')).rejects.toThrow(
    /^--proxy is not the address of an HTTP proxy\. Example: http:\/\/proxy\.example\.com:3128$/,
  )
})

test.each([
  ['https://rmm.test', '*', true],
  ['https://rmm.test', 'test', true],
  ['https://rmm.test', '.test', true],
  ['https://rmm.test', '*.test', true],
  ['https://RMM.test:8443', 'rmm.test:8443', true],
  ['https://rmm.test', 'rmm.test:8443', false],
  ['https://myrmm.test', 'rmm.test', false],
  ['https://10.0.0.5', '10.0.0.5', true],
  ['https://10.0.0.5', '0.0.5', false],
  ['https://[fd00::1]', 'fd00::1', true],
  ['https://[fd00::1]:8443', '[fd00::1]:8443', true],
  ['https://rmm.test', '<local>', false],
  ['https://rmm.test', '', false],
])('%s with the exception "%s" is reached directly: %s', (url, entry, expected) => {
  expect(isException(url, [entry])).toBe(expected)
})

test('the proxy of services is read from the registry of Windows', () => {
  const text = (value: string) => {
    const length = Buffer.alloc(4)
    length.writeUInt32LE(value.length)
    return Buffer.concat([length, Buffer.from(value, 'latin1')])
  }
  const head = (flags: number) => Buffer.from([0x28, 0, 0, 0, 0, 0, 0, 0, flags, 0, 0, 0])
  const stored = Buffer.concat([head(3), text('proxy:8080'), text('<local>'), Buffer.alloc(4)])
  expect(decodeWinHttp(stored)).toEqual({ proxy: 'proxy:8080', bypass: '<local>' })
  expect(decodeWinHttp(Buffer.concat([head(1), text(''), text('')]))).toBeUndefined()
  expect(decodeWinHttp(Buffer.concat([head(3), text('proxy:8080')]).subarray(0, 18))).toEqual({
    proxy: 'pr',
    bypass: '',
  })
  expect(decodeWinHttp(Buffer.alloc(3))).toBeUndefined()
})
