import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { packageLine } from './install-script.ts'
import { msiLine } from './windows-script.ts'

const run = promisify(execFile)
const GIVEN = { url: 'https://muster.example', token: 'the-token-of-this-test', authority: false }

/** Programs that write down their arguments and what a package reads from its environment. */
async function givenMachine() {
  const folder = await mkdtemp(join(tmpdir(), 'muster-packages-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const bin = join(folder, 'bin')
  await mkdir(bin)
  const note = `echo "$(basename "$0") $* server=\${MUSTER_SERVER-} token=\${MUSTER_ENROL_TOKEN-} ca=\${MUSTER_CA_FILE-}" >>"${folder}/calls"`
  const program = (file: string, text: string) => writeFile(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  await program(join(bin, 'sudo'), `echo "$*" >>"${folder}/sudo"; exec "$@"`)
  for (const name of ['dpkg', 'rpm']) await program(join(bin, name), note)
  await mkdir(join(folder, 'muster-agent-0.1.0'))
  await program(join(folder, 'muster-agent-0.1.0/install.sh'), note)
  const paste = async (line: string) => {
    await run('sh', ['-c', line], { cwd: folder, env: { PATH: `${bin}:${process.env['PATH']}` } })
    expect(await readFile(join(folder, 'sudo'), 'utf8')).not.toContain(GIVEN.token)
    return (await readFile(join(folder, 'calls'), 'utf8')).trim()
  }
  return { folder, paste }
}

test.each([
  ['a.deb', 'dpkg -i a.deb server=https://muster.example token=the-token-of-this-test ca='],
  ['a.rpm', 'rpm -U --replacepkgs a.rpm server=https://muster.example token=the-token-of-this-test ca='],
])('the package %s gets server and token in its environment', async (file, call) => {
  const machine = await givenMachine()
  expect(await machine.paste(packageLine({ ...GIVEN, file }))).toBe(call)
})

test('a package gets the certificate of a server with an authority of its own', async () => {
  const machine = await givenMachine()
  const line = packageLine({ ...GIVEN, file: 'a.deb', authority: true })
  expect(await machine.paste(line)).toMatch(/ ca=\/\S+\/server-ca\.pem$/)
  expect(msiLine({ ...GIVEN, file: 'a.msi', authority: true })).toBe(
    String.raw`msiexec /i a.msi /qn SERVER=https://muster.example TOKEN=the-token-of-this-test CAFILE="%CD%\server-ca.pem"`,
  )
})

test('the archive of macOS is unpacked and runs its own installer', async () => {
  const machine = await givenMachine()
  await run('tar', ['-cJf', 'a.tar.xz', 'muster-agent-0.1.0'], { cwd: machine.folder })
  expect(await machine.paste(packageLine({ ...GIVEN, file: 'a.tar.xz' }))).toBe(
    'install.sh --server https://muster.example server= token=the-token-of-this-test ca=',
  )
})
