import { createStore, useStore } from './store.ts'

/**
 * Who is signed in. It lies in local storage as raw strings, under the names that the specification fixes; a key
 * is absent when there is no value, and other tabs follow changes.
 */
const KEYS = ['user_name', 'name', 'access_token', 'sso_provider', 'provider_id', 'next'] as const
type Key = (typeof KEYS)[number]

export type Session = Readonly<Record<Key, string | null>>

export const sessionStore = createStore<Session>(readAll())

export const getSession = (): Session => sessionStore.get()

/** Signed in means that a token is there. */
export const isSignedIn = (): boolean => getSession().access_token !== null

/** The name if there is one, else the user name. */
export const displayName = ({ name, user_name }: Session): string => name ?? user_name ?? ''

/** Keeps a new session; a sign-in with a password is none of a sign-in provider. */
export function storeSignIn(signIn: {
  token: string
  username: string
  name: string | null | undefined
}): void {
  write({
    access_token: signIn.token,
    user_name: signIn.username,
    name: signIn.name === undefined ? null : signIn.name,
    sso_provider: null,
  })
}

/** Forgets the session; `next` stays, so that the next sign-in goes on where this one ended. */
export function forgetSignIn(): void {
  write({ access_token: null, user_name: null, name: null, sso_provider: null, provider_id: null })
}

/** Remembers where to go after the next sign-in. */
export const storeNext = (path: string): void => write({ next: path })

/** The remembered destination, which is forgotten by this. Only paths of this console count. */
export function takeNext(): string {
  const { next } = getSession()
  if (next !== null) write({ next: null })
  return next !== null && /^\/(?![/\\])/.test(next) ? next : '/'
}

/** The session as React state. */
export const useSession = (): Session => useStore(sessionStore, (session) => session)

/** The token as it lies in storage now: another tab may have written it a moment ago. */
export const readStoredToken = (): string | null => localStorage.getItem('access_token') || null

/** Hears that another tab signed in or out. */
export function onOtherTab(listener: (before: Session, now: Session) => void): () => void {
  otherTabListeners.add(listener)
  return () => otherTabListeners.delete(listener)
}

const otherTabListeners = new Set<(before: Session, now: Session) => void>()

// `key` is null when another tab cleared everything.
window.addEventListener('storage', ({ key, storageArea }) => {
  if (storageArea !== localStorage || (key !== null && !KEYS.some((known) => known === key))) return
  const before = getSession()
  sessionStore.set(readAll())
  for (const listener of otherTabListeners) listener(before, getSession())
})

function readAll(): Session {
  // Every key of the union is written.
  return Object.fromEntries(KEYS.map((key) => [key, localStorage.getItem(key) || null])) as Record<
    Key,
    string | null
  >
}

function write(values: Partial<Record<Key, string | null>>): void {
  for (const [key, value] of Object.entries(values)) {
    if (value === null || value === '') localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  }
  sessionStore.set(readAll())
}
