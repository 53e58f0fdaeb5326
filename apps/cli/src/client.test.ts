import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { TEST_CERT, TEST_KEY } from '@muster/server/features/alerts/channels/test-certificate.ts'
import { expect, onTestFinished, test } from 'vitest'
import { givenCli, givenConfigFolder, startCli } from './test-cli.ts'

async function serve(answer: RequestListener, secure = false) {
  const server = secure ? createTlsServer({ cert: TEST_CERT, key: TEST_KEY }, answer) : createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // Listening on TCP.
  const { port } = server.address() as AddressInfo
  return `${secure ? 'https' : 'http'}://127.0.0.1:${port}`
}

const envOf = (url: string) => ({
  MUSTER_SERVER: url,
  MUSTER_API_KEY: 'muster_key',
  XDG_CONFIG_HOME: givenConfigFolder(),
})

test.each<[string, RequestListener, RegExp]>([
  ['HTML', (_, response) => response.end('<html>'), /^muster: The server sent an invalid response\.\n$/],
  [
    'HTML with an error',
    (_, response) => response.writeHead(502, 'Bad\u009b31m Gateway').end('<html>'),
    /^muster: The server returned 502\.\n$/,
  ],
  [
    'JSON of another program',
    (_, response) => response.end('[{"hostname": 1}]'),
    /^muster: The server sent an invalid response\. Use the program of the same version as the server\.\n$/,
  ],
  [
    'a redirect',
    (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/stolen' }).end(),
    /^muster: The server cannot be reached: it redirects to http:\/\/127\.0\.0\.1:1\/stolen\. .*\n$/,
  ],
  [
    'escape sequences in an error',
    (_, response) =>
      response
        .writeHead(403)
        .end(JSON.stringify({ detail: 'No\u001b[2J\nway', code: 'not_allowed', request_id: 'r\u0007' })),
    /^muster: No way \(request r\u2407\)\n$/,
  ],
  [
    'half a response',
    (_, response) => void response.writeHead(200, { 'content-length': 9 }).end('['),
    /^muster: .+\n$/,
  ],
])('%s of a server is one line on standard error', async (_name, answer, line) => {
  const { code, stdout, stderr } = await startCli(['agents', 'list'], envOf(await serve(answer))).ended
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(line)
})

test('a server that does not listen is one line with the reason', async () => {
  const url = await serve(() => undefined)
  const env = envOf(url.replace('127.0.0.1', 'muster.invalid'))
  const { code, stderr } = await startCli(['agents', 'list'], env).ended
  expect(code).toBe(1)
  expect(stderr).toMatch(/^muster: The server cannot be reached: getaddrinfo .* muster\.invalid\n$/)
})

test('a certificate of an unknown authority is refused, and accepted with --ca or NODE_EXTRA_CA_CERTS', async () => {
  const url = await serve((_, response) => response.end('[]'), true)
  const env = envOf(url)
  const ca = join(env.XDG_CONFIG_HOME, 'ca.pem')
  writeFileSync(ca, TEST_CERT)
  const refused = await startCli(['agents', 'list'], env).ended
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toMatch(/^muster: The server cannot be reached: .*certificate.*--ca FILE\n$/)
  const listed = { code: 0, stdout: 'No machines.\n', stderr: '' }
  await expect(startCli(['agents', 'list', '--ca', ca], env).ended).resolves.toEqual(listed)
  const known = startCli(['agents', 'list'], { ...env, NODE_EXTRA_CA_CERTS: ca })
  await expect(known.ended).resolves.toEqual(listed)
  const none = await startCli(['agents', 'list', '--ca', `${ca}.none`], env).ended
  expect(none.stderr).toBe(`muster: ${ca}.none is not a readable PEM file with certificates.\n`)
})

test('a key is sent in its header only', async () => {
  const requests: unknown[] = []
  const url = await serve((request, response) => {
    const { 'x-api-key': key, cookie } = request.headers
    requests.push([request.url, key, cookie])
    response.end('[]')
  })
  await startCli(['agents', 'list'], envOf(url)).ended
  expect(requests).toEqual([['/agents/', 'muster_key', undefined]])
})

test('a reader that ends early, such as head, ends the program without an error', async () => {
  await using cli = await givenCli()
  for (let index = 0; index < 300; index += 1) await cli.server.given.agent({ description: 'x'.repeat(200) })
  const program = cli.start('agents', 'list', '--json')
  program.child.stdout.destroy()
  await expect(program.ended).resolves.toMatchObject({ code: 0, stderr: '' })
})

test('bash completes commands and options', async () => {
  const { code, stdout } = await startCli(['completion', 'bash'], {}).ended
  expect(code).toBe(0)
  const complete = async (...words: string[]) => {
    const script = `${stdout}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _muster; echo "\${COMPREPLY[*]}"`
    const bash = spawn('bash', ['-c', script, 'bash', 'muster', ...words])
    let text = ''
    for await (const chunk of bash.stdout.setEncoding('utf8')) text += String(chunk)
    return text.trim().split(' ')
  }
  expect(await complete('')).toEqual(expect.arrayContaining(['login', 'agents', 'run', 'jobs', '--profile']))
  expect(await complete('agents', '')).toEqual(expect.arrayContaining(['list', 'show']))
  expect(await complete('agents', 'list', '--w')).toEqual(['--watch'])
  expect(await complete('--json', 'jobs', 'w')).toEqual(['wait'])
  expect(await complete('run', '--on', 'x', '--', '')).toEqual([''])
})

test('zsh and fish get the same commands', async () => {
  const zsh = await startCli(['completion', 'zsh'], {}).ended
  expect(zsh.stdout).toMatch(/^#compdef muster\n/)
  // zsh ties it to PATH.
  expect(zsh.stdout).not.toMatch(/\bpath\b/)
  const fish = await startCli(['completion', 'fish'], {}).ended
  expect(fish.stdout).toMatch(/^complete -c muster .*__fish_seen_subcommand_from jobs;.* -a wait /m)
  expect(await startCli(['completion', 'tcsh'], {}).ended).toMatchObject({ code: 2, stdout: '' })
})
