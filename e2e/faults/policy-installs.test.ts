import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listAgents } from '@muster/contract/api/agents'
import { createPolicy } from '@muster/contract/api/policies'
import { listAgentHistory } from '@muster/contract/api/runs'
import { refreshSoftware } from '@muster/contract/api/software'
import { NO_CONTENT } from '@muster/contract/policies/policy-content'
import { expect, test } from 'vitest'
import { openScaledDeployment } from '../support/deployment.ts'
import { PrivateApt } from '../support/private-apt.ts'
import { openPrivatePrograms } from '../support/private-programs.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { signIn } from '../support/sign-in.ts'
import { startAgent } from '../support/start-agent.ts'
import { startServer } from '../support/start-server.ts'
import { LONG_PATIENCE_MS } from '../../tools/patience.ts'

const NAME = 'muster-tool'
/** An installation is noted, and begins when the test says so. */
const WAIT = `case "$*" in *"install --"*) echo "$*" >>"$here/calls"; until [ -e "$here/go" ]; do sleep 0.1; done ;; esac`

/** A machine of a server, with a package to install that takes its time. */
async function openMachine(server: string, token: string) {
  await using stack = new AsyncDisposableStack()
  const apt = stack.use(await PrivateApt.open())
  await apt.install('muster-old', '1.0')
  await apt.offer(NAME, '1.0')
  const slow = { 'apt-get': `${WAIT}\n${apt.programs['apt-get']}` }
  const programs = stack.use(openPrivatePrograms({ ...apt.programs, ...slow }))
  const agent = stack.use(await startAgent({ server, token, env: programs.env }))
  const kept = stack.move()
  return {
    agent,
    installed: () => apt.versionOf(NAME),
    calls: () => programs.calls().split('\n').filter(Boolean).length,
    goOn: () => writeFile(join(programs.folder, 'go'), ''),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

test('one of two servers is killed during installations by a policy: each ends with its result, and runs once', async () => {
  await using stack = new AsyncDisposableStack()
  const { env } = stack.use(await openScaledDeployment())
  const one = stack.use(await startServer({ env }))
  const two = stack.use(await startServer({ env: { ...env, MUSTER_DATA: one.dataFolder } }))
  const session = await signIn(one.url, one.admin)
  const onTwo = await signIn(two.url, one.admin)
  const token = await makeToken(session, await addClient(session, 'Acme'))
  const machines = [
    stack.use(await openMachine(one.url, token)),
    stack.use(await openMachine(two.url, token)),
  ]
  const connected = async () =>
    (await onTwo.call(listAgents, { query: {} })).flatMap((row) =>
      'connected' in row && row.connected ? [row.agent_id] : [],
    )
  await expect.poll(connected).toHaveLength(2)
  const ids = await connected()
  // Policies change nothing before the first list of software.
  for (const agent_id of ids) await onTwo.call(refreshSoftware, { params: { agent_id } })
  await session.call(createPolicy, {
    body: {
      name: 'Tools',
      active: true,
      content: { ...NO_CONTENT, software: [{ names: [NAME], state: 'present', platforms: ['linux'] }] },
      targets: [{ level: 'default', monitoring_type: null }],
    },
  })
  // Both servers do this once a minute.
  await expect.poll(() => machines.map(({ calls }) => calls()), { timeout: LONG_PATIENCE_MS }).toEqual([1, 1])
  await one.kill()
  for (const machine of machines) await machine.goOn()
  await expect.poll(() => Promise.all(machines.map(({ installed }) => installed()))).toEqual(['1.0', '1.0'])
  await one.start()
  const installs = async () => {
    const lists = ids.map((agent_id) => onTwo.call(listAgentHistory, { params: { agent_id }, query: {} }))
    return (await Promise.all(lists)).map((list) =>
      list
        .filter(({ type }) => type === 'package_install')
        .map(({ state, retcode, command }) => ({ state, retcode, command })),
    )
  }
  const once = [{ state: 'done', retcode: 0, command: `Install the package ${NAME} by policy` }]
  await expect.poll(installs, { timeout: LONG_PATIENCE_MS }).toEqual([once, once])
  expect(machines.map(({ calls }) => calls())).toEqual([1, 1])
})
