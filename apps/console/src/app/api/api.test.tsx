import { listClients } from '@muster/contract/api/clients'
import { getHealth } from '@muster/contract/api/system'
import { savePreferences } from '@muster/contract/api/users'
import { QueryObserver } from '@tanstack/react-query'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { call, onRefusal, query } from './api.ts'
import { createQueryClient } from './query-client.ts'
import { duringSignIn } from '../session/replaced-session.ts'
import { clearSignIn, storeSignIn } from '../session/session.ts'
import { givenSession } from '../../testing/test-console.tsx'
import { testClient } from '../../testing/test-frame.ts'
import { answer, fakeServer, refuse } from '../../testing/test-server.ts'

const ACME = testClient(1, 'Acme', { 1: 'Berlin' })
const ENDED = 'Your session has ended. Sign in again.'

beforeEach(() => {
  document.cookie = 'XSRF-TOKEN=; max-age=0'
  givenSession({ token: 'first', username: 'ada' })
})

test('a request has the current token, the XSRF token of the cookie, and accepts JSON', async () => {
  const server = fakeServer()
  server.on(listClients, () => answer(listClients, []))
  document.cookie = 'XSRF-TOKEN=x%3D1'
  await call(listClients, { query: {} })
  storeSignIn({ token: 'second', username: 'ada', name: null })
  await call(listClients, { query: {} })
  expect(server.received.map(({ headers }) => headers.authorization)).toEqual(['Token first', 'Token second'])
  expect(server.received[0]?.headers).toMatchObject({ accept: 'application/json', 'x-xsrf-token': 'x=1' })
})

test('the XSRF cookie of the server goes before those of other programs, which may be malformed', async () => {
  const server = fakeServer()
  server.on(listClients, () => answer(listClients, []))
  document.cookie = 'XSRF-TOKEN=100%'
  await call(listClients, { query: {} })
  document.cookie = 'muster-xsrf=own'
  await call(listClients, { query: {} })
  document.cookie = 'muster-xsrf=; max-age=0'
  expect(server.received.map(({ headers }) => headers['x-xsrf-token'])).toEqual([undefined, 'own'])
})

test('without a session no token is sent, and no request that needs one', async () => {
  givenSession(undefined)
  const server = fakeServer()
  server.on(getHealth, () => answer(getHealth, { status: 'ok' }))
  await call(getHealth, {})
  await expect(call(listClients, { query: {} })).rejects.toMatchObject({ code: 'aborted' })
  expect(server.received.map(({ headers }) => headers.authorization)).toEqual([undefined])
})

test('signing out aborts reads; writes continue', async () => {
  const server = fakeServer()
  const { promise, resolve } = Promise.withResolvers<void>()
  server.on(listClients, async () => {
    await promise
    return refuse('not_signed_in', ENDED)
  })
  server.on(savePreferences, async () => {
    await promise
    return new Response('{}')
  })
  const refusals = vi.fn<() => void>()
  const stop = onRefusal(refusals)
  const reading = call(listClients, { query: {} })
  const saving = call(savePreferences, { body: { dark_mode: true } })
  clearSignIn()
  await expect(reading).rejects.toMatchObject({ code: 'aborted' })
  resolve()
  await expect(saving).resolves.toEqual({})
  storeSignIn({ token: 'second', username: 'ada', name: null })
  server.on(listClients, () => answer(listClients, []))
  await expect(call(listClients, { query: {} })).resolves.toEqual([])
  stop()
})

test('a 401 of the old session is retried with the new one', async () => {
  const server = fakeServer()
  server.on(savePreferences, ({ headers }) =>
    headers.authorization === 'Token first' ? refuse('not_signed_in', ENDED) : new Response('{}'),
  )
  const refusals = vi.fn<() => void>()
  const stop = onRefusal(refusals)
  // Another tab is signing in again; its token is stored a moment after the old session is refused.
  const signingIn = duringSignIn(async () => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    storeSignIn({ token: 'second', username: 'ada', name: null })
  })
  const saving = call(savePreferences, { body: { dark_mode: true } })
  await signingIn
  await expect(saving).resolves.toEqual({})
  expect(refusals).not.toHaveBeenCalled()
  stop()
})

test('a final 401 reaches the listeners and the caller', async () => {
  const server = fakeServer()
  server.on(listClients, () => refuse('not_signed_in', ENDED))
  const codes: string[] = []
  const stop = onRefusal(({ code }) => codes.push(code))
  await expect(call(listClients, { query: {} })).rejects.toMatchObject({
    code: 'not_signed_in',
    requestId: 'test-request',
  })
  expect(codes).toEqual(['not_signed_in'])
  stop()
})

test('a change during the first load of a query is not lost: it is asked for again', async () => {
  const server = fakeServer()
  const first = Promise.withResolvers<Response>()
  server.on(listClients, () =>
    server.calls(listClients).length === 1 ? first.promise : answer(listClients, [ACME]),
  )
  const queryClient = createQueryClient()
  const clients = query(listClients, { query: {} })
  const observer = new QueryObserver(queryClient, clients)
  onTestFinished(observer.subscribe(() => {}))
  await expect.poll(() => server.calls(listClients)).toHaveLength(1)
  const refreshed = queryClient.invalidateQueries({ queryKey: clients.queryKey })
  first.resolve(answer(listClients, []))
  await refreshed
  expect(queryClient.getQueryData(clients.queryKey)).toEqual([ACME])
  expect(server.calls(listClients)).toHaveLength(2)
})
