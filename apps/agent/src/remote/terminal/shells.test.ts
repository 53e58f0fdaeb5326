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

test('a machine lists its shells, the default one first, and the signed-in user', async () => {
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
])('only full paths of real shells in /etc/shells count', (text, shells) => {
  expect(parseShells(text)).toEqual(shells)
})

test('a terminal runs the requested shell, by its path or its name', async () => {
  const { server } = await givenAgent()
  for (const shell of ['/bin/sh', 'bash']) {
    const terminal = await new TestChannel(server, { request: { shell } }).opened()
    expect(basename(terminal.opening.shell)).toBe(basename(shell))
    terminal.type('echo "is $SHELL"\n')
    await terminal.until(new RegExp(`is .*/${basename(shell)}\r\n`))
  }
})

test.each(['/no/such/shell', 'no-such-shell', '/etc', '/etc/passwd', `-c${ESCAPE}[2J`])(
  '%j is not a program: the terminal is refused with a message, and nothing stays open',
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

test('a shell as the signed-in user is refused if no user is signed in', async () => {
  const { server } = await givenAgent(signedIn(null))
  const terminal = new TestChannel(server, { request: { as_user: true } })
  const message = 'No user is signed in at this machine.'
  expect(await terminal.ended()).toEqual({ code: 'no_shell', message })
})

test('an agent of root opens a terminal as the signed-in user; another one reports why not', async () => {
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
