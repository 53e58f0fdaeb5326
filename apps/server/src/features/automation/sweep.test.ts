import { editScript } from '@muster/contract/api/scripts'
import { expect, test } from 'vitest'
import { checkOf, contentOf, prepareFleet } from './test-policies.ts'

test('a script that is for other systems from now on is followed', async () => {
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
