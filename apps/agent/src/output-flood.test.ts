import { expect, onTestFinished, test } from 'vitest'
import { residentMb, startProgram } from './testing/agent-process.ts'
import { givenFolder, givenServer } from './testing/given.ts'
import { GOOD_TOKEN } from './testing/test-server.ts'

test('a gigabyte of output does not grow the agent', async () => {
  const { server, url } = await givenServer()
  const up = server.untilUp()
  const options = ['--server', url, '--token', GOOD_TOKEN, '--data', givenFolder()]
  const program = startProgram('enrol', ...options, '--run')
  await up
  server.runShell(1, 'true')
  await server.result(1)
  const before = residentMb(program.child.pid)
  let most = before
  const watch = setInterval(() => (most = Math.max(most, residentMb(program.child.pid))), 50)
  onTestFinished(() => clearInterval(watch))
  server.runShell(2, 'head -c 1G /dev/zero | tr "\\0" x', { timeout_seconds: 900 })
  const result = await server.result(2)
  clearInterval(watch)
  expect(result).toMatchObject({ outcome: 'exited', retcode: 0 })
  const [first = '', last = ''] = server.outputOf(2).split('\n[1023 MB left out here]\n')
  expect(first.length + last.length).toBeGreaterThan(2 ** 20 - 200)
  expect(first.length + last.length + result.output_cut_bytes).toBe(2 ** 30)
  expect(most - before).toBeLessThan(40)
})
