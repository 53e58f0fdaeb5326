import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { givenCli, givenConfigFolder, startCli, startInTerminal } from './test-cli.ts'

test('login reads a key from standard input, stores it for this user only, and lists use it', async () => {
  await using cli = await givenCli()
  await cli.server.given.agent({ hostname: 'web-01' })
  const env = { XDG_CONFIG_HOME: cli.config }
  await expect(startCli(['login', '--server', `${cli.url}/`], env, `${cli.key}\n`).ended).resolves.toEqual({
    code: 0,
    stdout: `Signed in to ${cli.url} as ada. Stored as profile "default" in ${join(cli.config, 'muster/config.json')}.\n`,
    stderr: '',
  })
  const file = join(cli.config, 'muster/config.json')
  expect([statSync(file).mode & 0o777, statSync(join(file, '..')).mode & 0o777]).toEqual([0o600, 0o700])
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    profiles: { default: { server: cli.url, key: cli.key } },
  })
  const list = await startCli(['agents', 'list'], env).ended
  expect(list).toMatchObject({ code: 0, stderr: '' })
  expect(list.stdout).toContain('web-01')
})

test('profiles stand beside each other', async () => {
  await using cli = await givenCli()
  const env = { XDG_CONFIG_HOME: cli.config }
  const acme = startCli(['login', '--server', cli.url, '--profile', 'acme'], env, cli.key)
  expect((await acme.ended).code).toBe(0)
  await expect(startCli(['agents', 'list'], env).ended).resolves.toEqual({
    code: 1,
    stdout: '',
    stderr: 'muster: No profile "default". Run: muster login --server URL\n',
  })
  expect(await startCli(['--profile', 'acme', 'agents', 'list'], env).ended).toMatchObject({ code: 0 })
})

test('logout deletes the key of one profile', async () => {
  await using cli = await givenCli()
  const env = { XDG_CONFIG_HOME: cli.config }
  for (const name of ['acme', 'default'])
    expect(
      await startCli(['login', '--server', cli.url, '--profile', name], env, cli.key).ended,
    ).toMatchObject({ code: 0 })
  await expect(startCli(['logout', '--profile', 'acme'], env).ended).resolves.toEqual({
    code: 0,
    stdout: `Deleted the profile "acme" with its key. The key stays valid: delete it in the console of ${cli.url}.\n`,
    stderr: '',
  })
  const file = join(cli.config, 'muster/config.json')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    profiles: { default: { server: cli.url, key: cli.key } },
  })
  expect(await startCli(['logout', '--profile', 'acme'], env).ended).toEqual({
    code: 1,
    stdout: '',
    stderr: 'muster: No profile "acme".\n',
  })
  expect(await startCli(['agents', 'list'], env).ended).toMatchObject({ code: 0 })
})

test('a prompt in a terminal hides the key', async () => {
  await using cli = await givenCli()
  const terminal = startInTerminal(['login', '--server', cli.url], { XDG_CONFIG_HOME: cli.config }, 200)
  await terminal.waitFor(`API key for ${cli.url}: `)
  terminal.type(`${cli.key}\r`)
  expect(await terminal.ended).toBe(0)
  expect(terminal.screen()).toContain('Signed in to')
  expect(terminal.screen()).not.toContain(cli.key)
})

test('Ctrl+C at the prompt ends the program and stores nothing', async () => {
  await using cli = await givenCli()
  const env = { XDG_CONFIG_HOME: cli.config }
  const terminal = startInTerminal(['login', '--server', cli.url], env)
  await terminal.waitFor('API key for')
  terminal.type('\u0003')
  expect(await terminal.ended).toBe(130)
  expect((await startCli(['agents', 'list'], env).ended).stderr).toContain('No profile')
})

test('a refused key is not stored, and its error is one line with the id of the request', async () => {
  await using cli = await givenCli()
  const env = { XDG_CONFIG_HOME: cli.config }
  const refused = await startCli(['login', '--server', cli.url], env, `muster_${'x'.repeat(43)}`).ended
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toMatch(/^muster: This API key is not known\. \(request [\w-]+\)\n$/)
  expect((await startCli(['agents', 'list'], env).ended).stderr).toContain('No profile')
})

test('an expired key is refused with its reason', async () => {
  await using cli = await givenCli({ key: { fields: { expires_at: '2020-01-01T00:00:00.000Z' } } })
  const refused = await cli.run('agents', 'list')
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toMatch(/^muster: .*expired.* \(request [\w-]+\)\n$/)
})

test('a stored key is sent to its own server only', async () => {
  await using cli = await givenCli()
  const env = { XDG_CONFIG_HOME: cli.config }
  await startCli(['login', '--server', cli.url], env, cli.key).ended
  const elsewhere = { ...env, MUSTER_SERVER: 'http://127.0.0.1:9999' }
  await expect(startCli(['agents', 'list'], elsewhere).ended).resolves.toMatchObject({
    code: 1,
    stderr: 'muster: Set MUSTER_API_KEY too: the stored key is not for http://127.0.0.1:9999.\n',
  })
})

test('a configuration file that others can read is not used', async () => {
  const folder = givenConfigFolder()
  mkdirSync(join(folder, 'muster'))
  const file = join(folder, 'muster/config.json')
  writeFileSync(file, '{"profiles":{}}')
  chmodSync(file, 0o644)
  const env = { XDG_CONFIG_HOME: folder }
  const open = await startCli(['agents', 'list'], env).ended
  expect(open).toMatchObject({ code: 1, stderr: expect.stringContaining('is open to other users') })
  chmodSync(file, 0o600)
  writeFileSync(file, 'profiles')
  const damaged = await startCli(['agents', 'list'], env).ended
  expect(damaged).toMatchObject({ code: 1, stderr: expect.stringContaining('is damaged') })
})

test.each([
  [['login']],
  [['login', '--server', 'muster.example.org']],
  [['login', '--server', 'https://ada:secret@muster.example.org']],
  [['agents', 'lst']],
  [['agents', 'list', '--watch', 'soon']],
  [[]],
])('the wrong command line %j ends with exit code 2', async (args) => {
  const { code, stdout, stderr } = await startCli(args, { XDG_CONFIG_HOME: givenConfigFolder() }).ended
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).not.toBe('')
  if (args.length > 0) expect(stderr).toMatch(/^muster: .+\n$/)
})
