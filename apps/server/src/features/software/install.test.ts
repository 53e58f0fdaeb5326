import { listAudit } from '@muster/contract/api/audit'
import { installSoftware } from '@muster/contract/api/software'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { TestAgent } from '../agents/test-agent.ts'

test('a package is installed with the permission to manage software, with an audit row', async () => {
  await using server = await createTestServer()
  const { url } = await server.listen()
  const site = await server.given.site()
  const agent = await TestAgent.enrol(server, url, site.id)
  using _cut = { [Symbol.dispose]: () => agent.cut() }
  await agent.connect()
  const params = { agent_id: agent.agentId }
  const permissions = ['can_manage_software', 'can_view_auditlogs'] as const
  const ada = server.as(await server.given.user({ username: 'ada', permissions }))
  const desktop = server.as(await server.given.user({ permissions: ['can_use_mesh', 'can_list_software'] }))
  const body = { name: 'x11vnc', alternatives: ['tigervnc-scraping-server'] }
  expect((await desktop.call(installSoftware, { params, body })).status).toBe(403)
  for (const name of ['', '-o=x', 'a b', '$(id)', '../x', 'x'.repeat(300)])
    expect((await ada.call(installSoftware, { params, body: { name } })).status).toBe(400)
  const from = agent.frames.length
  const run = (await ada.call(installSoftware, { params, body })).body
  expect(run).toMatchObject({ type: 'package_install', username: 'ada', timeout: 1800 })
  expect((await agent.nextCommand(from)).payload).toMatchObject({
    name: 'install-package',
    history_id: run.id,
    input: { names: ['x11vnc', 'tigervnc-scraping-server'] },
  })
  const again = await ada.call(installSoftware, { params, body })
  expect(again).toMatchObject({ status: 409, error: { code: 'conflict' } })
  const { audit_logs } = (await ada.call(listAudit, { body: {} })).body
  expect(audit_logs.filter(({ object_type }) => object_type === 'software')).toMatchObject([
    {
      action: 'execute_command',
      agent_id: agent.agentId,
      message: expect.stringContaining(
        'Started to install the package x11vnc or tigervnc-scraping-server on "',
      ),
    },
  ])
})
