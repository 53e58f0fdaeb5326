import { getMe } from '@muster/contract/api/users'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { call } from './api.ts'
import { givenMe, givenSession } from '../../testing/test-console.tsx'
import { answer, fakeServer } from '../../testing/test-server.ts'

beforeEach(() => givenSession({ token: 'abc', username: 'ada' }))
afterEach(() => {
  delete window.musterEarly
})

const give = (token: string, response: Promise<Response>) => {
  window.musterEarly = { token, answers: { '/accounts/users/me/': response } }
}

test('an early response is used once', async () => {
  const server = fakeServer()
  server.on(getMe, () => answer(getMe, givenMe({ username: 'later' })))
  give('abc', Promise.resolve(answer(getMe, givenMe({ username: 'early' }))))
  expect((await call(getMe, {})).username).toBe('early')
  expect((await call(getMe, {})).username).toBe('later')
  expect(server.calls(getMe)).toHaveLength(1)
})

test('an early response of another session is not used', async () => {
  const server = fakeServer()
  server.on(getMe, () => answer(getMe, givenMe({ username: 'later' })))
  give('other', Promise.resolve(answer(getMe, givenMe({ username: 'early' }))))
  expect((await call(getMe, {})).username).toBe('later')
})

test('a failed early response is reported, and a hanging one can be cancelled', async () => {
  fakeServer()
  const lost = Promise.reject(new TypeError('Failed to fetch'))
  lost.catch(() => undefined)
  give('abc', lost)
  await expect(call(getMe, {})).rejects.toMatchObject({ code: 'network' })
  give('abc', new Promise(() => undefined))
  const cancel = new AbortController()
  const hanging = call(getMe, {}, { signal: cancel.signal })
  cancel.abort()
  await expect(hanging).rejects.toMatchObject({ code: 'aborted' })
})
