import { createInstaller } from '@muster/contract/api/agents'
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import { LONG_PATIENCE_MS } from '../../../../../tools/patience.ts'

const run = promisify(execFile)

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

/** A shell whose `uname` is that of a Mac with this processor, and whose `sleep` does not wait long. */
async function givenMac(processor: string) {
  const folder = await mkdtemp(join(tmpdir(), 'muster-mac-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const bin = join(folder, 'bin')
  await mkdir(bin)
  await writeFile(
    join(bin, 'uname'),
    `#!/bin/sh\nif [ "$1" = -s ]; then echo Darwin; else echo ${processor}; fi\n`,
  )
  await writeFile(join(bin, 'sleep'), '#!/bin/sh\nexec /bin/sleep 0.1\n')
  for (const name of ['uname', 'sleep']) await chmod(join(bin, name), 0o755)
  await writeFile(join(folder, 'builder.mjs'), BUILDER)
  const paste = (line: string) =>
    run('sh', ['-c', line], { env: { PATH: `${bin}:${process.env['PATH']}` }, timeout: LONG_PATIENCE_MS })
  return { folder, paste, env: { MUSTER_PACKAGE_BUILDER: join(folder, 'builder.mjs') } }
}

async function givenLine(server: TestServer, dataFolder: string, url: string) {
  const admin = server.as(await server.given.user({ superuser: true }))
  const site = await server.given.site()
  const { body } = await admin.call(createInstaller, {
    body: {
      client: site.client_id,
      site: site.id,
      agenttype: 'workstation',
      plat: 'darwin',
      goarch: 'arm64',
      data_folder: dataFolder,
    },
  })
  // The test client asks without a socket, so its address is not the one of machines.
  return { ...body, cmd: body.cmd.replaceAll(body.url, url) }
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
