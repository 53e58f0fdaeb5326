import { createStore, useStore } from '../../app/session/store.ts'

const KEY = 'muster browser notices'

/** Why this browser shows no notifications; undefined when it can, or has not been asked yet. */
export type NoticesRefusal = 'missing' | 'insecure' | 'denied'

export function findRefusal(): NoticesRefusal | undefined {
  if (!window.isSecureContext) return 'insecure'
  if (!('Notification' in window)) return 'missing'
  return Notification.permission === 'denied' ? 'denied' : undefined
}

export const REFUSAL_TEXTS: Record<NoticesRefusal, string> = {
  missing: 'This browser shows no notifications of pages.',
  insecure: 'Browsers show notifications only for pages of https:// addresses and of localhost.',
  denied: 'This browser refuses notifications of this page. Allow them in its settings for this site first.',
}

/** Whether this browser shows new alerts while the page is hidden; off unless somebody has switched it on here. */
export const useBrowserNotices = (): boolean => useStore(switched, (on) => on && canShow())

/** Asks the browser for its permission first. Answers why it cannot be, if so. */
export async function switchOnNotices(): Promise<NoticesRefusal | undefined> {
  const refusal = findRefusal()
  if (refusal !== undefined) return refusal
  const permission = await Notification.requestPermission()
  if (permission === 'denied') return 'denied'
  // Closed without an answer: it may be asked again.
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

/** Says that it works, and finds out: browsers of phones have notifications, but not from a page. */
function showFirst(): boolean {
  try {
    const first = new Notification('Muster tells you here of new errors and warnings.', {
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
