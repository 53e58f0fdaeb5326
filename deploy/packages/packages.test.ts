import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const PROGRAM = join(import.meta.dirname, '../packages.mjs')
let folder: string

type Line = Record<string, unknown>

/** All packages, twice, with a program of a few lines in place of Node: their parts are the same. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-packages-'))
  writeFileSync(join(folder, 'stand-in'), `#!/bin/sh\nexec ${process.execPath} "$@"\n`, { mode: 0o755 })
  const [first, second] = await Promise.all([
    run(['--all', ...standIn()], 'one'),
    run(['--all', ...standIn()], 'two', { TZ: 'Pacific/Auckland' }),
  ])
  expect([first.status, second.status, first.lines.at(-1), second.lines.at(-1)]).toEqual([
    0,
    0,
    { progress: 'Building the agent' },
    { progress: 'Building the agent' },
  ])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const standIn = () => ['--node', join(folder, 'stand-in')]

async function run(args: readonly string[], out: string, more: Record<string, string> = {}) {
  const all = [PROGRAM, ...args, '--out', join(folder, out)]
  const child = spawn(process.execPath, all, { env: { ...process.env, ...more } })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve))
  // The contract of the program: lines of JSON objects.
  return {
    status,
    lines: stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line),
  }
}

const one = (platform: string, arch: string, format: string) =>
  `--platform ${platform} --arch ${arch} --format ${format}`.split(' ')
const hash = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')
const read = (program: string, ...args: string[]) => execFileSync(program, args, { encoding: 'utf8' })
const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Line
const built = (kind: string) => join(folder, 'one', `muster-agent-0.1.0-${kind}`)

const KINDS = ['windows-x64.msi', 'windows-arm64.msi', 'linux-x64.deb', 'linux-x64.rpm', 'linux-arm64.deb']
  .concat(['linux-arm64.rpm', 'macos-x64.tar.xz', 'macos-arm64.tar.xz'])
  .map((kind) => `muster-agent-0.1.0-${kind}`)

test('packages of all systems are the same after each build of the same sources', () => {
  const names = readdirSync(join(folder, 'one'))
  expect(names.toSorted()).toEqual([...KINDS, 'SHA256SUMS', 'packages.json', 'sbom.cdx.json'].toSorted())
  const hashes = (out: string) => names.map((name) => [name, hash(join(folder, out, name))])
  expect(hashes('two')).toEqual(hashes('one'))
  expect(
    spawnSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: join(folder, 'one') }).status,
  ).toBe(0)
})

test('the index of a release names each package with its hash', () => {
  const { agent, packages } = readJson(join(folder, 'one/packages.json')) as {
    agent: string
    packages: Line[]
  }
  const sources = readFileSync(join(import.meta.dirname, '../../apps/agent/dist/.sources'), 'utf8')
  expect(agent).toBe(`0.1.0-${sources.slice(0, 12)}`)
  expect(packages.map(({ file }) => file)).toEqual(KINDS)
  for (const { file, ...entry } of packages) {
    const path = join(folder, 'one', String(file))
    expect(entry).toEqual({
      platform: expect.stringMatching(/^(windows|linux|darwin)$/),
      arch: /arm64/.test(path) ? 'arm64' : 'x64',
      format: /\.(msi|deb|rpm|tar\.xz)$/.exec(path)?.[1],
      sha256: hash(path),
      bytes: statSync(path).size,
      signed: false,
    })
  }
})

interface Component {
  'bom-ref': string
  version: string
  hashes?: { content: string }[]
}

test('the SBOM names the agent, what it imports, its native parts and each Node with their hashes', () => {
  // The format of CycloneDX 1.5.
  const sbom = readJson(join(folder, 'one/sbom.cdx.json')) as {
    metadata: { component: Component }
    components: Component[]
    dependencies: { ref: string; dependsOn: string[] }[]
  }
  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1 })
  const refs = sbom.components.map((component) => component['bom-ref'])
  const names = refs.map((ref) => ref.replace(/@[^@]+$/, ''))
  for (const system of ['linux-x64', 'linux-arm64', 'win-x64', 'win-arm64', 'darwin-x64', 'bin-darwin-arm64'])
    expect(names).toContain(`node-${system}`)
  expect(names).toEqual(
    expect.arrayContaining(['zod', 'ws', '@lydell/node-pty-darwin-arm64', '@muster/contract']),
  )
  // Neither of the server and the console, nor for systems without packages.
  expect(names.filter((name) => /fastify|react|freebsd|playwright/.test(name))).toEqual([])
  const all = [sbom.metadata.component['bom-ref'], ...refs]
  expect(new Set(all).size).toBe(all.length)
  expect(sbom.dependencies.map(({ ref }) => ref).toSorted()).toEqual(all.toSorted())
  expect(sbom.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !all.includes(ref))).toEqual(
    [],
  )
  for (const { hashes, ...component } of sbom.components) {
    if (!component['bom-ref'].startsWith('@muster/')) expect(hashes?.[0]?.content).toMatch(/^[0-9a-f]{128}$/)
  }
})

test('the MSI hides the token, undoes failures, and holds the files unchanged', async () => {
  const actions = read('msiinfo', 'export', built('windows-x64.msi'), 'CustomAction')
  // 8192: Windows Installer writes the arguments of the action, which contain the token, into no log.
  expect(Number(/RegisterAgent\t(\d+)/.exec(actions)?.[1]) & 8192).toBe(8192)
  // 256: run when an installation fails after this action. Wine skips these.
  expect(Number(/UndoAgent\t(\d+)/.exec(actions)?.[1]) & 256).toBe(256)
  const order = read('msiinfo', 'export', built('windows-x64.msi'), 'InstallExecuteSequence')
  const placeOf = (name: string) => Number(new RegExp(`${name}\\t.*\\t(\\d+)`).exec(order)?.[1])
  expect(placeOf('UndoAgent')).toBeLessThan(placeOf('RegisterAgent'))
  expect(read('msiinfo', 'export', built('windows-x64.msi'), 'Property')).toContain(
    'MsiHiddenProperties\tTOKEN',
  )
  // A part of a real program, larger than the window of the compression, with calls that it translates.
  const program = join(folder, 'part-of-node')
  writeFileSync(program, readStart(process.execPath, 5_000_000))
  const args = ['--node', program, ...one('windows', 'x64', 'msi')]
  const { lines } = await run(args, 'cabinet')
  const unpacked = join(folder, 'cabinet/unpacked')
  // Another implementation of the format.
  read('msiextract', '--directory', unpacked, String(lines.at(-1)?.['file']))
  const hashes = readdirSync(unpacked, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => hash(join(entry.parentPath, entry.name)))
  const agent = join(import.meta.dirname, '../../apps/agent/dist/agent.mjs')
  expect(hashes).toEqual(expect.arrayContaining([hash(program), hash(agent)]))
})

test('an MSI that is repaired ignores SERVER, TOKEN and CAFILE, and no value of theirs becomes another argument', () => {
  const table = (name: string) => {
    const rows = read('msiinfo', 'export', built('windows-x64.msi'), name).trim().split('\r\n')
    return new Map(rows.map((row) => row.split('\t')).map(([key = '', ...rest]) => [key, rest.join('\t')]))
  }
  expect(table('Property').get('SecureCustomProperties')).toBe('OTHERVERSION')
  const sequence = table('InstallExecuteSequence')
  const secret = [...table('CustomAction')].filter(([, text]) => /\[(SERVER|TOKEN|CAFILE)\]/.test(text))
  expect(secret.map(([name]) => [name, sequence.get(name)])).toEqual([
    ['RegisterAgent', 'NOT Installed\t6500'],
  ])
  expect(sequence.get('RepeatAgent')).toBe('Installed AND NOT REMOVE="ALL"\t6501')
  // A value with a small letter in its name cannot be given on the command line.
  expect(table('Property').get('Quote')).toBe('"')
  expect(sequence.get('LaunchConditions')).toMatch(/^\t\d+$/)
  const [condition, message] = [...table('LaunchCondition')].at(-1) ?? []
  expect(condition).toBe(
    String.raw`Installed OR NOT (SERVER >< Quote OR SERVER >> "\" OR TOKEN >< Quote OR TOKEN >> "\" OR CAFILE >< Quote OR CAFILE >> "\")`,
  )
  expect(message).toContain('must not contain quotation marks')
})

test('the Debian package contains the program for root, and its scripts are valid', () => {
  const first = built(`linux-${process.arch}.deb`)
  const files = read('dpkg-deb', '--contents', first)
  const parts = ['node', 'muster-agent.mjs', 'package/agent.mjs'].map((name) => `opt/muster-agent/${name}`)
  for (const name of [...parts, 'usr/bin/muster-agent'])
    expect(files).toMatch(new RegExp(`^-rw.r-.r-. root/root .* \\./${name}$`, 'm'))
  // For ping checks.
  expect(read('dpkg-deb', '--field', first, 'Recommends')).toBe('iputils-ping\n')
  const control = join(folder, 'control')
  read('dpkg-deb', '--control', first, control)
  for (const name of ['postinst', 'prerm', 'postrm']) read('sh', '-n', join(control, name))
  const program = join(folder, 'unpacked')
  read('dpkg-deb', '--extract', first, program)
  const agent = join(program, 'opt/muster-agent')
  const [node, launcher, packaged] = ['node', 'muster-agent.mjs', 'package/agent.mjs'].map((name) =>
    join(agent, name),
  ) as [string, string, string]
  // The launcher starts the version of the package, also where no script has laid it out.
  expect(read(node, launcher, '--help')).toContain('Muster agent')
  expect(read(node, packaged, 'lay-out', '--program-folder', agent)).toMatch(/^Version .* is in /)
  rmSync(packaged)
  expect(read(node, launcher, '--help')).toContain('Muster agent')
})

test('the rpm contains the same program, and its scripts are valid', () => {
  const file = built('linux-x64.rpm')
  const files = read('rpm', '-qlvp', file)
  const parts = ['node', 'muster-agent.mjs', 'package/agent.mjs'].map((name) => `/opt/muster-agent/${name}`)
  for (const name of [...parts, '/usr/bin/muster-agent'])
    expect(files).toMatch(new RegExp(`^-rw.r-.r-. +\\d+ root +root .* ${name}$`, 'm'))
  expect(read('rpm', '-qp', '--queryformat', '%{ARCH} %{BUILDHOST}', file)).toBe('x86_64 muster')
  expect(read('rpm', '-qp', '--recommends', file)).toBe('iputils\n')
  for (const script of ['POSTIN', 'PREUN', 'POSTUN']) {
    const text = read('rpm', '-qp', '--queryformat', `%{${script}}`, file)
    expect(spawnSync('sh', ['-n'], { input: text }).status).toBe(0)
    expect(text.length).toBeGreaterThan(10)
  }
})

test('the archive for macOS contains valid scripts, and Node as its makers signed it', async () => {
  const { lines } = await run(['--fast', ...one('macos', 'x64', 'tar.xz')], 'macos')
  const file = String(lines.at(-1)?.['file'])
  read('tar', 'xf', file, '-C', folder)
  const [name = ''] = read('tar', 'tf', file).split('/')
  for (const script of ['install.sh', 'uninstall.sh']) read('sh', '-n', join(folder, name, script))
  expect(existsSync(join(folder, name, 'program/muster-agent.mjs'))).toBe(true)
  const node = readFileSync(join(folder, name, 'program/node'))
  // Programs for macOS begin so (64 bits).
  expect(node.readUInt32LE(0)).toBe(0xfeedfacf)
  expect(node.includes('Developer ID Application: Node.js Foundation')).toBe(true)
  // The agent's program finds the terminal module as it does on a Mac.
  const require = createRequire(join(folder, name, 'program/muster-agent.mjs'))
  const [binding, helper] = ['pty.node', 'spawn-helper'].map((part) =>
    require.resolve(`@lydell/node-pty-darwin-x64/${part}`),
  )
  for (const part of [binding, helper]) expect(readFileSync(part ?? '').readUInt32LE(0)).toBe(0xfeedfacf)
  expect(statSync(helper ?? '').mode & 0o111).toBe(0o111)
})

test('packages are signed if a certificate and keys are given', async () => {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const subject = ['-subj', '/CN=Test', '-addext', 'extendedKeyUsage=codeSigning']
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, '-keyout', key, '-out', cert]
  execFileSync('openssl', request, { stdio: 'pipe' })
  // The socket of its agent needs a short path.
  const GNUPGHOME = mkdtempSync('/tmp/gpg-')
  const gpg = (...args: string[]) =>
    execFileSync('gpg', ['--batch', ...args], { env: { ...process.env, GNUPGHOME }, stdio: 'pipe' })
  try {
    gpg('--passphrase', '', '--quick-generate-key', 'Test <test@muster.example>', 'rsa2048', 'sign', 'never')
    const { status, lines } = await run(['--all', '--arch', 'x64', ...standIn()], 'signed', {
      GNUPGHOME,
      MUSTER_SIGN_CERT: cert,
      MUSTER_SIGN_KEY: key,
      MUSTER_SIGN_DEB_KEY: 'test@muster.example',
      MUSTER_SIGN_RPM_KEY: 'test@muster.example',
    })
    expect([status, lines.at(-1)]).toEqual([0, { progress: 'Building the agent' }])
    const results = lines.filter(({ file }) => file !== undefined)
    const signed = results.map(({ file, signed }) => [basename(String(file)).replace(/.*x64\./, ''), signed])
    // Apple's tools run on a Mac only.
    expect(signed).toEqual([
      ['msi', true],
      ['deb', true],
      ['rpm', true],
      ['tar.xz', false],
    ])
    const [msi = '', deb = '', rpm = ''] = results.map(({ file }) => String(file))
    expect(read('osslsigncode', 'verify', '-CAfile', cert, '-in', msi)).toContain(
      'Signature verification: ok',
    )

    const publicKey = join(folder, 'public.asc')
    gpg('--armor', '--output', publicKey, '--export', 'test@muster.example')
    const database = ['--dbpath', join(folder, 'rpm-keys')]
    read('rpmkeys', ...database, '--import', publicKey)
    expect(read('rpmkeys', ...database, '--checksig', rpm)).toContain('digests signatures OK')

    const members = join(folder, 'members')
    mkdirSync(members)
    execFileSync('ar', ['x', deb], { cwd: members })
    const names = read('ar', 't', deb).trim().split('\n')
    expect(names).toEqual(['debian-binary', 'control.tar.xz', 'data.tar.xz', '_gpgorigin'])
    const content = join(members, 'content')
    writeFileSync(content, Buffer.concat(names.slice(0, 3).map((name) => readFileSync(join(members, name)))))
    gpg('--verify', join(members, '_gpgorigin'), content)
    // dpkg still reads it.
    expect(read('dpkg-deb', '--field', deb, 'Package')).toBe('muster-agent\n')
  } finally {
    spawnSync('gpgconf', ['--homedir', GNUPGHOME, '--kill', 'all'])
    rmSync(GNUPGHOME, { recursive: true, force: true })
  }
})

test('a missing tool is named with the package that has it', async () => {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  for (const program of ['npm', 'tar']) symlinkSync(read('which', program).trim(), join(bin, program))
  const { status, lines } = await run([...one('windows', 'x64', 'msi'), ...standIn()], 'none', { PATH: bin })
  expect({ status, last: lines.at(-1) }).toEqual({
    status: 1,
    last: { error: 'wixl is missing. Install the Debian package wixl.' },
  })
  expect(existsSync(join(folder, 'none/muster-agent-0.1.0-windows-x64.msi'))).toBe(false)
})

test('an unknown package is refused', async () => {
  const { status, lines } = await run(one('windows', 'x64', 'deb'), 'none')
  expect([status, lines.at(-1)]).toEqual([
    1,
    { error: 'There is no package for --platform windows --arch x64 --format deb.' },
  ])
})

function readStart(file: string, bytes: number): Buffer {
  const start = Buffer.alloc(bytes)
  const descriptor = openSync(file, 'r')
  readSync(descriptor, start)
  closeSync(descriptor)
  return start
}
