import type { AgentFacts } from '@muster/contract/agent/facts'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { storeFacts } from './store-facts.ts'

test('machines with a changed description are returned, except if only space or presence changed', async () => {
  await using server = await createTestServer()
  const { agent_id } = await server.given.agent({ hostname: 'PC-12' })
  const report = (...parts: Partial<AgentFacts>[]) =>
    server.ctx.transaction((tx) =>
      storeFacts(
        tx,
        server.ctx.now(),
        new Map([[agent_id, parts.map((facts) => ({ kind: 'facts', facts }))]]),
      ),
    )
  const disk = { device: '/dev/sda1', fstype: 'ext4', mount: '/', total: 10, used: 5, free: 5, percent: 50 }
  expect(await report({ os_name: 'Debian' })).toEqual([agent_id])
  expect(await report({ os_name: 'Debian' })).toEqual([])
  expect(
    await report({ disks: [disk] }, { needs_reboot: true, boot_time: 5, problems: ['No /tmp.'] }),
  ).toEqual([])
  expect(await report({ disks: [] }, { logged_in_user: 'ada' })).toEqual([agent_id])
  expect(await report({ logged_in_user: null }, { logged_in_user: 'ada' })).toEqual([])
  expect(await report({ hostname: 'PC-13' })).toEqual([agent_id])
  const volume = { subject: 'disk_encryption', name: 'C:', detail: '' } as const
  expect(await report({ security: [{ ...volume, state: 'on' }] })).toEqual([])
  expect(await server.ctx.transaction((tx) => storeFacts(tx, server.ctx.now(), new Map()))).toEqual([])
})
