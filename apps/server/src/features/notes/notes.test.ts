import {
  createNote,
  deleteNote,
  editNote,
  getNote,
  listAllNotes,
  listNotes,
} from '@muster/contract/api/notes'
import type { Event } from '@muster/contract/events'
import { expect, test } from 'vitest'
import { createTestServer } from '../../testing/test-server.ts'

async function prepare() {
  const server = await createTestServer()
  const events: Event[] = []
  server.ctx.onEvent((event) => void events.push(event))
  const { given } = server
  const permissions = ['can_list_notes', 'can_manage_notes'] as const
  const agent = await given.agent()
  const { client_id } = await server.ctx.db
    .selectFrom('sites')
    .select('client_id')
    .where('id', '=', agent.site_id)
    .executeTakeFirstOrThrow()
  const ada = await given.user({ username: 'ada', permissions })
  const stranger = await given.user({ permissions, clients: [(await given.site()).client_id] })
  const insider = await given.user({ permissions, clients: [client_id] })
  return {
    server,
    events,
    agent,
    caller: server.as(ada),
    stranger: server.as(stranger),
    insider: server.as(insider),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

test('notes of a machine are added, listed newest first, changed and deleted', async () => {
  await using prepared = await prepare()
  const { server, events, agent, caller } = prepared
  const agent_id = agent.agent_id
  const add = async (note: string) => (await caller.call(createNote, { body: { agent_id, note } })).body
  const first = await add('  <img onerror=alert(1)>  ')
  expect(first).toMatchObject({ agent_id, username: 'ada', note: '<img onerror=alert(1)>' })
  const second = await add('second')
  const list = async () => (await caller.call(listNotes, { params: { agent_id }, query: {} })).body
  expect((await list()).map(({ pk }) => pk)).toEqual([second.pk, first.pk])
  const changed = await caller.call(editNote, { params: { pk: first.pk }, body: { note: 'changed' } })
  expect(changed.body).toEqual({ ...first, note: 'changed' })
  expect((await caller.call(deleteNote, { params: { pk: second.pk } })).status).toBe(200)
  expect((await list()).map(({ note }) => note)).toEqual(['changed'])
  expect(events.filter(({ type }) => type === 'note.changed')).toEqual(
    [first, second, first, second].map(({ pk }) => ({
      type: 'note.changed',
      ids: [pk],
      agent_ids: [agent_id],
    })),
  )
  const audit = await server.ctx.db.selectFrom('audit_log').selectAll().orderBy('id').execute()
  expect(audit.map((row) => [row.action, row.object_type, row.agent_id])).toEqual([
    ['add', 'note', agent_id],
    ['add', 'note', agent_id],
    ['modify', 'note', agent_id],
    ['delete', 'note', agent_id],
  ])
  expect(audit[2]?.before_value).toContain('<img onerror')
})

test('notes of hidden machines do not exist', async () => {
  await using prepared = await prepare()
  const { agent, caller, stranger, insider } = prepared
  const agent_id = agent.agent_id
  const { pk } = (await caller.call(createNote, { body: { agent_id, note: 'secret' } })).body
  const refusals = [
    await stranger.call(listNotes, { params: { agent_id }, query: {} }),
    await stranger.call(createNote, { body: { agent_id, note: 'mine' } }),
    await stranger.call(getNote, { params: { pk } }),
    await stranger.call(editNote, { params: { pk }, body: { note: 'mine' } }),
    await stranger.call(deleteNote, { params: { pk } }),
  ]
  expect(refusals.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
  expect((await stranger.call(listAllNotes, { query: {} })).body).toEqual([])
  expect((await insider.call(listAllNotes, { query: {} })).body).toMatchObject([{ pk, note: 'secret' }])
})

test('a note needs a text', async () => {
  await using prepared = await prepare()
  const { agent, caller } = prepared
  const { error } = await caller.call(createNote, { body: { agent_id: agent.agent_id, note: ' \n ' } })
  expect(error).toMatchObject({ code: 'invalid', fields: { note: ['A note needs a text.'] } })
})
