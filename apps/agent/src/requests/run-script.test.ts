import { expect, test } from 'vitest'
import type { CommandInput } from '@muster/contract/agent/commands'
import { planScript } from '../run/interpreters.ts'
import { givenAgent, type GivenAgent } from '../testing/given.ts'

type ScriptInput = CommandInput<'run-script'>

function sendScript({ server }: GivenAgent, historyId: number, script: Partial<ScriptInput>): void {
  const input: ScriptInput = {
    interpreter: 'shell',
    body: '',
    args: [],
    env_vars: [],
    run_as_user: null,
    timeout_seconds: 60,
    output_cap_bytes: 1024 * 1024,
    ...script,
  }
  server.command(server.sign('run-script', input, { payload: { history_id: historyId } }))
}

const awkward = [
  'a b',
  "it's",
  '"quoted"',
  '$HOME',
  '`id`',
  '; reboot',
  '*',
  '',
  'ü €',
  'two\nlines',
  '--flag=x y',
]

test('arguments arrive unchanged', async () => {
  const given = await givenAgent()
  sendScript(given, 1, { body: 'for arg in "$@"; do printf "[%s]" "$arg"; done', args: awkward })
  sendScript(given, 2, {
    interpreter: 'python',
    body: 'import sys\nprint(sys.argv[1:] == eval(sys.argv[-1]), end="")',
    args: ['a b', "['a b', sys.argv[-1]]"],
  })
  sendScript(given, 3, {
    interpreter: 'node',
    body: 'console.log(JSON.stringify(process.argv.slice(2)))',
    args: awkward,
  })
  await Promise.all([1, 2, 3].map((id) => given.server.result(id)))
  expect(given.server.outputOf(1)).toBe(awkward.map((arg) => `[${arg}]`).join(''))
  expect(given.server.outputOf(2)).toBe('True')
  expect(JSON.parse(given.server.outputOf(3))).toEqual(awkward)
})

test('parameters arrive unchanged as environment variables', async () => {
  const given = await givenAgent()
  const values = awkward.map((text, i) => `MUSTER_PARAM_P${i}=${text}`)
  const names = awkward.map((_, i) => `"$MUSTER_PARAM_P${i}"`)
  sendScript(given, 1, { body: `printf '[%s]' ${names.join(' ')}`, env_vars: values })
  sendScript(given, 2, {
    interpreter: 'python',
    body: 'import os\nprint([os.environ["MUSTER_PARAM_P%d" % i] for i in range(11)] == eval(os.environ["ALL"]), end="")',
    env_vars: [...values, `ALL=${JSON.stringify(awkward)}`],
  })
  await Promise.all([1, 2].map((id) => given.server.result(id)))
  expect(given.server.outputOf(1)).toBe(awkward.map((text) => `[${text}]`).join(''))
  expect(given.server.outputOf(2)).toBe('True')
})

test('a shell script is run by the program of its first line', async () => {
  const given = await givenAgent()
  sendScript(given, 1, { body: '#!/usr/bin/perl -w\nprint "perl $^W @ARGV";', args: ['x'] })
  sendScript(given, 2, {
    body: '#! /usr/bin/env python3\r\nimport sys\r\nprint("python", sys.argv[1])\r\n',
    args: ['y'],
  })
  sendScript(given, 3, { body: '#!/no/such/program\nhello' })
  await Promise.all([1, 2, 3].map((id) => given.server.result(id)))
  expect(given.server.outputOf(1)).toBe('perl 1 x')
  expect(given.server.outputOf(2)).toBe('python y\n')
  await expect(given.server.result(3)).resolves.toMatchObject({
    outcome: 'refused',
    reason: 'The script needs /no/such/program, which is not installed on this machine.',
  })
})

test('a script from a Windows editor runs', async () => {
  const given = await givenAgent()
  sendScript(given, 1, { body: 'if true; then\r\n  echo "fine"\r\nfi\r\n' })
  await given.server.result(1)
  expect(given.server.outputOf(1)).toBe('fine\n')
})

test.each([
  ['a script without #!', 'shell', 'printf fine', 'fine'],
  ['a script with CR LF, without #!', 'shell', 'if true; then\r\n  printf fine\r\nfi\r\n', 'fine'],
  ['#!/bin/sh', 'shell', '#!/bin/sh\nprintf "$0" | tail -c 9', 'script.sh'],
  ['#!/bin/sh with CR LF', 'shell', '#!/bin/sh -e\r\nfalse\r\nprintf late\r\n', ''],
  [
    '#!/usr/bin/env python3',
    'shell',
    '#!/usr/bin/env python3\nimport sys\nprint(sys.argv[1:], end="")',
    "['x']",
  ],
  ['#!/usr/bin/env python3 with CR LF', 'shell', '#!/usr/bin/env python3\r\nprint("py", end="")\r\n', 'py'],
  ['#!/usr/bin/perl', 'shell', '#!/usr/bin/perl -w\nprint "perl $^W @ARGV";', 'perl 1 x'],
  ['#! without a program', 'shell', '#!\nprintf fine', 'fine'],
  ['a Python script', 'python', '#!/usr/bin/env python3\r\nprint("py", end="")\r\n', 'py'],
  ['a Node script', 'node', '#!/usr/bin/env node\r\nprocess.stdout.write("node")\r\n', 'node'],
] as const)('%s runs the same with a byte order mark', async (_, interpreter, body, output) => {
  const given = await givenAgent()
  const marks = ['', '\uFEFF', '\uFEFF\uFEFF']
  for (const [i, mark] of marks.entries())
    sendScript(given, i + 1, { interpreter, body: mark + body, args: ['x'] })
  await Promise.all(marks.map((_mark, i) => given.server.result(i + 1)))
  const seen = marks.map((_mark, i) => [given.server.outputOf(i + 1), given.server.outputOf(i + 1, 'stderr')])
  expect(seen).toEqual(marks.map(() => [output, '']))
})

test('both types of Node modules run', async () => {
  const given = await givenAgent()
  sendScript(given, 1, { interpreter: 'node', body: 'console.log(require("node:os").EOL.length)' })
  sendScript(given, 2, {
    interpreter: 'node',
    body: 'import { EOL } from "node:os"\nconsole.log(EOL.length, await 5)',
  })
  await Promise.all([1, 2].map((id) => given.server.result(id)))
  expect(given.server.outputOf(1)).toBe('1\n')
  expect(given.server.outputOf(2)).toBe('1 5\n')
})

test('a missing interpreter is refused with a message', async () => {
  const given = await givenAgent()
  sendScript(given, 1, { interpreter: 'nushell', body: 'ls' })
  sendScript(given, 2, { interpreter: 'cmd', body: 'dir' })
  await expect(given.server.result(1)).resolves.toMatchObject({
    outcome: 'refused',
    reason: 'Nushell is not installed on this machine.',
  })
  await expect(given.server.result(2)).resolves.toMatchObject({
    outcome: 'refused',
    reason: 'cmd scripts can only run on Windows.',
  })
})

test('a script runs as another user, who alone can read it', async () => {
  const given = await givenAgent()
  sendScript(given, 1, { body: 'id -un; stat -c "%U %a" "$0"', run_as_user: 'nobody' })
  const result = await given.server.result(1)
  if (process.getuid?.() !== 0) return expect(result).toMatchObject({ outcome: 'refused' })
  expect(given.server.outputOf(1)).toBe('nobody\nnobody 700\n')
})

test('exit code and errors of a script are reported', async () => {
  const given = await givenAgent()
  sendScript(given, 1, {
    interpreter: 'python',
    body: 'import sys\nsys.stderr.write("bad\\n")\nsys.exit(41)',
  })
  await expect(given.server.result(1)).resolves.toMatchObject({ outcome: 'exited', retcode: 41 })
  expect(given.server.outputOf(1, 'stderr')).toBe('bad\n')
})

test.each([
  ['#!/bin/sh', ['/bin/sh']],
  ['#!/bin/sh -e -u', ['/bin/sh', '-e -u']],
  ['#! /bin/sh\t-x', ['/bin/sh', '-x']],
])('the first line %j starts %j, as in the kernel', (line, command) => {
  expect(planScript('shell', `${line}\ntrue`).plan('/x', [])).toEqual({
    program: command[0],
    args: [...command.slice(1), '/x'],
  })
})

test('secrets never leave the machine in output, however the script writes them', async () => {
  const given = await givenAgent()
  const secret = 'cörrect horse'
  sendScript(given, 1, {
    body: 'printf "[%s]" "$1"; printf %s "${1%orse}"; sleep 0.3; echo orse; echo "e=$KEY" >&2; printf "%s" "${#1}"; printf corr',
    args: [secret],
    env_vars: [`KEY=${secret}`],
    secrets: [secret],
  })
  await given.server.result(1)
  expect(given.server.outputOf(1).replaceAll('13', '12')).toBe('[••••••]••••••\n12corr')
  expect(JSON.stringify(given.server.reports)).not.toContain('horse')
})
