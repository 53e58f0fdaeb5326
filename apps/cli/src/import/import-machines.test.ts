import { editAgent, getAgent } from '@muster/contract/api/agents'
import { listClients } from '@muster/contract/api/clients'
import { listDeployments } from '@muster/contract/api/deployments'
import { listNotes } from '@muster/contract/api/notes'
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { TestAgent } from '@muster/server/features/agents/test-agent.ts'
import { expect, test } from 'vitest'
import { givenCli, givenConfigFolder } from '../test-cli.ts'
import { answersWithPolicies, machine, OLD_KEY, startTactical } from './test-tactical.ts'

type Cli = Awaited<ReturnType<typeof givenCli>>

const pc12 = machine({
  agent_id: 'a1',
  hostname: 'PC-12',
  description: 'Front desk',
  policy: 51,
  custom_fields: [{ id: 9, field: 14, agent: 1, value: '7' }],
})

function answersWith(...machines: object[]) {
  return {
    ...answersWithPolicies(),
    '/agents/': machines,
    '/agents/notes/': [
      {
        pk: 2,
        agent_id: 'a1',
        username: 'grace',
        note: 'New disk',
        entry_time: '2025-06-02T10:00:00.000000Z',
      },
      {
        pk: 1,
        agent_id: 'a1',
        username: 'ada',
        note: 'Noisy fan',
        entry_time: '2024-03-01T09:00:00.000000Z',
      },
      {
        pk: 3,
        agent_id: 'other',
        username: 'ada',
        note: 'Elsewhere',
        entry_time: '2024-03-01T09:00:00.000000Z',
      },
    ],
  }
}

async function importMachines(cli: Cli, answers: Record<string, unknown>, ...more: string[]) {
  const { url } = await startTactical(answers)
  const { code, stdout } = await cli.run(
    '--json',
    'import',
    'tactical',
    '--url',
    url,
    '--key',
    OLD_KEY,
    ...more,
  )
  const { steps } = JSON.parse(stdout) as { steps: Record<'kind' | 'name' | 'result' | 'reason', string>[] }
  const lines = steps
    .filter(({ kind }) => kind === 'machine' || kind === 'install script')
    .map(({ kind, name, result, reason }) => [kind, name, result, reason].join(' | ').trim())
  return { code, lines }
}

test('install scripts are written for machines that have not enrolled; the next import fills those that have', async () => {
  await using cli = await givenCli()
  const folder = join(givenConfigFolder(), 'scripts')
  const answers = answersWith(
    pc12,
    machine({ agent_id: 'a2', hostname: 'PC-13' }),
    machine({
      agent_id: 'a3',
      hostname: 'db',
      plat: 'linux',
      monitoring_type: 'server',
      client_name: 'Globex',
      site_name: 'Main',
    }),
  )
  const first = await importMachines(cli, answers, '--apply', '--scripts', folder)
  const waiting = 'by hand | Not enrolled: install the agent, then repeat the import.'
  const windowsFile = 'acme-berlin-7-windows-workstation.ps1'
  const linuxFile = 'globex-main-9-linux-server.sh'
  expect(first).toEqual({
    code: 0,
    lines: [
      `machine | Acme / Berlin / PC-12 | ${waiting}`,
      `machine | Acme / Berlin / PC-13 | ${waiting}`,
      `machine | Globex / Main / db | ${waiting}`,
      `install script | Acme / Berlin | created | ${join(folder, windowsFile)}, for 2 Windows workstations.`,
      `install script | Globex / Main | created | ${join(folder, linuxFile)}, for 1 Linux server.`,
    ],
  })
  expect(readdirSync(folder).toSorted()).toEqual([windowsFile, linuxFile])
  expect([statSync(folder).mode & 0o777, statSync(join(folder, linuxFile)).mode & 0o777]).toEqual([
    0o700, 0o600,
  ])
  const ada = cli.server.as(cli.ada)
  const deployments = (await ada.call(listDeployments, { query: {} })).body
  expect(
    deployments.map(({ client_name, site_name, mon_type, plat, uses_left }) => [
      client_name,
      site_name,
      mon_type,
      plat,
      uses_left,
    ]),
  ).toEqual(
    expect.arrayContaining([
      ['Acme', 'Berlin', 'workstation', 'windows', 4],
      ['Globex', 'Main', 'server', 'linux', 2],
    ]),
  )
  const linux = deployments.find(({ plat }) => plat === 'linux')
  const script = readFileSync(join(folder, linuxFile), 'utf8')
  expect(script).toContain(`/clients/${linux?.uid}/deploy/`)
  expect(script).not.toContain(deployments.find(({ plat }) => plat === 'windows')?.uid)
  execFileSync('sh', ['-n', join(folder, linuxFile)])
  expect(readFileSync(join(folder, windowsFile), 'utf8')).toContain('DownloadString')

  const { body: clients } = await ada.call(listClients, { query: {} })
  const berlin = clients[0]?.sites[0]?.id ?? 0
  using enrolled = await TestAgent.enrol(cli.server, cli.url, berlin, { hostname: 'pc-12' })
  const agent_id = enrolled.agentId
  const second = await importMachines(cli, answers, '--apply', '--scripts', folder)
  expect(second.lines.slice(0, 2)).toEqual([
    'machine | Acme / Berlin / PC-12 | changed | description, 1 custom field, policy, 2 notes.',
    `machine | Acme / Berlin / PC-13 | ${waiting}`,
  ])
  const { body: agent } = await ada.call(getAgent, { params: { agent_id } })
  expect(agent).toMatchObject({ description: 'Front desk', custom_fields: [{ name: 'Rack', value: '7' }] })
  expect(agent.policy).not.toBeNull()
  const notes = (await ada.call(listNotes, { params: { agent_id }, query: {} })).body
  expect(notes.map(({ note }) => note)).toEqual([
    'New disk\n\n(grace, 2025-06-02)',
    'Noisy fan\n\n(ada, 2024-03-01)',
  ])

  const third = await importMachines(cli, answers, '--apply', '--scripts', folder)
  expect(third.lines[0]).toBe('machine | Acme / Berlin / PC-12 | exists | Its fields are filled here.')
  expect((await ada.call(listDeployments, { query: {} })).body).toHaveLength(2)
  expect((await ada.call(listNotes, { params: { agent_id }, query: {} })).body).toHaveLength(2)
})

test('machines with one name are never guessed, and what is here stays', async () => {
  await using cli = await givenCli()
  await importMachines(cli, answersWith(), '--apply')
  const ada = cli.server.as(cli.ada)
  const { body: clients } = await ada.call(listClients, { query: {} })
  const [acme, globex] = clients
  const site_id = acme?.sites[0]?.id ?? 0
  using enrolled = await TestAgent.enrol(cli.server, cli.url, site_id, { hostname: 'PC-12' })
  const agent_id = enrolled.agentId
  await ada.call(editAgent, { params: { agent_id }, body: { description: 'Kept' } })
  using _twin = await TestAgent.enrol(cli.server, cli.url, site_id, { hostname: 'twin' })
  using _otherTwin = await TestAgent.enrol(cli.server, cli.url, site_id, { hostname: 'Twin' })
  using _oldTwin = await TestAgent.enrol(cli.server, cli.url, site_id, { hostname: 'old-twin' })
  const main = globex?.sites[0]?.id ?? 0
  using _moved = await TestAgent.enrol(cli.server, cli.url, main, { hostname: 'moved' })
  const { code, lines } = await importMachines(
    cli,
    answersWith(
      pc12,
      machine({ hostname: 'TWIN' }),
      machine({ hostname: 'old-twin' }),
      machine({ hostname: 'OLD-TWIN' }),
      machine({ hostname: 'moved' }),
      machine({ hostname: 'lost', site_name: 'Nowhere' }),
      { hostname: 'no-id' },
    ),
    '--apply',
  )
  const twins = 'by hand | 2 machines of this site have this name. Copy notes and fields by hand.'
  expect({ code, lines }).toEqual({
    code: 0,
    lines: [
      expect.stringMatching(/^machine \| no-id \| left out \| Unreadable: agent_id: /),
      'machine | Acme / Berlin / PC-12 | changed | 1 custom field, policy, 2 notes.',
      `machine | Acme / Berlin / TWIN | ${twins}`,
      `machine | Acme / Berlin / old-twin | ${twins}`,
      `machine | Acme / Berlin / OLD-TWIN | ${twins}`,
      'machine | Acme / Berlin / moved | by hand | Not enrolled: install the agent, then repeat the import. "Globex / Main" has a machine with this name.',
      'machine | Acme / Nowhere / lost | left out | Its site is left out.',
    ],
  })
  expect((await ada.call(getAgent, { params: { agent_id } })).body.description).toBe('Kept')
})
