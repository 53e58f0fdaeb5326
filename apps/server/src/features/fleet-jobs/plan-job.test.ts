import { planFleetJob } from '@muster/contract/api/fleet-jobs'
import { createKey } from '@muster/contract/api/keystore'
import { PERMISSIONS } from '@muster/contract/permissions'
import { expect, test } from 'vitest'
import { ECHO, startFleet } from './test-fleet-jobs.ts'

test('a plan with a limit lists as many skipped machines as planned ones', async () => {
  await using fleet = await startFleet(3)
  const { ada, server, site } = fleet
  for (let i = 0; i < 3; i += 1)
    await server.given.agent({ site_id: site.id, hostname: `WIN-${i}`, plat: 'windows', connected: 1 })
  const body = { target: { by: 'all' as const }, action: ECHO }
  const listed = async (limit: number) =>
    (await ada.call(planFleetJob, { body, query: { limit } })).body.machines.map(
      ({ wave, skip }) => skip ?? wave,
    )
  expect(await listed(2)).toEqual([1, 1, 'unsuitable', 'unsuitable'])
  expect(await listed(500)).toEqual([1, 1, 1, 'unsuitable', 'unsuitable', 'unsuitable'])
  expect(await listed(0)).toEqual([])
})

test('a user whose role may not use a key of the script runs it on no machine', async () => {
  await using fleet = await startFleet(2)
  const { ada, server, target } = fleet
  const script = await server.given.script({ name: 'Call', shell: 'shell' })
  const user = async (username: string) => server.given.user({ username, permissions: PERMISSIONS })
  const [ops, eve] = [await user('ops'), await user('eve')]
  await ada.call(createKey, { body: { name: 'API', value: 'correct horse', roles: [ops.roleId ?? 0] } })
  const action = { type: 'script' as const, script: script.id, args: ['{{global.API}}'] }
  const plan = async (caller: typeof ops, args = action.args) =>
    (await server.as(caller).call(planFleetJob, { body: { target, action: { ...action, args } } })).body
  const reason = 'The role of eve may not use {{global.API}}.'
  expect(await plan(eve)).toMatchObject({
    planned: 0,
    skipped: [{ code: 'no_right', reason, count: 2 }],
    machines: [
      { skip: 'no_right', text: reason, wave: null },
      { skip: 'no_right', text: reason, wave: null },
    ],
  })
  expect(await plan(ops)).toMatchObject({ planned: 2, skipped: [] })
  expect(await plan(eve, [])).toMatchObject({ planned: 2, skipped: [] })
})

test('a target takes a search of as many characters as the language', async () => {
  await using fleet = await startFleet(1)
  const plan = (length: number) => {
    const search = `name:PC-0 or name:${'x'.repeat(length - 'name:PC-0 or name:'.length)}`
    return fleet.ada.call(planFleetJob, { body: { target: { by: 'search', search }, action: ECHO } })
  }
  expect((await plan(2000)).body).toMatchObject({ planned: 1 })
  expect((await plan(2001)).status).toBe(400)
})
