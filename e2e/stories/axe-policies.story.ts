import { createPolicy, editPolicy } from '@muster/contract/api/policies'
import { listAgentChecks } from '@muster/contract/api/checks'
import { savePreferences } from '@muster/contract/api/users'
import { TWO_LOOKS, expectAccessible, expectSettled, follow } from '../support/accessible.ts'
import { startMachines } from '../support/machines.ts'
import { addClient, makeToken } from '../support/seed.ts'
import { test } from '../support/story.ts'

const SCHEDULE = { fails_b4_alert: 1, run_interval: 0 }
const CPU = { check_type: 'cpuload', warning_threshold: 70, error_threshold: 90 } as const
const PING = { check_type: 'ping', name: 'Router', ip: '127.0.0.1', alert_severity: 'warning' } as const

for (const look of TWO_LOOKS) {
  const way = `${look.colorScheme}, ${look.viewport.width} px`

  test(`policies have no accessibility violations, ${way}`, async ({ openConsole, admin }) => {
    test.setTimeout(120_000)
    const acme = await addClient(admin, 'Acme', 'Berlin')
    using fleet = await startMachines(admin, [{ hostname: 'alpha', token: await makeToken(admin, acme) }])
    const agent_id = fleet.machines[0]?.agentId ?? ''
    await admin.call(savePreferences, { body: { dark_mode: look.colorScheme === 'dark' } })
    const page = await openConsole({ ...look, as: admin })

    await follow(page, '/policies')
    await page.getByText('No policies yet.').waitFor()
    await expectAccessible(page, 'no policies')
    await follow(page, '/policies/new')
    await page.getByRole('textbox', { name: 'Name' }).waitFor()
    await expectSettled(page)
    await expectAccessible(page, 'a new policy')

    const settings = { check_interval: 60, offline_time: null, overdue_time: null }
    const { id } = await admin.call(createPolicy, {
      body: {
        name: 'Base',
        desc: 'What every machine has',
        active: true,
        enforced: true,
        content: {
          checks: [
            { settings: CPU, ...SCHEDULE },
            { settings: PING, ...SCHEDULE },
          ],
          agent_settings: settings,
        },
        targets: [
          { level: 'default', monitoring_type: 'workstation' },
          { level: 'client', id: acme.id, monitoring_type: null },
          { level: 'search', search: 'alpha' },
        ],
      },
    })
    await admin.call(editPolicy, { params: { id }, body: { desc: 'Better', reason: 'Wording' } })
    await follow(page, '/policies')
    await page.getByText('Base').waitFor()
    await expectSettled(page)
    await expectAccessible(page, 'the list of policies')
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('treeitem', { name: /^Base/ }).first().click()
    await page.getByRole('button', { name: /^Machines of Ping/ }).click()
    await page.getByRole('dialog').getByText('alpha').waitFor()
    await expectSettled(page)
    await expectAccessible(page, 'machines of a check of a policy', '[role=dialog]')
    await page.keyboard.press('Escape')
    await expectAccessible(page, 'the overview of policies')
    await follow(page, `/policies/${id}`)
    await page.getByText('Version 2').waitFor()
    await expectSettled(page)
    await expectAccessible(page, 'a policy')
    await page.getByRole('checkbox', { name: 'Active' }).uncheck()
    await page.getByRole('button', { name: 'Review and save' }).click()
    await page.getByText('will change').waitFor()
    await expectAccessible(page, 'a plan', '[role=dialog]')

    await follow(page, `/?dialog=assign-policies&item=client-${acme.id}`)
    await page.getByRole('button', { name: 'Remove Base' }).waitFor()
    await expectSettled(page)
    await expectAccessible(page, 'the policies of a client', '[role=dialog]')

    const checks = await admin.call(listAgentChecks, { params: { agent_id }, query: {} })
    await follow(page, `/agents/${agent_id}?pane=checks&dialog=why-check&item=${agent_id}.${checks[0]?.id}`)
    await page.getByText('From the policy Base').waitFor()
    await expectAccessible(page, 'why a machine has a check', '[role=dialog]')
    await follow(page, `/agents/${agent_id}?pane=policies`)
    await page.getByText('Check interval: 60 s').waitFor()
    await expectSettled(page)
    await expectAccessible(page, 'policies of a machine')
  })
}
