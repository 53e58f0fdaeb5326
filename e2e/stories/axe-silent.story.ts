import { getAgent } from '@muster/contract/api/agents'
import { expect } from '@playwright/test'
import { FIRST_LOOK, expectAccessibleInAllLooks, isNarrow } from '../support/accessible.ts'
import { follow } from '../support/dashboard.ts'
import { startMachines } from '../support/machines.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { makeSilent } from '../support/silent-machines.ts'
import { test } from '../support/story.ts'

test('a machine that is offline or overdue has no accessibility violations', async ({
  openConsole,
  server,
  admin,
}) => {
  const token = await makeToken(admin, await addClient(admin, 'Acme'))
  const hostnames = ['delta', 'echo']
  using fleet = await startMachines(
    admin,
    hostnames.map((hostname) => ({ hostname, token })),
  )
  const [offlineId = '', overdueId = ''] = fleet.machines.map(({ agentId }) => agentId)
  for (const machine of fleet.machines) machine.disconnect()
  await makeSilent(server, { [offlineId]: 10, [overdueId]: 60 })
  const page = await openConsole({ ...FIRST_LOOK, as: admin })
  for (const [agentId, hostname, status] of [
    [offlineId, 'delta', 'offline'],
    [overdueId, 'echo', 'overdue'],
  ] as const) {
    expect(await admin.call(getAgent, { params: { agent_id: agentId } })).toMatchObject({ status })
    await follow(page, `/?search=is:${status}`)
    await expectAccessibleInAllLooks(page, `the ${status} machines`, hostname)
    await follow(page, `/?agent=${agentId}&pane=summary`)
    // On a phone the lower pane is the machine's page.
    await expectAccessibleInAllLooks(page, `${status}, below the table`, (look) =>
      isNarrow(look) ? hostname : status,
    )
    await follow(page, `/agents/${agentId}?pane=summary`)
    await expectAccessibleInAllLooks(page, `an ${status} machine`, status)
    await follow(page, `/policies?dialog=send-command&item=${agentId}`)
    await expectAccessibleInAllLooks(
      page,
      `a command for an ${status} machine`,
      `Send command to ${hostname}`,
    )
  }
})
