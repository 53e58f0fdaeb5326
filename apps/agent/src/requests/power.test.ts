import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { linux } from '../os/linux.ts'
import { macos } from '../os/macos.ts'
import { windows } from '../os/windows.ts'
import { findProgram } from '../run/find-program.ts'
import { givenAgent } from '../testing/given.ts'
import { givenPrograms } from '../testing/given-programs.ts'

/** Runs the test's own program, or none: the test machine must not restart. */
function givenShutdown(body: string): { calls: () => string[] } {
  const folder = givenPrograms({ shutdown: `echo "$*" >>"$here/calls"\n${body}` })
  if (findProgram('shutdown') !== join(folder, 'shutdown')) throw new Error('the real program would be run')
  return { calls: () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') }
}

async function asked(action: 'reboot' | 'shutdown') {
  const { server } = await givenAgent()
  server.command(server.sign('change-power', { action }))
  return server.until(() => server.frames.find((frame) => frame.type === 'reply'))
}

test('the system restarts or shuts down on request', async () => {
  const { calls } = givenShutdown('')
  expect(await asked('reboot')).toMatchObject({ refused: null, answer: {} })
  expect(await asked('shutdown')).toMatchObject({ refused: null, answer: {} })
  expect(calls()).toEqual(['-r now', '-P now'])
})

test('a refusal of the system is reported', async () => {
  givenShutdown('echo "shutdown: you must be root to do that!" >&2; exit 1')
  expect(await asked('reboot')).toMatchObject({
    refused: 'The system refused: shutdown: you must be root to do that!',
    answer: null,
  })
})

test('each system has its own arguments', () => {
  const words = [linux, macos, windows].map((os) => [
    os.shutdownArguments('reboot').join(' '),
    os.shutdownArguments('shutdown').join(' '),
  ])
  expect(words).toEqual([
    ['-r now', '-P now'],
    ['-r now', '-h now'],
    ['/r /f /t 0', '/s /f /t 0'],
  ])
})
