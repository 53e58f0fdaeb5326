import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { planLine } from './prepare-run.ts'
import { isAlive } from '../testing/is-alive.ts'
import { startProgram } from '../testing/agent-process.ts'
import { givenAgent, givenFolder, givenServer } from '../testing/given.ts'
import { GOOD_TOKEN, shellInput } from '../testing/test-server.ts'

test('a command passes accepted, started, output, result', async () => {
  const { server } = await givenAgent()
  server.runShell(7, 'echo hello; echo oops >&2; exit 3')
  const result = await server.result(7)
  expect(result).toMatchObject({ outcome: 'exited', retcode: 3, reason: null, output_cut_bytes: 0 })
  expect(server.outputOf(7)).toBe('hello\n')
  expect(server.outputOf(7, 'stderr')).toBe('oops\n')
  const kinds = server.reportsOf(7).map(({ kind }) => kind)
  expect(kinds.slice(0, 2)).toEqual(['accepted', 'started'])
  expect(kinds.at(-1)).toBe('result')
})

test('output arrives while the command runs', async () => {
  const { server } = await givenAgent()
  server.runShell(1, 'echo first; sleep 30')
  await server.until(() => server.outputOf(1) === 'first\n')
  expect(server.reportsOf(1).some(({ kind }) => kind === 'result')).toBe(false)
})

test('a script may open its own output by name', async () => {
  const { server } = await givenAgent()
  server.runShell(1, 'echo out > /dev/stdout; echo err > /dev/stderr')
  await expect(server.result(1)).resolves.toMatchObject({ outcome: 'exited', retcode: 0 })
  expect(server.outputOf(1)).toBe('out\n')
  expect(server.outputOf(1, 'stderr')).toBe('err\n')
})

test('characters are not split between chunks, and invalid ones are replaced', async () => {
  const { server } = await givenAgent()
  const torn = String.raw`printf '\xe2\x82'; sleep 0.2; printf '\xac\xf0\x9f'; sleep 0.2; printf '\x98\x80 \xff end \xe2'`
  server.runShell(1, torn)
  await server.result(1)
  expect(server.outputOf(1)).toBe('€😀 \uFFFD end \uFFFD')
})

test('of a long output the first and the last part are kept, and a reason on stderr is never lost', async () => {
  const { server } = await givenAgent()
  server.runShell(1, 'seq 1000000 1374999; echo "FATAL: disk /dev/sdb failed" >&2; exit 3')
  const { retcode, output_cut_bytes } = await server.result(1)
  expect(retcode).toBe(3)
  expect(server.outputOf(1, 'stderr')).toBe('FATAL: disk /dev/sdb failed\n')
  const [first = '', last = ''] = server.outputOf(1).split('[1.86 MB left out here]\n')
  expect(first.slice(0, 16)).toBe('1000000\n1000001\n')
  expect(last.slice(-16)).toBe('1374998\n1374999\n')
  expect(first.length + last.length + output_cut_bytes).toBe(3_000_000)
  expect(server.outputOf(1).length).toBeLessThanOrEqual(1024 * 1024)
})

test('neither stream takes the room of the other, and one alone may use nearly all of it', async () => {
  const { server } = await givenAgent()
  const flood = (name: string) => `yes ${name} | head -c 3000000`
  server.runShell(1, `${flood('err')} >&2; echo ends >&2; ${flood('out')}; echo ends`)
  await server.result(1)
  const [out, err] = [server.outputOf(1), server.outputOf(1, 'stderr')]
  expect(out.length + err.length).toBeLessThanOrEqual(1024 * 1024)
  expect(out.length).toBeGreaterThan(700_000)
  expect(err.length).toBeGreaterThan(250_000)
  for (const text of [out, err]) {
    expect(text.match(/\n\[2\.\d+ MB left out here\]\n/g)).toHaveLength(1)
    expect(text.slice(-6)).toBe('\nends\n')
  }
  server.runShell(2, `yes out | head -c 1000000`)
  await expect(server.result(2)).resolves.toMatchObject({ output_cut_bytes: 0 })
  expect(server.outputOf(2)).toHaveLength(1_000_000)
})

test('output beyond the limit is read, dropped and counted in both streams', async () => {
  const { server } = await givenAgent()
  server.runShell(1, 'head -c 3000000 /dev/zero | tr "\\0" a; echo problem >&2', { output_cap_bytes: 1000 })
  const { outcome, output_cut_bytes } = await server.result(1)
  const [first = '', last = ''] = server.outputOf(1).split('\n[2.86 MB left out here]\n')
  expect(outcome).toBe('exited')
  expect(output_cut_bytes).toBe(3_000_000 - first.length - last.length)
  expect(server.outputOf(1).length).toBeLessThanOrEqual(1000)
  expect(server.outputOf(1, 'stderr')).toBe('problem\n')
})

test('cuts split no character, and bytes that become longer as text fit the limit', async () => {
  const { server } = await givenAgent()
  const limit = 100_000
  for (const [id, shown] of [
    [1, '€'],
    [2, '😀'],
  ] as const) {
    server.runShell(id, `yes 'a${shown}' | head -n 200000; printf end`, { output_cap_bytes: limit })
    await server.result(id)
    const text = server.outputOf(id)
    expect(text.isWellFormed()).toBe(true)
    expect(text).not.toContain('\uFFFD')
    expect(text.replace(/\[.* left out here\]/, '').replaceAll(`a${shown}\n`, '').length).toBeLessThan(12)
  }
  server.runShell(3, 'yes "$(printf "\\xff")" | head -n 200000; head -c 200000 /dev/zero; echo end', {
    output_cap_bytes: limit,
  })
  await server.result(3)
  expect(Buffer.byteLength(server.outputOf(3))).toBeLessThanOrEqual(limit)
  expect(server.outputOf(3).slice(-5)).toBe('\uFFFDend\n')
})

test('an end that was held back arrives when the run is cancelled', async () => {
  const { server, folder } = await givenAgent()
  server.runShell(1, `yes line | head -c 2000000; echo last words; touch ${folder}/ready; sleep 300`)
  await server.until(() => existsSync(join(folder, 'ready')))
  server.command(server.sign('cancel', { history_id: 1 }))
  await expect(server.result(1)).resolves.toMatchObject({ outcome: 'cancelled' })
  expect(server.outputOf(1).slice(-12)).toBe('\nlast words\n')
})

test('what was reported stays when the agent is killed in the middle of a long output', async () => {
  const { server, url } = await givenServer()
  const folder = givenFolder()
  const program = startProgram('enrol', '--server', url, '--token', GOOD_TOKEN, '--data', folder, '--run')
  await server.untilUp()
  server.runShell(1, `yes line | head -c 2000000; touch ${folder}/ready; sleep 300`)
  await server.until(() => existsSync(join(folder, 'ready')) && server.outputOf(1).length > 500_000)
  const before = server.outputOf(1)
  program.child.kill('SIGKILL')
  await program.ended
  startProgram('run', '--data', folder)
  await expect(server.result(1)).resolves.toMatchObject({
    outcome: 'failed',
    reason: 'The agent restarted while this ran.',
  })
  expect(server.outputOf(1).startsWith(before)).toBe(true)
})

test('a secret of several lines is hidden line by line, with other line ends and joined by blanks', async () => {
  const { server } = await givenAgent()
  const key = [
    '-----BEGIN KEY-----',
    'MIIEvQIBADANBgkqhkiG',
    'w0BAQEFAASCBKcwggSj=',
    'Ab3=',
    '-----END KEY-----',
  ]
  const body = `echo "$KEY"; echo $KEY; echo "$KEY" | sed 's/$/\\r/'
    echo "$KEY" | while read -r line; do echo "$line"; sleep 0.1; done
    printf MIIEvQIB; sleep 0.2; echo ADANBgkqhkiG; echo "$KEY" | grep -n KcwggSj >&2`
  const input = {
    ...runOptions(),
    interpreter: 'shell' as const,
    body,
    args: [],
    env_vars: [`KEY=${key.join('\n')}`],
    secrets: [key.join('\n')],
  }
  server.command(server.sign('run-script', input, { payload: { history_id: 1 } }))
  await expect(server.result(1)).resolves.toMatchObject({ retcode: 0 })
  expect(server.outputOf(1)).toBe('••••••\n••••••\n••••••\r\n••••••\n••••••\n')
  expect(server.outputOf(1, 'stderr')).toBe('3:••••••\n')
})

test('a secret is hidden beside a cut, too', async () => {
  const { server } = await givenAgent()
  const more = { output_cap_bytes: 5000, args: ['swordfish'], secrets: ['swordfish'] }
  const body = 'yes "$1" | head -n 2000'
  const input = { ...runOptions(), interpreter: 'shell' as const, body, ...more }
  server.command(server.sign('run-script', input, { payload: { history_id: 1 } }))
  await server.result(1)
  expect(server.outputOf(1).replace(/\[.* left out here\]/, '')).not.toMatch(/[a-z]/)
})

test('both streams keep their order when they alternate quickly', async () => {
  const { server } = await givenAgent()
  server.runShell(1, 'for i in $(seq 500); do echo o$i; echo e$i >&2; done')
  await server.result(1)
  const numbers = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => Number(line.slice(1)))
  const all = Array.from({ length: 500 }, (_, index) => index + 1)
  expect(numbers(server.outputOf(1))).toEqual(all)
  expect(numbers(server.outputOf(1, 'stderr'))).toEqual(all)
})

test('a timeout ends the whole tree, also children that left the session and their parents', async () => {
  const { server, folder } = await givenAgent()
  const script = `trap '' TERM
    (setsid bash -c 'trap "" TERM; echo $$ > ${folder}/orphan; sleep 300' &)
    bash -c 'echo $$ > ${folder}/child; sleep 300'
    sleep 300`
  server.runShell(1, script, { timeout_seconds: 1 })
  const result = await server.result(1)
  expect(result).toMatchObject({
    outcome: 'timed_out',
    retcode: null,
    reason: 'Timed out after 1 second.',
  })
  for (const name of ['orphan', 'child']) {
    expect(isAlive(Number(readFileSync(join(folder, name), 'utf8')))).toBe(false)
  }
})

test('a command is cancelled at once, and can clean up on SIGTERM', async () => {
  const { server } = await givenAgent()
  server.runShell(1, `trap 'echo bye; exit 0' TERM; echo ready; while true; do sleep 0.05; done`)
  await server.until(() => server.outputOf(1).includes('ready'))
  server.command(server.sign('cancel', { history_id: 1 }))
  await expect(server.result(1)).resolves.toMatchObject({ outcome: 'cancelled', reason: 'Cancelled.' })
  expect(server.outputOf(1)).toBe('ready\nbye\n')
})

test('a cancellation that arrives before its command prevents the run', async () => {
  const { server, folder } = await givenAgent()
  server.command(server.sign('cancel', { history_id: 5 }))
  await expect(server.result(5)).resolves.toMatchObject({ outcome: 'cancelled' })
  server.runShell(5, `touch ${folder}/ran`)
  server.runShell(6, 'true')
  await server.result(6)
  expect(existsSync(join(folder, 'ran'))).toBe(false)
  expect(server.reportsOf(5).every(({ kind }) => kind === 'result')).toBe(true)
})

test('a daemon that keeps the output open does not keep the run open', async () => {
  const { server } = await givenAgent()
  server.runShell(1, 'echo started; sleep 30 & exit 4')
  await expect(server.result(1)).resolves.toMatchObject({ outcome: 'exited', retcode: 4 })
  expect(server.outputOf(1)).toBe('started\n')
})

test('a process that a signal killed is a failure with that reason', async () => {
  const { server } = await givenAgent()
  server.runShell(1, 'kill -KILL $$')
  await expect(server.result(1)).resolves.toMatchObject({
    outcome: 'failed',
    reason: 'The process was killed by signal SIGKILL.',
  })
})

test('fifty commands at once all run', async () => {
  const { server } = await givenAgent()
  for (let id = 1; id <= 50; id += 1) server.runShell(id, `echo ${id}; sleep 0.2`)
  for (let id = 1; id <= 50; id += 1) {
    await expect(server.result(id)).resolves.toMatchObject({ outcome: 'exited', retcode: 0 })
    expect(server.outputOf(id)).toBe(`${id}\n`)
  }
})

test('the environment is clean, with the given variables', async () => {
  process.env.MUSTER_SECRET_OF_THE_AGENT = 'x'
  const { server } = await givenAgent()
  server.runShell(1, 'printf "%s|" "$GREETING" "$EMPTY" "$LINES"; env', {
    env_vars: ['GREETING=it\'s "quoted" $HOME `x` \\n', 'EMPTY=', 'LINES=a\nb=c'],
  })
  await server.result(1)
  delete process.env.MUSTER_SECRET_OF_THE_AGENT
  expect(server.outputOf(1)).toMatch(/^it's "quoted" \$HOME `x` \\n\|\|a\nb=c\|/)
  expect(server.outputOf(1)).not.toContain('MUSTER_SECRET')
  expect(server.outputOf(1).split('\n')).toContain(`HOME=${homedir()}`)
})

test('an invalid environment variable is refused with a message', async () => {
  const { server } = await givenAgent()
  server.runShell(1, 'true', { env_vars: ['no equals sign'] })
  await expect(server.result(1)).resolves.toMatchObject({
    outcome: 'refused',
    reason: '"no equals sign" is not a valid environment variable. Use NAME=value.',
  })
})

test("a command runs as another user, with that user's groups and home", async () => {
  const { server } = await givenAgent()
  const cmd = 'id -un; id -gn; echo $HOME $USER; echo open > /dev/stderr; cat /etc/shadow'
  server.runShell(1, cmd, { run_as_user: 'nobody' })
  const result = await server.result(1)
  if (process.getuid?.() !== 0) {
    expect(result).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('not as root') })
    return
  }
  expect(result).toMatchObject({ outcome: 'exited', retcode: 1 })
  expect(server.outputOf(1)).toBe('nobody\nnogroup\n/nonexistent nobody\n')
  expect(server.outputOf(1, 'stderr')).toContain('open\n')
  expect(server.outputOf(1, 'stderr')).toContain('Permission denied')
})

test('an unknown user is refused with a message', async () => {
  const { server } = await givenAgent()
  server.runShell(1, 'id', { run_as_user: 'nobody-at-all' })
  server.runShell(2, 'id', { run_as_user: '-x; reboot' })
  const isRoot = process.getuid?.() === 0
  await expect(server.result(1)).resolves.toMatchObject({
    outcome: 'refused',
    reason: isRoot
      ? 'User "nobody-at-all" does not exist on this machine.'
      : expect.stringContaining('not as root'),
  })
  await expect(server.result(2)).resolves.toMatchObject({ outcome: 'refused' })
})

test('a missing shell is refused with a message', async () => {
  const { server } = await givenAgent()
  server.runShell(1, 'true', { shell: 'custom', custom_shell: '/opt/no/such/shell' })
  server.runShell(2, 'dir', { shell: 'cmd' })
  await expect(server.result(1)).resolves.toMatchObject({
    outcome: 'refused',
    reason: 'Program "/opt/no/such/shell" was not found on this machine.',
  })
  await expect(server.result(2)).resolves.toMatchObject({ outcome: 'refused' })
})

test('sh and a custom shell run commands', async () => {
  const { server } = await givenAgent()
  server.runShell(1, 'echo from $0', { shell: 'sh' })
  server.runShell(2, 'import sys; print("from python")', { shell: 'custom', custom_shell: '/usr/bin/perl' })
  server.runShell(3, 'echo custom', { shell: 'custom', custom_shell: '/bin/dash' })
  await Promise.all([1, 2, 3].map((id) => server.result(id)))
  expect(server.outputOf(1)).toMatch(/from .*sh/)
  expect(server.outputOf(3)).toBe('custom\n')
})

test('Node as a custom shell runs the line instead of checking its syntax', async () => {
  const { server } = await givenAgent()
  server.runShell(1, 'console.log(6 * 7)', { shell: 'custom', custom_shell: process.execPath })
  await server.result(1)
  expect(server.outputOf(1)).toBe('42\n')
  const plans = [String.raw`C:\Windows\System32\cmd.exe`, String.raw`C:\PS\pwsh.exe`, '/bin/zsh'].map(
    (program) => planLine(program, 'echo 1'),
  )
  expect(plans).toMatchObject([
    { program: String.raw`C:\Windows\System32\cmd.exe`, args: expect.arrayContaining(['/s', '/c']) },
    { args: ['-NoProfile', '-NonInteractive', '-Command', 'echo 1'] },
    { args: ['-c', 'echo 1'] },
  ])
})

test('a command that exceeds the argument limit still runs', async () => {
  const { server } = await givenAgent()
  server.runShell(1, `: ${'ü'.repeat(99_000)}\necho long`)
  await server.result(1)
  expect(server.outputOf(1)).toBe('long\n')
})

test('a NUL in a command is a failure with a message', async () => {
  const { server } = await givenAgent()
  server.runShell(1, 'echo \0')
  const { outcome, reason } = (await server.result(1)) as { outcome: string; reason: string } // until() found a result.
  expect(outcome).toBe('failed')
  expect(reason).toContain('Failed to start')
})

test('no script is left in the data folder after its run', async () => {
  const { server, folder } = await givenAgent({ folder: givenFolder() })
  const input = { interpreter: 'shell' as const, body: 'echo hi', args: [], ...runOptions() }
  server.command(server.sign('run-script', input, { payload: { history_id: 1 } }))
  await server.result(1)
  await server.until(() => readdirSync(join(folder, 'run')).every((name) => name.startsWith('pipe-')))
})

function runOptions() {
  const { env_vars, run_as_user, timeout_seconds, output_cap_bytes } = shellInput('')
  return { env_vars, run_as_user, timeout_seconds, output_cap_bytes }
}
