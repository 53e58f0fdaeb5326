import { expect, test } from 'vitest'
import { givenAgent } from '../testing/given.ts'
import { givenApt } from '../testing/given-apt.ts'
import { servePackageFile } from '../testing/serve-package-file.ts'
import { describeInstallerFailure } from './install-file.ts'

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
