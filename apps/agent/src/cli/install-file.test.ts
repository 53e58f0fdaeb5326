import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { givenAgent, givenFolder } from '../testing/given.ts'
import { givenApt } from '../testing/given-apt.ts'
import { givenPrograms } from '../testing/given-programs.ts'
import { servePackageFile } from '../testing/serve-package-file.ts'
import { describeInstallerFailure, INSTALLERS } from './install-file.ts'

test('a package file is downloaded, checked and installed by the real apt, once', async () => {
  const apt = givenApt([])
  const { server } = await givenAgent({ expectedWarnings: [/failed to scan for patches/] })
  const file = apt.makeFile({ name: 'muster-tool', version: '1.5' })
  const detection = { by: 'package', name: 'muster-tool', version: '1.5' } as const
  const order = servePackageFile(server, file, { format: 'deb', detection })
  let runs = 0
  const install = async (more: Partial<typeof order> = {}) => {
    const history_id = (runs += 1)
    server.command(server.sign('install-file', { ...order, ...more }, { payload: { history_id } }))
    const { outcome, reason } = await server.result(history_id)
    return { end: reason ?? outcome, said: server.outputOf(history_id) }
  }
  expect((await install({ sha256: 'f'.repeat(64) })).end).toContain('does not have the announced hash')
  expect((await install({ bytes: order.bytes + 1 })).end).toContain(`ended after ${order.bytes} of`)
  expect((await install({ token: 'another-token-of-nobody' })).end).toContain('returned status 404')
  expect((await install({ format: 'msi' })).end).toContain('This machine cannot install MSI files.')
  expect(apt.versionOf('muster-tool')).toBeUndefined()

  expect((await install()).end).toBe('exited')
  expect(apt.versionOf('muster-tool')).toBe('1.5')
  const again = await install()
  expect(again).toMatchObject({ end: 'exited', said: expect.stringMatching(/^Already installed: /) })
  expect(again.said).not.toContain('Downloading')

  const newer = { ...detection, version: '2.0' }
  expect((await install({ detection: newer })).end).toContain(
    'the package muster-tool 2.0 or newer was not found afterwards',
  )
})

test('errors of Windows Installer are words', () => {
  expect(describeInstallerFailure({ code: 1618, said: '' })).toBe(
    'The installer exited with code 1618: another installation is running; try again when it has finished.',
  )
  expect(describeInstallerFailure({ code: 2, said: 'Usage\r\nUnknown option /x\r\n' })).toBe(
    'The installer exited with code 2: Unknown option /x.',
  )
})

// Installers of other systems, as programs that keep their arguments, one a line.
const KEEP = 'printf "%s\\n" "$@" > "$here/asked"'
const PACKAGE = '/tmp/a folder/tool 1.5'

test('an EXE file runs with its arguments as they are', async () => {
  const folder = givenFolder()
  const file = join(folder, 'setup 1.5.exe')
  const write = (body: string) => {
    writeFileSync(file, `#!/bin/sh\nhere='${folder}'\n${KEEP}\n${body}\n`)
    chmodSync(file, 0o755)
  }
  write('exit 0')
  await INSTALLERS.exe(file, '/S /D="C:\\Program Files\\Tool"')
  expect(readFileSync(join(folder, 'asked'), 'utf8')).toBe('/S /D="C:\\Program Files\\Tool"\n')
  write('echo "Setup needs 4 GB."; exit 5')
  await expect(INSTALLERS.exe(file, '')).rejects.toThrow('exited with code 5: Setup needs 4 GB.')
  expect(readFileSync(join(folder, 'asked'), 'utf8')).toBe('\n')
  write('kill -9 $$')
  await expect(INSTALLERS.exe(file, '')).rejects.toThrow('The installer was killed.')
})

test('an MSI file installs silently, with its arguments last', async () => {
  const here = givenPrograms({ msiexec: `${KEEP}\n[ -e "$here/fails" ] && exit 67; exit 0` })
  await INSTALLERS.msi(`${PACKAGE}.msi`, 'INSTALLDIR="C:\\Tools"')
  expect(readFileSync(join(here, 'asked'), 'utf8').trim().split('\n')).toEqual([
    '/i',
    `"${PACKAGE}.msi"`,
    '/qn',
    '/norestart',
    'INSTALLDIR="C:\\Tools"',
  ])
  writeFileSync(join(here, 'fails'), '')
  await expect(INSTALLERS.msi('x.msi', '')).rejects.toThrow('The installer exited with code 67.')
})

test('a PKG file is installed for the whole Mac', async () => {
  vi.spyOn(process, 'getuid').mockReturnValue(0)
  const here = givenPrograms({
    installer: `${KEEP}
      echo "installer: Package name is Tool"
      case "$2" in
        *broken*) echo "installer: Error - the package path specified was invalid: '$2'." >&2; exit 1;;
        *garbage*) head -c 200 /dev/urandom; exit 1;;
        *killed*) kill -9 $$;;
      esac
      echo "installer: The install was successful."`,
  })
  await INSTALLERS.pkg(`${PACKAGE}.pkg`, '')
  expect(readFileSync(join(here, 'asked'), 'utf8')).toBe(`-pkg\n${PACKAGE}.pkg\n-target\n/\n`)
  await expect(INSTALLERS.pkg('broken.pkg', '')).rejects.toThrow(
    "installer exited with code 1: installer: Error - the package path specified was invalid: 'broken.pkg'.",
  )
  await expect(INSTALLERS.pkg('garbage.pkg', '')).rejects.toThrow('installer exited with code 1.')
  await expect(INSTALLERS.pkg('killed.pkg', '')).rejects.toThrow('installer was killed.')
  vi.spyOn(process, 'getuid').mockReturnValue(501)
  await expect(INSTALLERS.pkg('x.pkg', '')).rejects.toThrow('does not run as root')
})

const RPM_OUTCOMES = `case "$*" in
  *broken*) echo 'Error: nothing provides libmissing.so needed by broken-1.5.x86_64' >&2; exit 1;;
  *locked*) exit $locked;;
esac
exit 0`

test('an RPM file is installed by dnf, or by zypper', async () => {
  vi.spyOn(process, 'getuid').mockReturnValue(0)
  const zypper = givenPrograms({ zypper: `${KEEP}\nlocked=7\n${RPM_OUTCOMES}` })
  await INSTALLERS.rpm(`${PACKAGE}.rpm`, '')
  const asked = (folder: string) => readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n')
  expect(asked(zypper)).toEqual(['-n', 'install', '--allow-unsigned-rpm', `${PACKAGE}.rpm`])
  await expect(INSTALLERS.rpm('locked.rpm', '')).rejects.toThrow('Another package manager is running')
  await expect(INSTALLERS.rpm('broken.rpm', '')).rejects.toThrow(
    'zypper exited with code 1: Error: nothing provides libmissing.so',
  )
  const dnf = givenPrograms({ dnf: `${KEEP}\nlocked=200\n${RPM_OUTCOMES}` })
  await INSTALLERS.rpm(`${PACKAGE}.rpm`, '')
  expect(asked(dnf)).toEqual(['-y', '--setopt=exit_on_lock=True', 'install', `${PACKAGE}.rpm`])
  await expect(INSTALLERS.rpm('locked.rpm', '')).rejects.toThrow('Another package manager is running')
  await expect(INSTALLERS.rpm('broken.rpm', '')).rejects.toThrow(
    'dnf exited with code 1: Error: nothing provides libmissing.so needed by broken-1.5.x86_64',
  )
})
