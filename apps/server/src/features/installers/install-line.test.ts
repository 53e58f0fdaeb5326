import { createInstaller } from '@muster/contract/api/agents'
import { createDeployment, deleteDeployment } from '@muster/contract/api/deployments'
import { execFile } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { TEST_CERT, TEST_KEY } from '../alerts/channels/test-certificate.ts'
import { createTestServer } from '../../testing/test-server.ts'
import type { ServerTrust } from './install-files.ts'
import { installScript, shellDeployLine, shellLine } from './install-script.ts'

const PLAIN: ServerTrust = { authority: undefined, certificateHash: undefined, keyPin: undefined }
const TOKEN = 'x'.repeat(43)

/** Runs a line as tools do that look at its exit code, and returns the end of its output. */
async function paste(line: string, shell = 'sh', path = process.env['PATH'] ?? '') {
  const { promise, resolve } = Promise.withResolvers<{ code: number; stdout: string; last: string }>()
  const child = execFile(shell, [], { env: { PATH: path } }, (error, stdout, stderr) => {
    resolve({ code: Number(error?.code ?? 0), stdout, last: stderr.trim().split('\n').at(-1) ?? '' })
  })
  child.stdin?.end(`${line}\n`)
  return promise
}

/** A web server that answers everything with this text, as a proxy or another program would. */
async function givenAnswer(text: string, status = 200): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status).end(text))
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function linesFor(url: string, trust = PLAIN): string[] {
  return [
    shellLine({ url, token: TOKEN, trust, dataFolder: undefined }),
    shellLine({ url, token: TOKEN, trust, dataFolder: '/nowhere' }),
    shellDeployLine(`${url}/clients/x/deploy/`, trust),
  ]
}

test('a line with a token that is used up fails and says why', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  const admin = server.as(await server.given.user({ superuser: true }))
  const site = await server.given.site()
  const { body } = await admin.call(createInstaller, {
    body: { client: site.client_id, site: site.id, agenttype: 'server', plat: 'linux', uses: 1 },
  })
  await server.ctx.db.updateTable('enrol_tokens').set({ uses_left: 0 }).execute()
  expect(await paste(body.cmd.replaceAll(body.url, url))).toEqual({
    code: 1,
    stdout: '',
    last: 'muster: nothing was installed: the enrolment token is unknown, used up, expired or for another platform; create a new command',
  })
})

test('a line of a deleted deployment fails and says why', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  const admin = server.as(await server.given.user({ superuser: true }))
  const site = await server.given.site()
  const expires = new Date(server.clock.now().getTime() + 86_400_000).toISOString()
  const { body } = await admin.call(createDeployment, {
    body: { site: site.id, agenttype: 'server', plat: 'linux', expires },
  })
  await admin.call(deleteDeployment, { params: { id: body.id } })
  expect(await paste(body.cmd.replace(new URL(body.url).origin, url))).toEqual({
    code: 1,
    stdout: '',
    last: 'muster: nothing was installed: this deployment has expired or was deleted; ask your administrator for a new one',
  })
})

test('a line whose server does not answer fails and says why', async () => {
  for (const line of linesFor('http://127.0.0.1:1')) {
    expect(await paste(line)).toEqual({
      code: 1,
      stdout: '',
      last: 'muster: nothing was installed: the server does not answer',
    })
  }
})

test('a line whose server has another certificate fails and says so', async () => {
  const server = createSecureServer({ cert: TEST_CERT, key: TEST_KEY }, (_request, response) =>
    response.end('echo ran\n# muster: end\n'),
  )
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const pinned = { ...PLAIN, keyPin: Buffer.alloc(32).toString('base64') }
  for (const line of [...linesFor(url), ...linesFor(url, pinned)]) {
    expect(await paste(line)).toEqual({
      code: 1,
      stdout: '',
      last: 'muster: nothing was installed: the certificate of the server is not trusted',
    })
  }
})

test('a line whose download breaks off runs nothing and fails', async () => {
  const server = createServer((_request, response) => {
    response
      .writeHead(200, { 'content-length': 1000 })
      .write('echo ran\n# muster: end\n', () => response.destroy())
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  for (const line of linesFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)) {
    expect(await paste(line)).toEqual({
      code: 1,
      stdout: '',
      last: 'muster: nothing was installed: the download failed, see above',
    })
  }
})

test('a line on a machine without curl and wget fails and says so', async () => {
  const bin = await mkdtemp(join(tmpdir(), 'muster-bin-'))
  onTestFinished(() => rm(bin, { recursive: true }))
  await symlink('/bin/sh', join(bin, 'sh'))
  for (const line of linesFor('http://127.0.0.1:1')) {
    expect(await paste(line, '/bin/sh', bin)).toEqual({
      code: 1,
      stdout: '',
      last: 'muster: nothing was installed: curl and wget are missing on this machine',
    })
  }
})

/** The programs of this machine that the line needs, with wget in place of curl. */
async function givenWget(): Promise<string> {
  const bin = await mkdtemp(join(tmpdir(), 'muster-bin-'))
  onTestFinished(() => rm(bin, { recursive: true }))
  for (const [name, file] of Object.entries({
    sh: '/bin/sh',
    wget: '/usr/bin/wget',
    cut: '/usr/bin/cut',
    mktemp: '/usr/bin/mktemp',
    rm: '/bin/rm',
  }))
    await symlink(file, join(bin, name))
  return bin
}

test('without curl, wget gets the script, and no command line has the token', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  const admin = server.as(await server.given.user({ superuser: true }))
  const site = await server.given.site()
  const path = await givenWget()
  const { body } = await admin.call(createInstaller, {
    body: { client: site.client_id, site: site.id, agenttype: 'server', plat: 'linux' },
  })
  const line = body.cmd.replaceAll(body.url, url)
  // The script has arrived, and refuses its option.
  expect(await paste(`${line} -s -- --data`, '/bin/sh', path)).toEqual({
    code: 1,
    stdout: '',
    last: 'muster: --data needs a folder',
  })
  expect(line.slice(line.indexOf('| sh'))).not.toContain(body.token)
  await server.ctx.db.updateTable('enrol_tokens').set({ uses_left: 0 }).execute()
  expect(await paste(line, '/bin/sh', path)).toEqual({
    code: 1,
    stdout: '',
    last: 'muster: nothing was installed: the enrolment token is unknown, used up, expired or for another platform; create a new command',
  })
})

test('without curl, a line says why nothing was installed', async () => {
  const path = await givenWget()
  const reasons = async (url: string, trust = PLAIN) =>
    (await Promise.all(linesFor(url, trust).map((line) => paste(line, '/bin/sh', path)))).map(
      ({ code, last }) => `${code} ${last.replace('muster: nothing was installed: ', '')}`,
    )
  const three = (reason: string) => [reason, reason, reason]
  expect(await reasons('http://127.0.0.1:1')).toEqual(three('1 the server does not answer'))
  expect(await reasons(await givenAnswer('<html>', 502))).toEqual(
    three('1 the answer is not a whole install script'),
  )
  const secure = createSecureServer({ cert: TEST_CERT, key: TEST_KEY }, (_request, response) =>
    response.end('exit 7\n# muster: end\n'),
  )
  onTestFinished(() => void secure.close())
  await once(secure.listen(0, '127.0.0.1'), 'listening')
  const url = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`
  const pin = (keyPin: string) => ({ ...PLAIN, keyPin })
  expect(await reasons(url)).toEqual(three('1 the certificate of the server is not trusted'))
  expect(await reasons(url, pin(Buffer.alloc(32).toString('base64')))).toEqual(
    three('1 the certificate of the server is not trusted'),
  )
  const key = new X509Certificate(TEST_CERT).publicKey.export({ type: 'spki', format: 'der' })
  expect(await reasons(url, pin(createHash('sha256').update(key).digest('base64')))).toEqual(three('7 '))
})

test.each([
  ['a page of a proxy', '<html>\n<h1>502 Bad Gateway</h1>\n</html>\n', 502],
  ['an error of the server', '{"code":"unavailable","message":"The server is starting."}', 503],
  ['nothing', '', 200],
  ['a script that was cut', 'echo ran\n', 200],
])('a line that gets %s runs nothing of it and fails', async (_, text, status) => {
  for (const line of linesFor(await givenAnswer(text, status))) {
    expect(await paste(line)).toEqual({
      code: 1,
      stdout: '',
      last: 'muster: nothing was installed: the answer is not a whole install script',
    })
  }
})

test.each(['sh', 'bash'])(
  'in %s, a line ends with the exit code of the script, which gets its options',
  async (shell) => {
    const script = `printf '%s|' "$@" 'a\\nb'; exit 7\n# muster: end\n`
    const lines = linesFor(await givenAnswer(script))
    const ends = await Promise.all(
      [...lines, `${lines[0]} -s -- --uninstall`].map((line) => paste(line, shell)),
    )
    expect(ends).toEqual(
      ['', '--data|/nowhere|', '', '--uninstall|'].map((options) => ({
        code: 7,
        stdout: `${options}a\\nb|`,
        last: '',
      })),
    )
  },
)

test('a part of the script does nothing, wherever it is cut', async () => {
  const script = installScript({ url: 'http://127.0.0.1:1', token: TOKEN, trust: PLAIN })
  const lines = script.split('\n')
  const calls = lines.indexOf('main "$@"')
  expect(lines.slice(calls)).toEqual(['main "$@"', '# muster: end', ''])
  const parts = [3, 20, 60, 120, calls - 1].map((count) => `${lines.slice(0, count).join('\n')}\n`)
  for (const part of [...parts, script.slice(0, 2000)]) {
    const { stdout } = await paste(part)
    expect(stdout).toBe('')
  }
  // Whole, it does something.
  expect(await paste(`set -- --data\n${script}`)).toEqual({
    code: 1,
    stdout: '',
    last: 'muster: --data needs a folder',
  })
})
