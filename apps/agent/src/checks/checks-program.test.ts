import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startProgram } from '../testing/agent-process.ts'
import { givenChecks, script, setChecks, untilResult } from '../testing/given-checks.ts'
import { givenFolder, givenServer } from '../testing/given.ts'
import { isAlive } from '../testing/is-alive.ts'
import { GOOD_TOKEN } from '../testing/test-server.ts'

test('a killed agent ends its leftover check scripts after a restart, and checks again', async () => {
  const { server, url } = await givenServer()
  const folder = givenFolder()
  const up = server.untilUp()
  const program = startProgram('enrol', '--server', url, '--token', GOOD_TOKEN, '--data', folder, '--run')
  await up
  const pids = join(folder, 'pids')
  const read = () => (existsSync(pids) ? readFileSync(pids, 'utf8').trim().split('\n').map(Number) : [])
  setChecks(
    server,
    givenChecks({
      ...script(`[ -e ${pids} ] && exit 7; echo $$ > ${pids}; sleep 300`),
      run_interval_seconds: 10,
    }),
  )
  await server.until(() => read().length > 0)
  program.child.kill('SIGKILL')
  await program.ended
  const [pid = 0] = read()
  expect(isAlive(pid)).toBe(true)
  const upAgain = server.untilUp()
  startProgram('run', '--data', folder)
  await upAgain
  expect(isAlive(pid)).toBe(false)
  expect((await untilResult(server, 1)).measured).toMatchObject({ outcome: 'exited', retcode: 7 })
})
