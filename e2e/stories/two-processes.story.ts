import { editAgent, listAgents } from '@muster/contract/api/agents'
import { createClient } from '@muster/contract/api/clients'
import { getHistoryOutput, listAgentHistory, sendCommand } from '@muster/contract/api/runs'
import { watchMachineMetrics } from '@muster/contract/api/metrics'
import { listOwnSessions } from '@muster/contract/api/sessions'
import { expect } from '@playwright/test'
import { addClient, makeToken } from '../support/seed.ts'
import { type Session, signIn } from '../support/sign-in.ts'
import { startAgent } from '../support/start-agent.ts'
import { startServer } from '../support/start-server.ts'
import { test } from '../support/story.ts'

// Several processes need PostgreSQL and NATS: on the default deployment there is nothing to prove.
const deployments = process.env['MUSTER_TEST_POSTGRES'] === undefined ? [] : ['PostgreSQL and NATS']

for (const name of deployments) {
  test(`two servers on ${name}: signed in on one, the agent on the other`, async ({
    server: one,
    admin,
    deployment,
    openConsole,
  }) => {
    await using two = await startServer({ env: { ...deployment.env, MUSTER_DATA: one.dataFolder } })
    expect(two.url).not.toBe(one.url)
    const token = await makeToken(admin, await addClient(admin, 'Acme'))
    const page = await openConsole({ as: admin })

    await using agent = await startAgent({ server: two.url, token })
    const onOne = page.getByRole('button', { name: /^1 machine/ })
    await expect(onOne).toBeVisible()
    await expect(onOne).not.toContainText('away')

    // A session is good on both, and ends on both.
    const onTwo: Session = await signIn(two.url, one.admin)
    expect(await onTwo.call(listOwnSessions, {})).toHaveLength(2)
    const agentId = await findAgentId(admin)
    const output = async (id: number) => {
      const { history, chunks } = await admin.call(getHistoryOutput, { params: { id }, query: {} })
      return { state: history.state, text: chunks.map(({ text }) => text).join('') }
    }

    await test.step('a command that is sent on one streams from the agent on the other', async () => {
      const cmd = 'echo first; while [ ! -e "$GO" ]; do sleep 0.05; done; echo second; exit 3'
      const go = `${agent.dataFolder}/go`
      const sent = await admin.call(sendCommand, {
        params: { agent_id: agentId },
        body: { shell: 'sh', cmd, env_vars: [`GO=${go}`], wait: false },
      })
      await expect.poll(() => output(sent.id)).toEqual({ state: 'running', text: 'first\n' })
      await admin.call(sendCommand, {
        params: { agent_id: agentId },
        body: { shell: 'sh', cmd: `touch ${go}` },
      })
      await expect.poll(() => output(sent.id)).toEqual({ state: 'done', text: 'first\nsecond\n' })
      const [newest, older] = await onTwo.call(listAgentHistory, { params: { agent_id: agentId }, query: {} })
      expect(newest?.state).toBe('done')
      expect(older).toMatchObject({ id: sent.id, retcode: 3 })
    })

    await test.step('live metrics of a machine at the other server are shown on both', async () => {
      const watch = async (session: Session) => {
        const values: number[] = []
        let after = 0
        while (values.length < 3) {
          const query = { after }
          const answer = await session.call(watchMachineMetrics, { params: { agent_id: agentId }, query })
          values.push(...answer.samples.map(({ at }) => at))
          after = answer.next
        }
        return values.slice(0, 3)
      }
      const [here, there] = await Promise.all([watch(admin), watch(onTwo)])
      expect(here).toEqual(there)
    })

    await test.step('changes cross to the consoles of the other within a second', async () => {
      await onTwo.call(createClient, { body: { client: { name: 'Borealis' }, site: { name: 'Office' } } })
      await expect(page.getByRole('treeitem', { name: /Borealis/ })).toBeVisible()
      await onTwo.call(editAgent, { params: { agent_id: agentId }, body: { description: 'Front desk' } })
      await expect(page.getByRole('row', { name: /Front desk/ })).toBeVisible()
    })

    await test.step('the agent lives through a restart of its server', async () => {
      await two.restart()
      // It may be away still: then the command waits for it.
      const sent = await admin.call(sendCommand, {
        params: { agent_id: agentId },
        body: { shell: 'sh', cmd: 'echo back', wait: false },
      })
      await expect.poll(() => output(sent.id)).toEqual({ state: 'done', text: 'back\n' })
      await expect(onOne).not.toContainText('away')
    })
    expect(await agent.stop()).toBe(0)
    agent.expectCleanLog()
    expect(await two.stop()).toBe(0)
    two.expectCleanLog()
  })
}

async function findAgentId(session: Session): Promise<string> {
  const [agent] = await session.call(listAgents, { query: {} })
  if (agent === undefined) throw new Error('there is no machine')
  return agent.agent_id
}
