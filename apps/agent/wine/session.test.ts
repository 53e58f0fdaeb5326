import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SessionStep } from './drive-session.ts'
import { runInWine } from './run-in-wine.ts'
import { WineMachine } from './wine-machine.ts'

let machine: WineMachine

beforeAll(async () => {
  machine = await WineMachine.start()
})
afterAll(() => machine[Symbol.asyncDispose]())

const drive = (steps: SessionStep[]) =>
  runInWine<SessionStep[], unknown[]>(machine, 'drive-session.ts', steps)

test('commands and scripts run in the session of the signed-in user, with UTF-8 output, and end as a whole', async () => {
  const ping = 'ping -n 600 127.0.0.1'
  const [own, session, command, script, killed] = await drive([
    { read: 'own' },
    { read: 'session' },
    { cmd: 'echo %GREETING% "one two"& echo bad äöü 1>&2& cd& exit 7' },
    { script: '@echo off\necho [%~1] %USERPROFILE%\nexit /b 5\n', args: ['one two'] },
    { cmd: `start /b ${ping}& start ${ping}& echo started& ${ping}`, killAfter: 'started' },
  ])
  expect(own).toEqual({ env: {} })
  expect(session).toMatchObject({
    id: expect.any(Number),
    sid: expect.stringMatching(/^S-1-5-/),
    home: expect.stringMatching(/^C:\\users\\root$/i),
    path: expect.stringMatching(/system32/i),
  })
  expect(command).toMatchObject({ code: 7, signal: null, hasSession: true, cwd: 'root' })
  expect(command).toMatchObject({
    stdout: expect.stringMatching(/^hällo 雪 "one two"\r\nC:\\users\\root\r\n$/i),
    stderr: 'bad äöü \r\n',
  })
  expect(script).toMatchObject({
    code: 5,
    stdout: expect.stringMatching(/^\[one two\] C:\\users\\root\r\n$/i),
  })
  expect(killed).toMatchObject({ hasSession: true, code: 1 })
  // One that was just starting ends a moment later.
  await expect.poll(() => machine.listProcesses().filter((line) => /ping\S* -n 600/.test(line))).toEqual([])
  const left = readdirSync(machine.hostPath('C:\\ProgramData')).filter((name) =>
    name.startsWith('muster-run'),
  )
  expect(left).toEqual([])
})
