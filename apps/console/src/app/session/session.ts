import { createStore, useStore } from './store.ts'

/**
 * The signed-in user. Stored in local storage as raw strings, under the keys of the specification; a key is absent when
 * there is no value. Other tabs follow changes.
 */
const KEYS = ['user_name', 'name', 'access_token', 'sso_provider', 'provider_id', 'next'] as const
type Key = (typeof KEYS)[number]

export type Session = Readonly<Record<Key, string | null>>

export const sessionStore = createStore<Session>(readAll())

export const getSession = (): Session => sessionStore.get()

export const isSignedIn = (): boolean => getSession().access_token !== null

/** The name if there is one, else the user name. */
export const displayName = ({ name, user_name }: Session): string => name ?? user_name ?? ''

/** Stores a new session, with the provider that signed in. */
export function storeSignIn(signIn: {
  token: string
  username: string
  name: string | null | undefined
  provider?: string
}): void {
  write({
    access_token: signIn.token,
    user_name: signIn.username,
    name: signIn.name === undefined ? null : signIn.name,
    sso_provider: signIn.provider ?? null,
  })
}

/** Clears the session; `next` stays, so that the next sign-in returns to the same page. */
export function clearSignIn(): void {
  write({ access_token: null, user_name: null, name: null, sso_provider: null, provider_id: null })
}

/** Stores the destination of the next sign-in. */
export const storeNext = (path: string): void => write({ next: path })

/** Returns and clears the stored destination. Only paths of this console count. */
export function takeNext(): string {
  const { next } = getSession()
  if (next !== null) write({ next: null })
  return next !== null && /^\/(?![/\\])/.test(next) ? next : '/'
}

/** The session as React state. */
export const useSession = (): Session => useStore(sessionStore, (session) => session)

/** The token in storage now: another tab may have just written it. */
export const readStoredToken = (): string | null => localStorage.getItem('access_token') || null

/** Subscribes to sign-ins and sign-outs in other tabs. */
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
