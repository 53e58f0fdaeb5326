import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SoftwareReport } from '@muster/contract/agent/software'
import type { Detection } from '@muster/contract/agent/package-files'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { servePackageFile } from '../src/testing/serve-package-file.ts'
import { WineAgent } from './wine-agent.ts'

const UNINSTALL = 'HKLM\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Uninstall'
const PRODUCT = '{6F1D9C1E-3C5B-4A55-9E0E-0A4D8B6C2F11}'
let agent: WineAgent

beforeAll(async () => {
  agent = await WineAgent.start()
})
afterAll(() => agent[Symbol.asyncDispose]())

/** A package for Windows Installer with one file, and a property that it writes to the registry. */
function buildMsi(): string {
  const { folder } = agent.machine
  writeFileSync(join(folder, 'hello.txt'), 'hello\n')
  writeFileSync(
    join(folder, 'tool.wxs'),
    `<?xml version="1.0" encoding="utf-8"?>
<Wix xmlns="http://schemas.microsoft.com/wix/2006/wi">
  <Product Id="${PRODUCT}" Name="Muster Tool" Language="1033" Version="1.5.0" Manufacturer="Example"
      UpgradeCode="0C1B9E3B-2D0F-4D0B-8B53-6A8F6D1B5F77">
    <Package InstallerVersion="200" Compressed="yes" InstallScope="perMachine"/>
    <Media Id="1" Cabinet="tool.cab" EmbedCab="yes"/>
    <Property Id="GREETING" Value="none"/>
    <Directory Id="TARGETDIR" Name="SourceDir">
      <Directory Id="ProgramFiles64Folder">
        <Directory Id="INSTALLDIR" Name="Muster Tool">
          <Component Id="Hello" Win64="yes" Guid="7A0E8A5E-0E4D-4B0A-9E7C-1E4E2D3C4B5A">
            <File Id="HelloFile" Source="hello.txt" KeyPath="yes"/>
            <RegistryValue Root="HKLM" Key="SOFTWARE\\MusterTool" Name="Greeting" Type="string" Value="[GREETING]"/>
          </Component>
        </Directory>
      </Directory>
    </Directory>
    <Feature Id="All" Level="1"><ComponentRef Id="Hello"/></Feature>
  </Product>
</Wix>
`,
  )
  const file = join(folder, 'tool.msi')
  execFileSync('wixl', ['-a', 'x64', '-o', file, join(folder, 'tool.wxs')], { cwd: folder })
  return file
}

test('an MSI is installed silently with its arguments, and found by each kind of rule', async () => {
  const { server, machine } = agent
  const byValue: Detection = {
    by: 'registry',
    key: 'HKLM\\SOFTWARE\\MusterTool',
    value: 'Greeting',
    data: 'good day',
  }
  const order = servePackageFile(server, buildMsi(), {
    format: 'msi',
    args: 'GREETING="good day"',
    detection: byValue,
  })
  let runs = 0
  const install = async (more: Partial<typeof order> = {}) => {
    const history_id = (runs += 1)
    server.command(server.sign('install-file', { ...order, ...more }, { payload: { history_id } }))
    const { outcome, reason } = await server.result(history_id)
    return { end: reason ?? outcome, said: server.outputOf(history_id) }
  }
  expect(await install()).toMatchObject({
    end: 'exited',
    said: expect.stringContaining('Downloading tool.msi'),
  })
  const hello = machine.hostPath('C:\\Program Files\\Muster Tool\\hello.txt')
  expect(readFileSync(hello, 'utf8')).toBe('hello\n')
  const rules: Detection[] = [
    byValue,
    { by: 'registry', key: `${UNINSTALL}\\${PRODUCT}`, value: '', data: '' },
    { by: 'package', name: 'muster tool', version: '1.4' },
    { by: 'file', path: '%SystemRoot%\\System32\\msiexec.exe' },
  ]
  for (const detection of rules)
    expect((await install({ detection })).said, detection.by).toMatch(/^Already installed: /)

  server.command(server.sign('report-software', {}))
  const report = await server.until(() =>
    server.reports.find((one) => one.kind === 'software' && one.inventory !== null),
  )
  const { inventory } = SoftwareReport.parse(report)
  expect(inventory?.packages.find(({ name }) => name === 'Muster Tool')).toMatchObject({ version: '1.5.0' })
  expect(inventory?.managers).toEqual([])
})

test('a file that is no package says so, and a machine without winget too', async () => {
  const { server, machine } = agent
  const broken = join(machine.folder, 'broken.msi')
  writeFileSync(broken, 'no package')
  const order = servePackageFile(server, broken, { format: 'msi' })
  server.command(server.sign('install-file', order, { payload: { history_id: 90 } }))
  expect(await server.result(90)).toMatchObject({
    outcome: 'failed',
    reason: expect.stringMatching(/^The installer exited with code 16\d\d: /),
  })
  const input = { names: ['7zip'], timeout_seconds: 60, output_cap_bytes: 10_000 }
  server.command(server.sign('remove-package', input, { payload: { history_id: 91 } }))
  expect(await server.result(91)).toMatchObject({
    outcome: 'failed',
    reason: expect.stringContaining('This machine has neither winget nor Chocolatey'),
  })
})
