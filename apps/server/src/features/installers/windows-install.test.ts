import { createInstaller, deleteAgent, listAgents } from '@muster/contract/api/agents'
import { enrolAgent } from '@muster/contract/api/installers'
import type { Input } from '@muster/contract/endpoint'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestServer, type TestServer } from '../../testing/test-server.ts'
import { enrolBody, TestAgent } from '../agents/test-agent.ts'
import { TEST_CERT } from '../alerts/channels/test-certificate.ts'
import { findServerTrust } from './install-files.ts'
import { windowsDeployLine, windowsLine, windowsScript } from './windows-script.ts'

type Order = Partial<Input<typeof createInstaller>['body']>

async function orderInstaller(server: TestServer, order: Order) {
  const admin = server.as(await server.given.user({ superuser: true }))
  const site = await server.given.site()
  const answer = await admin.call(createInstaller, {
    body: { client: site.client_id, site: site.id, agenttype: 'server', plat: 'windows', ...order },
  })
  return { admin, answer }
}

async function givenInstaller(server: TestServer, order: Order) {
  const { admin, answer } = await orderInstaller(server, order)
  return { admin, body: answer.body }
}

const NO_TRUST = { authority: undefined, certificateHash: undefined, keyPin: undefined }
const NO_FLAGS = { power: false, rdp: false, ping: false }

test('the PowerShell line carries the token in a header, and starts no process with it', async () => {
  await using server = await createTestServer()
  const { body } = await givenInstaller(server, {})
  expect(body.cmd).toContain(
    `[Net.ServicePointManager]::SecurityProtocol='Tls12';$w=New-Object Net.WebClient;` +
      `$w.Headers.Add('Authorization','Enrol ${body.token}');try{$s=$w.DownloadString('${body.url}/agent/install.ps1')}`,
  )
  expect(body.package).toMatchObject({ platform: 'windows', arch: 'x64', format: 'msi' })
})

test('the PowerShell line runs a whole script only, and throws the reason of everything else', async () => {
  const given = { url: 'https://x', token: 't', trust: NO_TRUST }
  for (const line of [windowsLine(given), windowsDeployLine('https://x/deploy', NO_TRUST)]) {
    // An error of PowerShell is exit code 1 for tools, and leaves the window of a person open.
    expect(line).toMatch(
      /if\(-not \$s\.TrimEnd\(\)\.EndsWith\('# muster: end'\)\)\{.*;throw 'muster: nothing was installed: '\+\$s\};iex \$s$/,
    )
    expect(line).not.toMatch(/\bexit\b/)
    for (const reason of [
      'the server does not answer',
      'the certificate of the server is not trusted',
      'the answer is not a whole install script',
    ])
      expect(line).toContain(`'${reason}'`)
    // One line, in the syntax of Windows PowerShell 5.1, with brackets that close.
    expect(line).not.toMatch(/\n|\?\?|\?\.|&&|\|\|/)
    for (const [open = '', close = ''] of ['{}', '()', '[]'])
      expect([open, line.split(open).length]).toEqual([open, line.split(close).length])
  }
  const script = windowsScript({ ...given, flags: NO_FLAGS })
  expect(script.trimEnd().endsWith('\n# muster: end')).toBe(true)
})

test('a refused line of Windows gets a sentence, as that of Linux', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  const load = async (name: string) => {
    const answer = await fetch(`${url}/agent/${name}`, {
      headers: { authorization: `Enrol ${'x'.repeat(43)}` },
    })
    return [answer.status, await answer.text()]
  }
  expect(await load('install.ps1')).toEqual([403, expect.stringMatching(/^muster: the enrolment token is /)])
  expect(await load('install.ps1')).toEqual(await load('install.sh'))
})

test('the script of Windows is for holders of a token of Windows', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  const { body } = await givenInstaller(server, { rdp: true })
  const load = (path: string, token: string) =>
    fetch(`${url}${path}`, { headers: { authorization: `Enrol ${token}` } })
  const script = await (await load('/agent/install.ps1', body.token)).text()
  expect(script).toContain(`$url = '${url}'`)
  expect(script).toContain(`$token = '${body.token}'`)
  expect(script).toContain('if ($true) {\n      $server = ')
  expect(script.match(/if \(\$false\)/g)).toHaveLength(2)
  expect((await load('/agent/install.sh', body.token)).status).toBe(403)
  expect((await load('/agent/install.ps1', 'x'.repeat(43))).status).toBe(403)
  const { body: linux } = await givenInstaller(server, { plat: 'linux' })
  expect((await load('/agent/install.ps1', linux.token)).status).toBe(403)
})

test('the script passes the token by the environment only', () => {
  const script = windowsScript({
    url: 'https://muster.example',
    token: 'the-token-of-this-test',
    trust: NO_TRUST,
    flags: NO_FLAGS,
  })
  // Its own variable, the header of the download, and the environment of the agent.
  expect(script.match(/.*(\$token\b|the-token).*/g)?.map((line) => line.trim())).toEqual([
    "$token = 'the-token-of-this-test'",
    `$client.Headers.Add('Authorization', "Enrol $token")`,
    '$env:MUSTER_ENROL_TOKEN = $token',
  ])
  expect(script).not.toMatch(/@[A-Z]+@/)
  // Windows PowerShell reads a script without a byte order mark in the code page of the machine.
  expect(script).toMatch(/^[\n\x20-\x7e]*$/)
})

test('a script keeps to the syntax of Windows PowerShell 5.1', () => {
  const script = windowsScript({ url: 'https://x', token: 't', trust: NO_TRUST, flags: NO_FLAGS })
  // Operators of PowerShell 7: ?? ??= ?. && || and the ternary.
  expect(script).not.toMatch(/\?\?|\?\.|&&|\|\||\? .* : /)
  for (const [open, close] of ['{}', '()', '[]']) {
    expect([open, script.split(open ?? '').length]).toEqual([open, script.split(close ?? '').length])
  }
})

test('a certificate of its own is pinned by line and script, and the agent gets its authority', () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-pin-'))
  try {
    const certFile = join(folder, 'server.pem')
    writeFileSync(certFile, TEST_CERT)
    const trust = findServerTrust({ certFile, keyFile: '' })
    const given = { url: 'https://x', token: 't', trust }
    const pin = `[MusterPin]::Hash='${trust.certificateHash}'`
    expect(trust.certificateHash).toMatch(/^[0-9a-f]{64}$/)
    expect(windowsLine(given)).toContain(pin)
    const script = windowsScript({ ...given, flags: NO_FLAGS })
    expect(script).toContain(pin)
    expect(script).toContain("$authority = '-----BEGIN CERTIFICATE-----")
    expect(script).toContain('ServerCertificateValidationCallback = $null')
    expect(windowsLine({ ...given, trust: NO_TRUST })).not.toContain('MusterPin')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('quotation marks of every kind stay inside a PowerShell literal', () => {
  const url = `https://x'; calc; \u2019; calc`
  expect(windowsLine({ url, token: 't', trust: NO_TRUST })).toContain(
    `DownloadString('https://x''; calc; \u2019\u2019; calc/agent/install.ps1')`,
  )
})

test('the MSI is installed silently by its properties', async () => {
  await using server = await createTestServer()
  const { body } = await givenInstaller(server, { installMethod: 'manual', goarch: 'arm64' })
  expect(body.cmd).toMatch(/^msiexec \/i muster-agent-[\d.]+-arm64\.msi \/qn SERVER=\S+ TOKEN=\S+$/)
  expect(body.package).toMatchObject({ platform: 'windows', arch: 'arm64', format: 'msi' })
})

test.each([
  [{ installMethod: 'bash' }, 'installMethod'],
  [{ installMethod: 'exe' as never }, 'installMethod'],
  [{ goarch: '386' as never }, 'goarch'],
  [{ data_folder: 'C:\\muster' }, 'data_folder'],
  [{ installMethod: 'manual', rdp: true }, 'rdp'],
  [{ plat: 'linux', ping: true }, 'ping'],
  [{ plat: 'linux', installMethod: 'powershell' }, 'installMethod'],
  [{ plat: 'darwin', installMethod: 'bash' }, 'installMethod'],
  [{ plat: 'linux', data_folder: '/tmp/a\nb' }, 'data_folder'],
] satisfies [Order, string][])('%o is refused at its field', async (order, field) => {
  await using server = await createTestServer()
  const { status, error } = (await orderInstaller(server, order)).answer
  expect([status, Object.keys(error.fields ?? {})]).toEqual([400, [field]])
})

test('a machine with Windows enrols, and keeps its row when it is installed again', async () => {
  await using server = await createTestServer()
  const { admin, body } = await givenInstaller(server, {})
  const machine = { machineKey: 'c'.repeat(64), platform: 'windows' } as const
  const enrol = async (more: Parameters<typeof enrolBody>[1]) =>
    server.anonymous.call(enrolAgent, { body: enrolBody(body.token, { ...machine, ...more }).body })
  const first = await enrol({ hostname: 'DESKTOP-1' })
  expect(first.body).toMatchObject({ reattached: false })
  const again = await enrol({ hostname: 'DESKTOP-1' })
  expect(again.body).toMatchObject({ agent_id: first.body.agent_id, reattached: true })
  const { body: agents } = await admin.call(listAgents, { query: {} })
  expect(agents).toMatchObject([{ agent_id: first.body.agent_id, hostname: 'DESKTOP-1', plat: 'windows' }])
  const other = await enrol({ platform: 'linux', machineKey: 'd'.repeat(64) })
  expect([other.status, other.error.detail]).toEqual([403, expect.stringContaining('another platform')])
})

test('a machine with Windows gets the command to uninstall its agent', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  const { id } = await server.given.site()
  using agent = await TestAgent.enrol(server, url, id)
  await server.ctx.db.updateTable('agents').set({ plat: 'windows' }).execute()
  await agent.connect()
  const admin = server.as(await server.given.user({ superuser: true }))
  const removal = admin.call(deleteAgent, { params: { agent_id: agent.agentId } })
  expect((await agent.nextCommand(0)).payload.name).toBe('uninstall')
  expect((await removal).status).toBe(200)
})
