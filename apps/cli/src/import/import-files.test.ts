import { getAgent } from '@muster/contract/api/agents'
import { listClients } from '@muster/contract/api/clients'
import { listCustomFields } from '@muster/contract/api/custom-fields'
import { TestAgent } from '@muster/server/features/agents/test-agent.ts'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { givenCli, givenConfigFolder } from '../test-cli.ts'

type Cli = Awaited<ReturnType<typeof givenCli>>

function givenFile(name: string, content: string | Uint8Array): string {
  const file = join(givenConfigFolder(), name)
  writeFileSync(file, content)
  return file
}

async function runImport(cli: Cli, ...args: string[]) {
  const { code, stdout, stderr } = await cli.run('--json', 'import', ...args)
  const { steps } = JSON.parse(stdout || '{"steps":[]}') as {
    steps: Record<'kind' | 'name' | 'result' | 'reason', string>[]
  }
  const lines = steps.map(({ kind, name, result, reason }) => [kind, name, result, reason].join(' | ').trim())
  return { code, lines, stderr }
}

test('a CSV file creates clients and sites with custom fields; malformed rows are named by line', async () => {
  await using cli = await givenCli()
  const file = givenFile(
    'clients.csv',
    '\uFEFFClient,SITE,client.Contract,site.Floor\r\n' +
      'Acme,Berlin,A-100,"2nd, ""left"""\r\n' +
      'acme,Zürich,A-100,\r\n' +
      '\r\n' +
      '"Globex\nInc",Main,,\r\n' +
      'Short,Row\r\n' +
      ',Nowhere,,\r\n' +
      'Acme,BERLIN,,\r\n' +
      'Acme,Hamburg,B-200,\r\n' +
      'No|pipe,Main,,',
  )
  const planned = await runImport(cli, 'csv', file)
  expect(planned).toEqual({
    code: 0,
    lines: [
      'row | line 7 | left out | It has 2 columns, the header has 4.',
      'row | line 8 | left out | The client is empty.',
      'row | line 9 | left out | The site "BERLIN" of "Acme" stands in a line before.',
      'row | line 10 | left out | The client "Acme" has another value for a field in a line before.',
      'client field | Contract | create |',
      'site field | Floor | create |',
      'client | Acme | create | With the site "Berlin".',
      'client | Globex\nInc | create | With the site "Main".',
      'client | No|pipe | left out | client.name: A name may not contain "|".',
      'site | Acme / Zürich | create |',
      'site | Acme / Hamburg | create |',
      'site | No|pipe / Main | left out | Needs the client "No|pipe", left out.',
      'client settings | Acme | change | 1 custom field.',
      'site settings | Acme / Berlin | change | 1 custom field.',
    ],
    stderr: '6 to create, 2 to change, 6 left out. Nothing was changed. Add --apply to carry out the plan.\n',
  })
  expect(await runImport(cli, 'csv', file, '--apply')).toMatchObject({ code: 0 })
  const ada = cli.server.as(cli.ada)
  const { body: clients } = await ada.call(listClients, { query: {} })
  const acme = clients.find(({ name }) => name === 'Acme')
  expect(acme?.sites.map(({ name }) => name)).toEqual(['Berlin', 'Hamburg', 'Zürich'])
  expect(acme?.custom_fields).toMatchObject([{ value: 'A-100' }])
  expect(acme?.sites[0]?.custom_fields).toMatchObject([{ value: '2nd, "left"' }])
  expect((await ada.call(listCustomFields, { query: {} })).body).toHaveLength(2)
  const again = await runImport(cli, 'csv', file, '--apply')
  expect(again).toMatchObject({ code: 0, stderr: '10 already here, 6 left out.\n' })
})

test.each<[string, string | Uint8Array, RegExp]>([
  ['without a header', '', /Line 1: the header needs the columns client and site/],
  ['without a site', 'client,name\nAcme,Berlin', /Line 1: the header needs the columns client and site/],
  ['with an unknown column', 'client,site,phone\n', /Line 1: the column "phone" is not known/],
  ['with a column twice', 'client,site,Site\n', /Line 1: the column "Site" stands twice/],
  ['with an open quote', 'client,site\nAcme,Main\n"Globex,Main\n', /Line 3: a quote does not fit/],
  ['with a quote inside a cell', 'client,site\nAcme,"Ma"in\n', /Line 2: a quote does not fit/],
  ['that is not UTF-8', new Uint8Array([0xff, 0xfe, 0x41]), /is no UTF-8 text/],
])('a CSV file %s is refused as a whole', async (_name, content, reason) => {
  await using cli = await givenCli()
  const { code, stdout, stderr } = await cli.run(
    'import',
    'csv',
    givenFile('clients.csv', content),
    '--apply',
  )
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(reason)
  expect((await cli.server.as(cli.ada).call(listClients, { query: {} })).body).toEqual([])
})

test('a missing file is one line', async () => {
  await using cli = await givenCli()
  const { code, stderr } = await cli.run('import', 'csv', '/nowhere/clients.csv')
  expect(code).toBe(1)
  expect(stderr).toMatch(/^muster: \/nowhere\/clients\.csv cannot be read: .+\n$/)
})

test('groups of MeshCentral become sites of a client, devices are machines', async () => {
  await using cli = await givenCli()
  const devices = givenFile(
    'devices.json',
    JSON.stringify([
      {
        _id: 'node//1',
        name: 'Front desk PC',
        rname: 'PC-12',
        meshid: 'mesh//a',
        groupname: 'Berlin',
        osdesc: 'Microsoft Windows 11 Pro - 23H2',
        desc: 'At the door',
        icon: 1,
        conn: 1,
      },
      { _id: 'node//2', name: 'db', meshid: 'mesh//b', osdesc: 'Debian GNU/Linux 12' },
      { _id: 'node//3', name: 'orphan', meshid: 'mesh//gone' },
      { _id: 'user//ada' },
    ]),
  )
  const groups = givenFile('groups.json', JSON.stringify([{ _id: 'mesh//b', name: 'Data centre', mtype: 2 }]))
  const folder = join(givenConfigFolder(), 'scripts')
  const args = ['meshcentral', devices, groups, '--client', 'Acme', '--scripts', folder, '--apply']
  const first = await runImport(cli, ...args)
  const waiting = 'by hand | Not enrolled: install the agent, then repeat the import.'
  expect(first).toMatchObject({
    code: 0,
    lines: [
      `row | ${devices}, number 4 | left out | It is no group and no device of MeshCentral.`,
      'machine | orphan | left out | The name of its group is missing: add the list of groups.',
      'client | Acme | created | With the site "Data centre".',
      'site | Acme / Berlin | created |',
      `machine | Acme / Berlin / PC-12 | ${waiting}`,
      `machine | Acme / Data centre / db | ${waiting}`,
      expect.stringMatching(
        /^install script \| Acme \/ Berlin \| created \| .+, for 1 Windows workstation\.$/,
      ),
      expect.stringMatching(/^install script \| Acme \/ Data centre \| created \| .+, for 1 Linux server\.$/),
    ],
  })
  expect(readdirSync(folder).toSorted()).toEqual([
    'acme-berlin-2-windows-workstation.ps1',
    'acme-data-centre-1-linux-server.sh',
  ])
  const ada = cli.server.as(cli.ada)
  const [acme] = (await ada.call(listClients, { query: {} })).body
  using agent = await TestAgent.enrol(cli.server, cli.url, acme?.sites[0]?.id ?? 0, { hostname: 'pc-12' })
  const second = await runImport(cli, ...args)
  expect(second.lines).toContain('machine | Acme / Berlin / PC-12 | changed | description.')
  const { body } = await ada.call(getAgent, { params: { agent_id: agent.agentId } })
  expect(body.description).toBe('At the door')
})

test.each([
  ['no JSON', '<html>', /is no JSON\. Write it with: meshctrl listdevices --json/],
  ['no list', '{}', /is no list\. Write it with: meshctrl listdevices --json/],
])('a file of MeshCentral that is %s is refused', async (_name, content, reason) => {
  await using cli = await givenCli()
  const { code, stderr } = await cli.run(
    'import',
    'meshcentral',
    givenFile('a.json', content),
    '--client',
    'Acme',
  )
  expect(code).toBe(1)
  expect(stderr).toMatch(reason)
})
