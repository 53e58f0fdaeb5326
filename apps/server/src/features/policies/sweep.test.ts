import type { Event } from '@muster/contract/events'
import { editScript } from '@muster/contract/api/scripts'
import { expect, test } from 'vitest'
import { checkOf, contentOf, CPU, prepareFleet } from './test-policies.ts'

test('a script that changes its platforms is followed', async () => {
  await using fleet = await prepareFleet()
  const { add, checks, site, server, root, settle } = fleet
  const script = await server.given.script({ name: 'Backup' })
  const settings = {
    check_type: 'script' as const,
    script: script.id,
    script_args: [],
    env_vars: [],
    timeout: 60,
    info_return_codes: [],
    warning_return_codes: [],
    success_return_codes: [],
    metric_thresholds: [],
  }
  const targets = [{ level: 'site' as const, id: site.id, monitoring_type: null }]
  await add({ name: 'Base', content: contentOf([checkOf(settings)]), targets })
  expect(await checks()).toHaveLength(1)
  const params = { id: script.id }
  await root.call(editScript, { params, body: { supported_platforms: ['windows'] } })
  await settle()
  expect(await checks()).toEqual([])
})

test('passing changes of a machine do not resolve its policies again', async () => {
  await using fleet = await prepareFleet()
  const { add, checks, pc, site, server, settle } = fleet
  const targets = [{ level: 'site' as const, id: site.id, monitoring_type: null }]
  await add({ name: 'Base', content: contentOf([checkOf(CPU)]), targets })
  // The changes of the first one.
  await settle()
  await server.ctx.db.deleteFrom('checks').where('agent_id', '=', pc.agent_id).execute()
  const changed: Event = { type: 'agent.changed', ids: [pc.agent_id], agent_ids: [pc.agent_id] }
  server.ctx.emit({ ...changed, passing: true })
  await settle()
  expect(await checks()).toEqual([])
  server.ctx.emit(changed)
  await settle()
  expect(await checks()).toHaveLength(1)
})
