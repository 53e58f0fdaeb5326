import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import { givenInstaller, givenShell } from './test-shell.ts'

/** A package whose Node is a shell script that writes down its arguments, its token and its files. */
const BUILDER = `
  import { execFileSync } from 'node:child_process'
  import { createHash } from 'node:crypto'
  import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
  const out = process.argv.at(-1)
  mkdirSync(out + '/muster-agent/program/native', { recursive: true })
  const node = '#!/bin/sh\\necho "$2 token=\${MUSTER_ENROL_TOKEN-none}" >>"$(dirname "$0")/calls"\\nif [ "$2" = "run" ]; then ls "$(dirname "$0")" >>"$(dirname "$0")/calls"; fi\\n'
  writeFileSync(out + '/muster-agent/program/node', node, { mode: 0o755 })
  mkdirSync(out + '/muster-agent/program/package')
  writeFileSync(out + '/muster-agent/program/package/agent.mjs', '// the agent\\n')
  writeFileSync(out + '/muster-agent/program/muster-agent.mjs', '// the launcher\\n')
  writeFileSync(out + '/muster-agent/program/native/pty.node', 'native\\n')
  execFileSync('tar', ['-cJf', out + '/a.tar.xz', '-C', out, 'muster-agent'])
  const bytes = readFileSync(out + '/a.tar.xz')
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  console.log(JSON.stringify({ file: 'a.tar.xz', sha256, bytes: bytes.length, signed: false }))
`

/** A Mac with this processor, beside a server whose builder is the one above. */
async function givenMac(processor: string) {
  const shell = await givenShell('Darwin', processor)
  await writeFile(join(shell.folder, 'builder.mjs'), BUILDER)
  return { ...shell, env: { MUSTER_PACKAGE_BUILDER: join(shell.folder, 'builder.mjs') } }
}

async function givenLine(server: TestServer, data_folder: string, url: string) {
  const order = { agenttype: 'workstation', plat: 'darwin', goarch: 'arm64', data_folder } as const
  const given = await givenInstaller(server, order)
  // The test client asks without a socket, so its address is not the one of machines.
  return { ...given, cmd: given.cmd.replaceAll(given.url, url) }
}

test.each([
  ['arm64', 'arm64'],
  ['x86_64', 'x64'],
])('the line of macOS waits for the package and starts the agent on %s', async (processor, arch) => {
  const mac = await givenMac(processor)
  await using server = await createTestServer({ env: mac.env })
  const { url } = await server.listen()
  const data = join(mac.folder, 'my data')
  const line = await givenLine(server, data, url)
  expect(line.package).toMatchObject({ platform: 'darwin', arch: 'arm64', format: 'tar.xz' })
  const { stdout } = await mac.paste(line.cmd)
  expect(stdout).toContain('muster: downloading the agent')
  // First the version of the package is laid out. Only the enrolment gets the token, and no command line does.
  const calls = await readFile(join(data, 'program/calls'), 'utf8')
  expect(calls.split('\n')).toEqual([
    'lay-out token=none',
    `enrol token=${line.token}`,
    'run token=none',
    'calls',
    'muster-agent.mjs',
    'native',
    'node',
    'package',
    '',
  ])
  const served = `/agent/packages/darwin/${arch}/tar.xz`
  expect((await server.app.fastify.inject({ url: served })).statusCode).toBe(200)
  // It can be repeated, as an update of the program.
  await mac.paste(line.cmd)
  expect(await readFile(join(data, 'program/package/agent.mjs'), 'utf8')).toBe('// the agent\n')
})

test('the line of macOS says why the server has no package', async () => {
  const mac = await givenMac('arm64')
  await writeFile(
    join(mac.folder, 'builder.mjs'),
    `console.log(JSON.stringify({ error: 'npm does not answer.' })); process.exitCode = 1`,
  )
  await using server = await createTestServer({ env: mac.env })
  server.expectLog(/package of the agent could not be built/)
  const { url } = await server.listen()
  const { cmd } = await givenLine(server, join(mac.folder, 'data'), url)
  await expect(mac.paste(cmd)).rejects.toThrow(
    'muster: the package could not be downloaded: npm does not answer.',
  )
})
