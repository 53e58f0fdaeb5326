import type { SystemTask } from '@muster/contract/agent/scheduler'
import { listAudit } from '@muster/contract/api/audit'
import { changeSystemTask, listSystemTasks } from '@muster/contract/api/scheduler'
import { expect, test } from 'vitest'
import { createTestServer } from '../../../testing/test-server.ts'
import { TestAgent } from '../../agents/test-agent.ts'

const DEFRAG: SystemTask = {
  name: String.raw`\Microsoft\Windows\Defrag\ScheduledDefrag`,
  description: 'This task optimizes local storage drives.',
  state: 'ready',
  can_change: true,
  schedule: '',
  command: String.raw`%windir%\system32\defrag.exe -c -h -k -g -$`,
  username: 'SYSTEM',
  last_run: '2026-11-24T02:00:00.000Z',
  last_result: 'success',
  next_run: null,
}

test("tasks of the machine's own scheduler are listed, started and disabled, and both are audited", async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  const site = await server.given.site()
  using agent = await TestAgent.enrol(server, url, site.id)
  await agent.connect()
  const permissions = ['can_manage_winsvcs', 'can_view_auditlogs'] as const
  const ada = server.as(await server.given.user({ username: 'ada', permissions }))
  const params = { agent_id: agent.agentId }
  async function answered<Answer>(call: () => Promise<Answer>, more: object) {
    const from = agent.frames.length
    const asked = call()
    const { payload } = await agent.nextCommand(from)
    agent.send({ type: 'reply', nonce: payload.nonce, refused: null, answer: null, ...more })
    return { payload, answer: await asked }
  }

  const listed = await answered(() => ada.call(listSystemTasks, { params }), { answer: { tasks: [DEFRAG] } })
  expect(listed.payload).toMatchObject({ name: 'list-system-tasks', input: { name: null }, author: 'ada' })
  expect(listed.answer.body).toEqual([DEFRAG])

  const change = (action: 'run' | 'disable') =>
    ada.call(changeSystemTask, { params, body: { name: DEFRAG.name, action } })
  const run = await answered(() => change('run'), { answer: { ...DEFRAG, state: 'running' } })
  expect(run.payload).toMatchObject({
    name: 'change-system-task',
    input: { name: DEFRAG.name, action: 'run' },
  })
  expect(run.answer.body).toMatchObject({ state: 'running' })
  const refused = await answered(() => change('disable'), { refused: 'Windows refused: Access is denied.' })
  expect(refused.answer.error).toMatchObject({
    code: 'agent_refused',
    detail: 'PC-12: Windows refused: Access is denied.',
  })

  const { audit_logs } = (await ada.call(listAudit, { body: {} })).body
  const own = audit_logs.filter(({ object_type }) => object_type === 'systemtask')
  expect(own.map(({ action, message }) => [action, message])).toEqual([
    ['modify', `Failed to disable the system task "${DEFRAG.name}"`],
    ['task_run', `Started the system task "${DEFRAG.name}"`],
  ])
})
