import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const PROGRAM = join(import.meta.dirname, '../packages.mjs')
const SLOW = { timeout: 600_000 }
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-packages-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(platform: string, format: string, out: string, more: Record<string, string> = {}) {
  const args = [
    '--platform',
    platform,
    '--arch',
    'x64',
    '--format',
    format,
    '--fast',
    '--out',
    join(folder, out),
  ]
  const env = { ...process.env, ...more }
  const { status, stdout } = spawnSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8', env })
  const lines = stdout.trim().split('\n')
  // The contract of the program: lines of JSON objects.
  return { status, lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
}

function build(platform: string, format: string, out = 'one') {
  const { status, lines } = run(platform, format, out)
  const result = lines.at(-1)
  expect({ status, result }).toMatchObject({ status: 0, result: { signed: false } })
  expect(lines.slice(0, -1).every((line) => typeof line['progress'] === 'string')).toBe(true)
  const file = String(result?.['file'])
  expect(result).toEqual({
    file,
    sha256: createHash('sha256').update(readFileSync(file)).digest('hex'),
    bytes: statSync(file).size,
    signed: false,
  })
  return file
}

const hash = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')
const read = (program: string, ...args: string[]) => execFileSync(program, args, { encoding: 'utf8' })

test('the MSI is the same after each build of the same sources', SLOW, () => {
  const first = build('windows', 'msi')
  expect(basename(first)).toMatch(/^muster-agent-\d+\.\d+\.\d+-windows-x64\.msi$/)
  expect(hash(build('windows', 'msi', 'two'))).toBe(hash(first))
  const actions = read('msiinfo', 'export', first, 'CustomAction')
  // 8192: Windows Installer writes the arguments of the action, which contain the token, into no log.
  expect(Number(/RegisterAgent\t(\d+)/.exec(actions)?.[1]) & 8192).toBe(8192)
  expect(read('msiinfo', 'export', first, 'Property')).toContain('MsiHiddenProperties\tTOKEN')
})

test('the Debian package contains the program for root, and its scripts are valid', SLOW, () => {
  const first = build('linux', 'deb')
  expect(hash(build('linux', 'deb', 'two'))).toBe(hash(first))
  const files = read('dpkg-deb', '--contents', first)
  const parts = ['node', 'muster-agent.mjs', 'package/agent.mjs'].map((name) => `opt/muster-agent/${name}`)
  for (const name of [...parts, 'usr/bin/muster-agent'])
    expect(files).toMatch(new RegExp(`^-rw.r-.r-. root/root .* \\./${name}$`, 'm'))
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

test('the rpm contains the same program, and its scripts are valid', SLOW, () => {
  const file = build('linux', 'rpm')
  const files = read('rpm', '-qlvp', file)
  const parts = ['node', 'muster-agent.mjs', 'package/agent.mjs'].map((name) => `/opt/muster-agent/${name}`)
  for (const name of [...parts, '/usr/bin/muster-agent'])
    expect(files).toMatch(new RegExp(`^-rw.r-.r-. +\\d+ root +root .* ${name}$`, 'm'))
  expect(read('rpm', '-qp', '--queryformat', '%{ARCH} %{BUILDHOST}', file)).toBe('x86_64 muster')
  for (const script of ['POSTIN', 'PREUN', 'POSTUN']) {
    const text = read('rpm', '-qp', '--queryformat', `%{${script}}`, file)
    expect(spawnSync('sh', ['-n'], { input: text }).status).toBe(0)
    expect(text.length).toBeGreaterThan(10)
  }
})

test('the archive for macOS contains an untouched Node and valid scripts', SLOW, () => {
  const file = build('macos', 'tar.xz')
  read('tar', 'xf', file, '-C', folder)
  const [name = ''] = read('tar', 'tf', file).split('/')
  for (const script of ['install.sh', 'uninstall.sh']) read('sh', '-n', join(folder, name, script))
  expect(existsSync(join(folder, name, 'program/muster-agent.mjs'))).toBe(true)
  const node = join(folder, name, 'program/node')
  // Programs for macOS begin so (64 bits).
  expect(readFileSync(node).readUInt32LE(0)).toBe(0xfeedfacf)
  expect(readFileSync(node).includes('Developer ID Application: Node.js Foundation')).toBe(true)
})

test('an MSI is signed if a certificate is given', SLOW, () => {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const subject = ['-subj', '/CN=Test', '-addext', 'extendedKeyUsage=codeSigning']
  read('openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, '-keyout', key, '-out', cert)
  const { status, lines } = run('windows', 'msi', 'signed', { MUSTER_SIGN_CERT: cert, MUSTER_SIGN_KEY: key })
  expect({ status, last: lines.at(-1) }).toMatchObject({ status: 0, last: { signed: true } })
  const verified = read('osslsigncode', 'verify', '-CAfile', cert, '-in', String(lines.at(-1)?.['file']))
  expect(verified).toContain('Signature verification: ok')
})

test('a missing tool is named with the package that has it', SLOW, () => {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  for (const program of ['npm', 'tar']) symlinkSync(read('which', program).trim(), join(bin, program))
  const { status, lines } = run('windows', 'msi', 'none', { PATH: bin })
  expect({ status, last: lines.at(-1) }).toEqual({
    status: 1,
    last: { error: 'wixl is missing. Install the Debian package wixl.' },
  })
  expect(existsSync(join(folder, 'none/muster-agent-0.1.0-windows-x64.msi'))).toBe(false)
})

test('an unknown package is refused', () => {
  expect(run('windows', 'deb', 'none')).toEqual({
    status: 1,
    lines: [{ error: 'There is no package for --platform windows --arch x64 --format deb.' }],
  })
})
