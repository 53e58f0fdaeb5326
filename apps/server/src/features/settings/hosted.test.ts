import { listAudit } from '@muster/contract/api/audit'
import { createClient } from '@muster/contract/api/clients'
import { getDashInfo } from '@muster/contract/api/system'
import { testScriptOnServer } from '@muster/contract/api/scripts'
import { editCoreSettings, getCoreSettings } from '@muster/contract/api/settings'
import { checkWebTermPermission } from '@muster/contract/api/webterm'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { switchOffWhenHosted } from './change-settings.ts'

const HOSTED = { env: { MUSTER_HOSTED: 'true' } }

test('a hosted server has no shell, runs no scripts and does not monitor its own machine', async () => {
  await using server = await createTestServer(HOSTED)
  const root = server.as(await server.given.user({ superuser: true }))
  expect((await root.call(getDashInfo, {})).body).toMatchObject({
    hosted: true,
    web_terminal_enabled: false,
    server_scripts_enabled: false,
  })
  for (const name of ['enable_server_scripts', 'enable_server_webterminal']) {
    const { error } = await root.call(editCoreSettings, { body: { [name]: true } })
    expect(error).toMatchObject({
      code: 'not_allowed',
      detail: 'A hosted server has no web terminal and runs no scripts.',
    })
  }
  expect((await root.call(checkWebTermPermission, {})).status).toBe(412)
  const run = { code: 'true', shell: 'shell' } as const
  expect((await root.call(testScriptOnServer, { body: run })).status).toBe(403)
  const body = {
    client: { name: 'Acme' },
    site: { name: 'Berlin' },
    initialsetup: true,
    monitor_server: true,
  }
  expect((await root.call(createClient, { body })).error).toMatchObject({
    code: 'not_allowed',
    detail: 'The machine of a hosted server cannot be added.',
  })
  expect((await root.call(createClient, { body: { ...body, monitor_server: false } })).status).toBe(200)
})

test('a server that becomes hosted turns its web terminal and scripts off, once', async () => {
  await using server = await createTestServer()
  const root = server.as(await server.given.user({ superuser: true }))
  const on = { enable_server_scripts: true, enable_server_webterminal: true }
  await root.call(editCoreSettings, { body: on })
  const { ctx } = server
  const hosted = { ...ctx, config: { ...ctx.config, hosted: true } }
  await switchOffWhenHosted(ctx)
  expect((await root.call(getCoreSettings, {})).body).toMatchObject(on)
  await switchOffWhenHosted(hosted)
  await switchOffWhenHosted(hosted)
  expect((await root.call(getCoreSettings, {})).body).toMatchObject({
    enable_server_scripts: false,
    enable_server_webterminal: false,
  })
  const { audit_logs } = (await root.call(listAudit, { body: { objectFilter: ['coresettings'] } })).body
  expect(audit_logs.filter(({ username }) => username === 'server')).toMatchObject([
    { message: 'Switched off scripts on the server and the web terminal: the server is hosted' },
  ])
})
