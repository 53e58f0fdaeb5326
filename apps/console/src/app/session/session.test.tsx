import { beforeEach, expect, test } from 'vitest'
import {
  displayName,
  clearSignIn,
  getSession,
  isSignedIn,
  onOtherTab,
  storeNext,
  storeSignIn,
  takeNext,
} from './session.ts'

beforeEach(() => {
  clearSignIn()
  takeNext()
  localStorage.clear()
})

test('a sign-in is stored in local storage as raw strings', () => {
  storeSignIn({ token: 'abc', username: 'ada', name: 'Ada Winter' })
  expect(stored()).toEqual({ access_token: 'abc', user_name: 'ada', name: 'Ada Winter' })
  expect(isSignedIn()).toBe(true)
})

test('a key is absent when there is no value', () => {
  storeSignIn({ token: 'abc', username: 'ada', name: null })
  expect(localStorage.getItem('name')).toBeNull()
})

test('the display name is the name, else the user name', () => {
  storeSignIn({ token: 'abc', username: 'ada', name: null })
  expect(displayName(getSession())).toBe('ada')
  storeSignIn({ token: 'abc', username: 'ada', name: 'Ada Winter' })
  expect(displayName(getSession())).toBe('Ada Winter')
})

test('signing in clears the sign-in provider', () => {
  changeElsewhere('sso_provider', 'corporate')
  storeSignIn({ token: 'abc', username: 'ada', name: null })
  expect(localStorage.getItem('sso_provider')).toBeNull()
})

test('signing out clears everything but next', () => {
  storeSignIn({ token: 'abc', username: 'ada', name: 'Ada' })
  changeElsewhere('sso_provider', 'corporate')
  changeElsewhere('provider_id', '7')
  storeNext('/agents/abcdefgh12')
  clearSignIn()
  expect(stored()).toEqual({ next: '/agents/abcdefgh12' })
  expect(isSignedIn()).toBe(false)
})

test('next is used once', () => {
  storeNext('/?node=Client|3')
  expect(takeNext()).toBe('/?node=Client|3')
  expect(takeNext()).toBe('/')
})

test.each(['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)'])(
  'next %s leads nowhere else than home',
  (next) => {
    changeElsewhere('next', next)
    expect(takeNext()).toBe('/')
  },
)

test('sign-ins and sign-outs of another tab are followed', () => {
  const changes: [string | null, string | null][] = []
  const stop = onOtherTab((before, now) => changes.push([before.access_token, now.access_token]))
  changeElsewhere('access_token', 'xyz')
  expect(isSignedIn()).toBe(true)
  changeElsewhere('access_token', null)
  expect(isSignedIn()).toBe(false)
  stop()
  expect(changes).toEqual([
    [null, 'xyz'],
    ['xyz', null],
  ])
})

const stored = () => Object.fromEntries(Object.entries(localStorage))

/** Writes as another tab does. */
function changeElsewhere(key: string, value: string | null): void {
  if (value === null) localStorage.removeItem(key)
  else localStorage.setItem(key, value)
  window.dispatchEvent(new StorageEvent('storage', { key, newValue: value, storageArea: localStorage }))
}
