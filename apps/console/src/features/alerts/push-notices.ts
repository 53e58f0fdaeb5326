import { getPush, turnOffPush, turnOnPush } from '@muster/contract/api/push'
import { call, quietly } from '../../app/api/api.ts'

/**
 * Subscribes this browser at its push service, and registers it with the server. Returns false where push does not work: without a
 * service worker or a push service, or if an administrator switched it off.
 */
export async function subscribeToPush(): Promise<boolean> {
  const registration = await findRegistration()
  if (registration === undefined) return false
  try {
    const { public_key, enabled } = await quietly(() => call(getPush, {}))
    if (!enabled) return false
    const { endpoint, keys } = (await subscribe(registration, public_key)).toJSON()
    const { p256dh, auth } = keys ?? {}
    if (endpoint === undefined || p256dh === undefined || auth === undefined) return false
    await quietly(() => call(turnOnPush, { body: { endpoint, keys: { p256dh, auth } } }))
    return true
  } catch {
    return false
  }
}

export async function unsubscribeFromPush(): Promise<void> {
  const registration = await findRegistration()
  const subscription = await registration?.pushManager.getSubscription()
  await Promise.allSettled([subscription?.unsubscribe(), quietly(() => call(turnOffPush, {}))])
}

/** The service worker of production builds, once it is active. */
async function findRegistration(): Promise<ServiceWorkerRegistration | undefined> {
  if (!('serviceWorker' in navigator) || !('PushManager' in window)) return undefined
  const registration = await navigator.serviceWorker.getRegistration()
  if (registration === undefined) return undefined
  return registration.active === null ? navigator.serviceWorker.ready : registration
}

/** An earlier subscription counts only with the same key: the server may be another one. */
async function subscribe(
  { pushManager }: ServiceWorkerRegistration,
  publicKey: string,
): Promise<PushSubscription> {
  const known = await pushManager.getSubscription()
  if (known !== null && encode(known.options.applicationServerKey) === publicKey) return known
  await known?.unsubscribe()
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
}

function encode(key: ArrayBuffer | null): string {
  const text = String.fromCharCode(...new Uint8Array(key ?? new ArrayBuffer()))
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
