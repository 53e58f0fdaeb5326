import { getAgent, listAgents } from '@muster/contract/api/agents'
import { expect, test } from 'vitest'
import { givenCli, startInTerminal } from './test-cli.ts'

test('machines are listed in aligned columns without borders', async () => {
  await using cli = await givenCli()
  const acme = await cli.server.given.client({ name: 'Acme' })
  const site = await cli.server.given.site({ client_id: acme.id, name: 'Office' })
  await cli.server.given.agent({ site_id: site.id, hostname: 'web-01', agent_id: 'a'.repeat(32) })
  await cli.server.given.agent({ site_id: site.id, hostname: 'db', agent_id: 'b'.repeat(32) })
  const { code, stdout, stderr } = await cli.run('agents', 'list')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const [head, ...rows] = stdout.trimEnd().split('\n')
  expect(head).toMatch(/^NAME {4}STATUS {3}CLIENT {2}SITE {4}SYSTEM {2}CHECKS {2}LAST SEEN {2}ID$/)
  expect(rows.toSorted()).toEqual([
    expect.stringMatching(/^db {6}offline {2}Acme {4}Office {2}linux .* b{32}$/),
    expect.stringMatching(/^web-01 {2}offline {2}Acme {4}Office {2}linux .* a{32}$/),
  ])
})

test('a search is in the language of the console', async () => {
  await using cli = await givenCli()
  await cli.server.given.agent({ hostname: 'web-01', plat: 'windows' })
  await cli.server.given.agent({ hostname: 'db-01' })
  const found = await cli.run('agents', 'list', 'platform:windows', 'name:web')
  expect(found.stdout).toContain('web-01')
  expect(found.stdout).not.toContain('db-01')
  await expect(cli.run('agents', 'list', 'name:none')).resolves.toEqual({
    code: 0,
    stdout: 'No machine matches.\n',
    stderr: '',
  })
})

test('--json prints exactly the objects of the API', async () => {
  await using cli = await givenCli()
  const { agent_id } = await cli.server.given.agent({ hostname: 'web-01', description: 'a\u009b31mb\u202e' })
  const ada = cli.server.as(cli.ada)
  const listed = await cli.run('agents', 'list', '--json')
  expect(JSON.parse(listed.stdout)).toEqual((await ada.call(listAgents, { query: {} })).body)
  expect(listed.stdout).not.toMatch(/[\u009b\u202e]/)
  const shown = await cli.run('--json', 'agents', 'show', 'WEB-01')
  expect(JSON.parse(shown.stdout)).toEqual((await ada.call(getAgent, { params: { agent_id } })).body)
})

test('a machine is shown by its name or id; two of one name need the id', async () => {
  await using cli = await givenCli()
  const [one, two] = [
    await cli.server.given.agent({ hostname: 'pc' }),
    await cli.server.given.agent({ hostname: 'PC' }),
  ]
  const shown = await cli.run('agents', 'show', one.agent_id)
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Name +pc\nId +\w{32}\n/) })
  const several = await cli.run('agents', 'show', 'pc')
  expect(several).toMatchObject({ code: 1, stderr: expect.stringContaining(two.agent_id) })
  await expect(cli.run('agents', 'show', 'none')).resolves.toEqual({
    code: 1,
    stdout: '',
    stderr: 'muster: No machine has the name or id "none".\n',
  })
})

test('a key with few rights sees what it may see', async () => {
  await using cli = await givenCli({ key: { permissions: [] } })
  const refused = await cli.run('agents', 'list')
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toMatch(/^muster: .+ \(request [\w-]+\)\n$/)
})

test('escape sequences in names reach no terminal', async () => {
  await using cli = await givenCli()
  await cli.server.given.agent({ hostname: 'bad\u001b]0;title\u0007\u001b[31m-01\nsecond\u009b2J\u202e' })
  const { stdout } = await cli.run('agents', 'list')
  expect(stdout.split('\n')).toHaveLength(3)
  expect(stdout).toContain('bad')
  expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  const terminal = startInTerminal(['agents', 'list'], cli.env, 60)
  expect(await terminal.ended).toBe(0)
  expect(terminal.screen().replaceAll(/[\r\n]/g, '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})

test('--watch repeats the list on a cleared screen until Ctrl+C', async () => {
  await using cli = await givenCli()
  await cli.server.given.agent({ hostname: 'first' })
  const terminal = startInTerminal(['agents', 'list', '--watch', '1'], cli.env, 60)
  await terminal.waitFor('first')
  const { agent_id } = await cli.server.given.agent({ hostname: 'second' })
  cli.server.ctx.emit({ type: 'agent.changed', ids: [agent_id], agent_ids: [agent_id] })
  await terminal.waitFor('second')
  expect(terminal.screen()).toContain('\u001b[2J')
  // No line is wider than the terminal.
  const lines = terminal
    .screen()
    .split(/\r?\n/)
    .map((line) => line.split('\u001b[H').at(-1) ?? '')
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60)
  terminal.type('\u0003')
  expect(await terminal.ended).toBe(130)
})
