import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { os } from '../../os/index.ts'
import { givenAgent } from '../../testing/given.ts'
import { listShells, parseShells } from './shells.ts'
import { TestChannel } from './test-channel.ts'

const ESCAPE = String.fromCodePoint(27)

async function ask(server: Awaited<ReturnType<typeof givenAgent>>['server']) {
  server.command(server.sign('list-shells', {}))
  return server.until(() => server.frames.find(({ type }) => type === 'reply'))
}

const signedIn = (name: string | null) => ({
  agent: { os: { ...os, readQuickFacts: async () => ({ logged_in_user: name }) } },
})

test('issue 4, 2.1: a machine tells its shells, the default one first, and who is signed in', async () => {
  const { server } = await givenAgent(signedIn(null))
  const reply = await ask(server)
  expect(reply).toMatchObject({
    refused: null,
    answer: { signed_in_user: null, why_no_user: 'No user is signed in at this machine.' },
  })
  const names = listShells('/bin/sh').map(({ name }) => name)
  expect(names[0]).toBe('sh')
  expect(names).toContain('bash')
  expect(new Set(names).size).toBe(names.length)
  expect(listShells('/usr/sbin/nologin')[0]?.name).toBe('bash')
})

test.each([
  ['# shells\n/bin/sh\n\n  /bin/bash\n', ['/bin/sh', '/bin/bash']],
  ['bash\n../x\n/usr/sbin/nologin\n/bin/false\n', []],
  [`/${'x'.repeat(5000)}\n/bin/zsh`, ['/bin/zsh']],
])('of an /etc/shells only whole paths of real shells count', (text, shells) => {
  expect(parseShells(text)).toEqual(shells)
})

test('issue 4, 2.1: a terminal runs the shell that is asked for, by its path or its name', async () => {
  const { server } = await givenAgent()
  for (const shell of ['/bin/sh', 'bash']) {
    const terminal = await new TestChannel(server, { request: { shell } }).opened()
    expect(basename(terminal.opening.shell)).toBe(basename(shell))
    terminal.type('echo "is $SHELL"\n')
    await terminal.until(new RegExp(`is .*/${basename(shell)}\r\n`))
  }
})

test.each(['/no/such/shell', 'no-such-shell', '/etc', '/etc/passwd', `-c${ESCAPE}[2J`])(
  'issue 4, 2.1: %j is no program, which is said, and nothing is left open',
  async (shell) => {
    const { server } = await givenAgent()
    const terminal = new TestChannel(server, { request: { shell } })
    const message = `Program "${shell}" was not found on this machine.`
    expect(await terminal.ended()).toEqual({ code: 'no_shell', message })
    expect(
      await server.until(() => server.reports.find(({ kind }) => kind === 'session-ended')),
    ).toMatchObject({ session: terminal.session, reason: message })
  },
)

test('issue 4, 2.1: as who is signed in where nobody is: said, and not opened as somebody else', async () => {
  const { server } = await givenAgent(signedIn(null))
  const terminal = new TestChannel(server, { request: { as_user: true } })
  const message = 'No user is signed in at this machine.'
  expect(await terminal.ended()).toEqual({ code: 'no_shell', message })
})

test('issue 4, 2.1: an agent of root opens a terminal as who is signed in; another one says why not', async () => {
  const { server } = await givenAgent(signedIn('nobody'))
  const terminal = new TestChannel(server, { request: { as_user: true } })
  if (process.getuid?.() !== 0) {
    expect((await terminal.ended()).message).toMatch(/runs as .+ and not as root/)
    return
  }
  await terminal.opened()
  expect(terminal.opening.user).toBe('nobody')
  terminal.type('echo "$(id -un) at $HOME"; stat -c "%U has it" "$(tty)"\n')
  expect(await terminal.until(/nobody has it\r\n/)).toContain('nobody at /nonexistent')
})
