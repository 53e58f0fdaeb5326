import { createStore, useStore } from '../../app/session/store.ts'

const KEY = 'muster browser notices'

/** Why this browser shows no notifications; undefined when it can, or the user has not been asked yet. */
export type NoticesRefusal = 'missing' | 'insecure' | 'denied'

export function findRefusal(): NoticesRefusal | undefined {
  if (!window.isSecureContext) return 'insecure'
  if (!('Notification' in window)) return 'missing'
  return Notification.permission === 'denied' ? 'denied' : undefined
}

export const REFUSAL_TEXTS: Record<NoticesRefusal, string> = {
  missing: 'This browser does not support notifications.',
  insecure: 'Notifications need https:// or localhost.',
  denied: 'Notifications are blocked. Allow them for this site in the browser settings.',
}

/** Whether this browser shows new alerts while the page is hidden; off by default. */
export const useBrowserNotices = (): boolean => useStore(switched, (on) => on && canShow())

/** Asks the browser for permission first. Returns the reason if it fails. */
export async function switchOnNotices(): Promise<NoticesRefusal | undefined> {
  const refusal = findRefusal()
  if (refusal !== undefined) return refusal
  const permission = await Notification.requestPermission()
  if (permission === 'denied') return 'denied'
  // Closed without an answer: the browser may be asked again.
  if (permission !== 'granted') return undefined
  if (!showFirst()) return 'missing'
  localStorage.setItem(KEY, 'on')
  switched.set(true)
  return undefined
}

export function switchOffNotices(): void {
  localStorage.removeItem(KEY)
  switched.set(false)
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

const switched = createStore(localStorage.getItem(KEY) === 'on')
