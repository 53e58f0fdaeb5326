import { encodeChannelEnd } from '@muster/contract/agent/channel'
import type { ChangedPart, SessionChangesView } from '@muster/contract/agent/remote'
import { getSessionChanges, listRemoteSessions } from '@muster/contract/api/remote'
import { editCoreSettings } from '@muster/contract/api/settings'
import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'
import { TestAgent } from '../agents/test-agent.ts'
import { nextOpening, start } from './test-tool.ts'
import { TestWindow } from './test-window.ts'

const NOTHING: ChangedPart = { state: 'collected', added: [], removed: [], changed: [], left_out: 0 }
const CHANGES: SessionChangesView = {
  from: '2026-11-22T10:00:00.000Z',
  to: '2026-11-22T10:10:00.000Z',
  interrupted: false,
  parts: {
    packages: { ...NOTHING, changed: [{ name: 'vim', from: '1.0', to: '1.1' }], left_out: 2 },
    services: { state: 'not_collected', reason: 'No systemd.' },
    files: { ...NOTHING, added: [{ name: '/etc/<img onerror=x>', state: '3 bytes' }] },
    users: NOTHING,
    ports: NOTHING,
  },
}

test('session changes are stored for users who may view recordings, and expire', async () => {
  await using server = await createTestServer()
  const at = await start(server)
  const window = await TestWindow.open(server, at)
  const { channel, tool } = await nextOpening(at.agent)
  const { session } = tool
  at.agent.report({
    kind: 'session-ended',
    session,
    at: CHANGES.to,
    exit_code: 0,
    reason: 'The shell has ended.',
  })
  at.agent.sendText(encodeChannelEnd(channel, { code: 'ended', message: 'Over.' }))
  await window.closed
  const viewer = server.as(await server.given.user({ permissions: ['can_view_recordings'] }))
  const params = { id: session }
  expect((await viewer.call(getSessionChanges, { params })).status).toBe(404)

  // Reports of another machine, repeated ones, and those of an unknown session.
  const site = await server.given.site()
  const other = await TestAgent.enrol(server, at.url, site.id, {
    machineKey: 'b'.repeat(64),
    hostname: 'PC-13',
  })
  await other.connect({ checksVersion: 0 })
  const quiet: SessionChangesView = {
    ...CHANGES,
    parts: { ...CHANGES.parts, packages: NOTHING, files: NOTHING },
  }
  other.report({ kind: 'session-receipt', session, receipt: quiet })
  at.agent.report({ kind: 'session-receipt', session: randomUUID(), receipt: quiet })
  at.agent.report({ kind: 'session-receipt', session, receipt: CHANGES })
  at.agent.report({ kind: 'session-receipt', session, receipt: quiet })
  await vi.waitFor(async () => {
    const { body } = await viewer.call(listRemoteSessions, { params: { agent_id: at.agentId } })
    expect(body).toMatchObject([{ id: session, receipt: { changes: 4 } }])
  })
  expect((await viewer.call(getSessionChanges, { params })).body).toEqual(CHANGES)
  expect((await server.as(at.user).call(getSessionChanges, { params })).status).toBe(403)
  const elsewhere = await server.given.user({
    permissions: ['can_view_recordings'],
    clients: [(await server.given.client()).id],
  })
  expect((await server.as(elsewhere).call(getSessionChanges, { params })).status).toBe(404)

  await server.ctx.db.updateTable('remote_receipts').set({ stored_at: '2020-01-01T00:00:00.000Z' }).execute()
  const admin = server.as(await server.given.user({ superuser: true }))
  await admin.call(editCoreSettings, { body: { recording_keep_days: 30 } })
  await server.ctx.jobs.drain()
  expect((await viewer.call(getSessionChanges, { params })).status).toBe(404)
  other[Symbol.dispose]()
})
