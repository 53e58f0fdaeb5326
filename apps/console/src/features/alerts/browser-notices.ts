import { getSession } from '../../app/session/session.ts'
import { createStore, useStore } from '../../app/session/store.ts'

const KEY = 'muster browser notices'

/** Why this browser shows no notifications; undefined when it can, or the user has not been asked yet. */
export type NoticesRefusal = 'missing' | 'insecure' | 'denied'
/** `push`: from the server, also while Muster is closed. `page`: by the page while it is hidden. */
export type NoticesMode = 'off' | 'page' | 'push'

export function findRefusal(): NoticesRefusal | undefined {
  if (!window.isSecureContext) return 'insecure'
  if (!('Notification' in window)) return 'missing'
  return Notification.permission === 'denied' ? 'denied' : undefined
}

/** Off by default. */
export const useNoticesMode = (): NoticesMode => useStore(mode, (now) => (canShow() ? now : 'off'))

/** Asks the browser for permission first. Returns the reason if it fails. */
export async function switchOnNotices(): Promise<NoticesRefusal | undefined> {
  const refusal = findRefusal()
  if (refusal !== undefined) return refusal
  const permission = await Notification.requestPermission()
  if (permission === 'denied') return 'denied'
  // Closed without an answer: the browser may be asked again.
  if (permission !== 'granted') return undefined
  const { subscribeToPush } = await import('./push-notices.ts')
  if (await subscribeToPush()) store('push')
  else if (showFirst()) store('page')
  else return 'missing'
  return undefined
}

export async function switchOffNotices(): Promise<void> {
  const before = mode.get()
  store('off')
  if (before !== 'push') return
  const { unsubscribeFromPush } = await import('./push-notices.ts')
  await unsubscribeFromPush()
}

/** Shows a first notification to test support: phone browsers have notifications, but not from a page. */
function showFirst(): boolean {
  try {
    const first = new Notification('Muster shows new errors and warnings here.', {
      icon: '/favicon.svg',
    })
    setTimeout(() => first.close(), FIRST_SHOWN_MS)
    return true
  } catch {
    return false
  }
}

const FIRST_SHOWN_MS = 4000

const canShow = (): boolean => findRefusal() === undefined && Notification.permission === 'granted'

function store(now: NoticesMode): void {
  if (now === 'off') localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, now === 'page' ? 'on' : pushOf())
  mode.set(now)
}

/** Push is for the user who turned it on, not for the next one in this browser. */
const pushOf = (): string => `push ${getSession().user_name ?? ''}`

function readMode(): NoticesMode {
  const stored = localStorage.getItem(KEY)
  if (stored === 'on') return 'page'
  return stored === pushOf() ? 'push' : 'off'
}

const mode = createStore<NoticesMode>(readMode())
