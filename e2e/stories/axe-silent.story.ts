import { getAgent } from '@muster/contract/api/agents'
import { savePreferences } from '@muster/contract/api/users'
import { expect } from '@playwright/test'
import { TWO_LOOKS, expectAccessible, expectSettled, follow } from '../support/accessible.ts'
import { startMachines } from '../support/machines.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { makeSilent } from '../support/silent-machines.ts'
import { test } from '../support/story.ts'

for (const look of TWO_LOOKS) {
  const way = `${look.colorScheme}, ${look.viewport.width} px`
  const isNarrow = look.viewport.width < 900

  test(`a machine that is offline or overdue has no accessibility violations, ${way}`, async ({
    openConsole,
    server,
    admin,
  }) => {
    test.setTimeout(300_000)
    const token = await makeToken(admin, await addClient(admin, 'Acme'))
    const hostnames = ['delta', 'echo']
    using fleet = await startMachines(
      admin,
      hostnames.map((hostname) => ({ hostname, token })),
    )
    const [offlineId = '', overdueId = ''] = fleet.machines.map(({ agentId }) => agentId)
    for (const machine of fleet.machines) machine.disconnect()
    await makeSilent(server, { [offlineId]: 10, [overdueId]: 60 })
    await admin.call(savePreferences, { body: { dark_mode: look.colorScheme === 'dark' } })
    const page = await openConsole({ ...look, as: admin })
    for (const [agentId, hostname, status] of [
      [offlineId, 'delta', 'offline'],
      [overdueId, 'echo', 'overdue'],
    ] as const) {
      expect(await admin.call(getAgent, { params: { agent_id: agentId } })).toMatchObject({ status })
      for (const [path, shows] of [
        [`/?search=is:${status}`, hostname],
        // On a phone the lower pane is the machine's page.
        [`/?agent=${agentId}&pane=summary`, isNarrow ? hostname : status],
        [`/agents/${agentId}?pane=summary`, status],
        [`/policies?dialog=send-command&item=${agentId}`, `Send command to ${hostname}`],
      ] as const) {
        await follow(page, path)
        await page.getByText(shows).filter({ visible: true }).first().waitFor()
        await expectSettled(page)
        await expectAccessible(page, path)
      }
    }
  })
}
