import { listAudit } from '@muster/contract/api/audit'
import { buildPackage, listPackages, type PackageName } from '@muster/contract/api/installers'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createEnrolToken } from './enrol-machine.ts'
import { ROOT } from './install-files.ts'
import { agentVersion } from './package-builds.ts'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'

const MSI: PackageName = { platform: 'windows', arch: 'x64', format: 'msi' }
const RPM: PackageName = { platform: 'linux', arch: 'x64', format: 'rpm' }
const PATH = '/agent/packages/windows/x64/msi'

async function givenAdmin(server: TestServer) {
  const admin = server.as(await server.given.user({ superuser: true }))
  const find = async ({ platform, arch, format }: PackageName) => {
    const { body } = await admin.call(listPackages, {})
    return body.find((row) => row.platform === platform && row.arch === arch && row.format === format)?.build
  }
  const ended = (name: PackageName) =>
    vi.waitUntil(
      async () => {
        const build = await find(name)
        return build?.state === 'ready' || build?.state === 'failed' ? build : undefined
      },
      { interval: 20 },
    )
  return { admin, find, ended }
}

async function givenFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** A builder of this test: a program in place of deploy/packages.mjs. */
async function givenBuilder(text: string): Promise<{ env: Record<string, string>; folder: string }> {
  const folder = await givenFolder('muster-builder-')
  const program = join(folder, 'builder.mjs')
  await writeFile(program, text)
  return { env: { MUSTER_PACKAGE_BUILDER: program }, folder }
}

test('a package is built on first demand, kept, and served with its hash', async () => {
  await using server = await createTestServer()
  const { admin, find, ended } = await givenAdmin(server)
  expect(await find(MSI)).toEqual({ state: 'absent' })
  const unbuilt = await server.app.fastify.inject({ url: PATH })
  expect([unbuilt.statusCode, unbuilt.body]).toEqual([404, expect.stringContaining('not been built')])
  const { body: begun } = await admin.call(buildPackage, { body: MSI })
  expect(begun.build.state).toBe('building')
  const build = await ended(MSI)
  expect(build).toMatchObject({
    state: 'ready',
    file: expect.stringMatching(/^muster-agent-\d+\.\d+\.\d+-x64\.msi$/),
    path: PATH,
    signed: false,
  })
  const served = await server.app.fastify.inject({ url: PATH })
  const sha256 = createHash('sha256').update(served.rawPayload).digest()
  expect(served.body).toBe('the msi of windows x64\n')
  expect(build).toMatchObject({ sha256: sha256.toString('hex'), bytes: served.rawPayload.length })
  expect(served.headers).toMatchObject({
    'repr-digest': `sha-256=:${sha256.toString('base64')}:`,
    'content-disposition': expect.stringMatching(/filename="muster-agent-.*-x64\.msi"/),
    'content-length': String(served.rawPayload.length),
  })
  // The package of the same version is not built again.
  expect((await admin.call(buildPackage, { body: MSI })).body.build).toEqual(build)
  const { audit_logs } = (await admin.call(listAudit, { body: {} })).body
  expect(audit_logs.map(({ message }) => message).filter((message) => message.includes('package'))).toEqual([
    expect.stringMatching(/^Started to build the package muster-agent-.*-x64\.msi$/),
  ])
})

test('open consoles show each step of a build', async () => {
  await using server = await createTestServer()
  const events: string[] = []
  server.ctx.onEvent(({ type }) => events.push(type))
  const { admin, ended } = await givenAdmin(server)
  await admin.call(buildPackage, { body: MSI })
  await ended(MSI)
  // Begun, "Downloading Node", ready; steps that follow one another at once may be one event.
  expect(events.filter((type) => type === 'package.changed').length).toBeGreaterThanOrEqual(2)
})

test('a failed build says why, and can be tried again', async () => {
  await using server = await createTestServer()
  server.expectLog(/package of the agent could not be built/)
  const { admin, ended } = await givenAdmin(server)
  await admin.call(buildPackage, { body: RPM })
  const failed = {
    state: 'failed',
    error: 'rpmbuild is missing. Install the package rpm on the server.',
  }
  expect(await ended(RPM)).toEqual(failed)
  expect((await admin.call(buildPackage, { body: RPM })).body.build.state).toBe('building')
  expect(await ended(RPM)).toEqual(failed)
})

test('a package of a kind that does not exist is refused', async () => {
  await using server = await createTestServer()
  const { admin } = await givenAdmin(server)
  const body = { platform: 'windows', arch: 'x64', format: 'deb' } as const
  const { status, error } = await admin.call(buildPackage, { body })
  expect([status, Object.keys(error.fields ?? {})]).toEqual([400, ['format']])
  expect((await server.app.fastify.inject({ url: '/agent/packages/windows/x64/deb' })).statusCode).toBe(404)
})

test('two requests at once build a package once', async () => {
  const { env, folder } = await givenBuilder(`
    import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
    import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
    const out = process.argv.at(-1)
    appendFileSync(import.meta.dirname + '/runs', 'x')
    console.log(JSON.stringify({ progress: 'Waiting' }))
    while (!existsSync(import.meta.dirname + '/go')) await new Promise((resolve) => setTimeout(resolve, 10))
    writeFileSync(out + '/a.msi', 'a')
    console.log(JSON.stringify({ file: 'a.msi', sha256: createHash('sha256').update('a').digest('hex'), bytes: 1, signed: true }))
  `)
  await using server = await createTestServer({ env })
  const { admin, find, ended } = await givenAdmin(server)
  await Promise.all([admin.call(buildPackage, { body: MSI }), admin.call(buildPackage, { body: MSI })])
  await vi.waitUntil(async () => {
    const build = await find(MSI)
    return build?.state === 'building' && build.progress === 'Waiting'
  })
  await admin.call(buildPackage, { body: MSI })
  await writeFile(join(folder, 'go'), '')
  expect(await ended(MSI)).toMatchObject({ state: 'ready', signed: true })
  expect(await readFile(join(folder, 'runs'), 'utf8')).toBe('x')
})

test('different packages are built one after the other', async () => {
  const { env, folder } = await givenBuilder(`
    import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
    import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
    const note = (text) => appendFileSync(import.meta.dirname + '/notes', text + process.argv[7] + ' ')
    note('begin ')
    while (!existsSync(import.meta.dirname + '/go')) await new Promise((resolve) => setTimeout(resolve, 10))
    writeFileSync(process.argv.at(-1) + '/a', 'a')
    note('end ')
    console.log(JSON.stringify({ file: 'a', sha256: createHash('sha256').update('a').digest('hex'), bytes: 1, signed: false }))
  `)
  await using server = await createTestServer({ env })
  const { admin, ended } = await givenAdmin(server)
  await admin.call(buildPackage, { body: MSI })
  const { body: second } = await admin.call(buildPackage, { body: RPM })
  expect(second.build).toEqual({ state: 'building', progress: 'Waiting for another build' })
  await writeFile(join(folder, 'go'), '')
  await ended(MSI)
  await ended(RPM)
  expect(await readFile(join(folder, 'notes'), 'utf8')).toBe('begin msi end msi begin rpm end rpm ')
})

test('what a killed server left of a build is removed; builds of other processes go on', async () => {
  await using server = await createTestServer()
  const { admin, ended } = await givenAdmin(server)
  const folder = join(server.ctx.config.dataFolder, 'packages')
  const left = join(folder, '.windows-x64-msi-killed')
  const running = join(folder, '.linux-x64-deb-running')
  for (const path of [left, running]) await mkdir(join(path, 'half'), { recursive: true })
  const hourAgo = new Date(Date.now() - 3_600_000)
  await utimes(left, hourAgo, hourAgo)
  await admin.call(buildPackage, { body: MSI })
  expect(await ended(MSI)).toMatchObject({ state: 'ready' })
  expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual(['.linux-x64-deb-running'])
})

test('a package of the release is offered, unless it is of another agent or was copied in part', async () => {
  const release = await givenFolder('muster-release-')
  await using server = await createTestServer({ env: { MUSTER_PACKAGES: release } })
  const { find } = await givenAdmin(server)
  const entry = { ...MSI, file: 'signed.msi', sha256: 'a'.repeat(64), bytes: 6, signed: true }
  const write = (agent: string) =>
    writeFile(join(release, 'packages.json'), JSON.stringify({ agent, packages: [entry] }))
  await writeFile(join(release, 'signed.msi'), 'signed')
  await write('0.0.1-other')
  expect(await find(MSI)).toEqual({ state: 'absent' })
  await write(agentVersion())
  expect(await find(MSI)).toMatchObject({ state: 'ready', signed: true, sha256: entry.sha256 })
  await writeFile(join(release, 'signed.msi'), 'sign')
  expect(await find(MSI)).toEqual({ state: 'absent' })
})

test('packages that were built for a release are served without a build', async () => {
  const release = await givenFolder('muster-release-')
  await writeFile(join(release, 'node'), 'a program in place of Node')
  const kind = ['--platform', 'linux', '--arch', 'x64', '--format', 'deb']
  const args = ['--all', ...kind, '--node', join(release, 'node'), '--out', release]
  await promisify(execFile)(process.execPath, [join(ROOT, 'deploy/packages.mjs'), ...args])
  const { env, folder } = await givenBuilder(`
    import { writeFileSync } from 'node:fs'
    writeFileSync(import.meta.dirname + '/started', '')
  `)
  await using server = await createTestServer({ env: { ...env, MUSTER_PACKAGES: release } })
  const { admin } = await givenAdmin(server)
  const body = { platform: 'linux', arch: 'x64', format: 'deb' } as const
  const { build } = (await admin.call(buildPackage, { body })).body
  const file = await readFile(join(release, 'muster-agent-0.1.0-linux-x64.deb'))
  const sha256 = createHash('sha256').update(file).digest('hex')
  expect(build).toMatchObject({ state: 'ready', sha256, bytes: file.length, signed: false })
  const served = await server.app.fastify.inject({ url: '/agent/packages/linux/x64/deb' })
  expect([served.statusCode, served.rawPayload.equals(file)]).toEqual([200, true])
  expect(existsSync(join(folder, 'started'))).toBe(false)
})

test.each([
  ['whose hash is of another file', `sha256: '${'0'.repeat(64)}', bytes: 1`, 'differs from its hash'],
  [
    'that is cut',
    `sha256: createHash('sha256').update('a').digest('hex'), bytes: 2`,
    'differs from its hash',
  ],
])('a package %s is never served', async (_, said, reason) => {
  const { env } = await givenBuilder(`
    import { writeFileSync } from 'node:fs'
    import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
    writeFileSync(process.argv.at(-1) + '/a.msi', 'a')
    console.log(JSON.stringify({ file: 'a.msi', ${said}, signed: false }))
  `)
  await using server = await createTestServer({ env })
  server.expectLog(/package of the agent could not be built/)
  const { admin, ended } = await givenAdmin(server)
  await admin.call(buildPackage, { body: MSI })
  expect(await ended(MSI)).toMatchObject({ state: 'failed', error: expect.stringContaining(reason) })
  expect((await server.app.fastify.inject({ url: PATH })).statusCode).toBe(409)
})

test('a server that stops ends its builds, and leaves no half package', async () => {
  const { env, folder } = await givenBuilder(`
    import { writeFileSync } from 'node:fs'
    writeFileSync(process.argv.at(-1) + '/a.msi', 'half')
    writeFileSync(import.meta.dirname + '/pid', String(process.pid))
    setInterval(() => {}, 1000)
  `)
  const server = await createTestServer({ env })
  const { admin } = await givenAdmin(server)
  await admin.call(buildPackage, { body: MSI })
  await vi.waitUntil(() => existsSync(join(folder, 'pid')))
  const pid = Number(await readFile(join(folder, 'pid'), 'utf8'))
  await server.app.stop()
  expect(() => process.kill(pid, 0)).toThrow(/ESRCH/)
  const packages = readdirSync(join(server.ctx.config.dataFolder, 'packages'), { recursive: true })
  expect(packages.filter((name) => String(name).endsWith('.msi'))).toEqual([])
  await server[Symbol.asyncDispose]()
})

test('a machine with an enrolment token of its platform has its package built, and waits for it', async () => {
  await using server = await createTestServer()
  const { ended } = await givenAdmin(server)
  const site = await server.given.site()
  const tokenOf = async (plat: 'windows' | 'linux') => {
    const token = await createEnrolToken(server.ctx.db, {
      siteId: site.id,
      monitoringType: 'server',
      plat,
      uses: 1,
      expiresAt: new Date(server.clock.now().getTime() + 60_000).toISOString(),
      createdBy: 'ada',
      now: server.clock.now(),
    })
    return { authorization: `Enrol ${token}` }
  }
  const foreign = await server.app.fastify.inject({ url: PATH, headers: await tokenOf('linux') })
  expect(foreign.statusCode).toBe(404)
  const headers = await tokenOf('windows')
  const first = await server.app.fastify.inject({ url: PATH, headers })
  expect([first.statusCode, first.headers['retry-after'], first.body]).toEqual([
    503,
    '5',
    'the server builds the package for Windows, which takes a few minutes\n',
  ])
  await ended(MSI)
  expect((await server.app.fastify.inject({ url: PATH, headers })).statusCode).toBe(200)
})
