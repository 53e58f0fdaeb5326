import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Nothing } from '../fields.ts'

const HTTPS_NEEDED = 'The push address must start with https://.'
const isHttpsUrl = (text: string) => /^https:\/\/[^/@]+(\/|$)/i.test(text) && URL.canParse(text)
const bytesOf = (text: string) => Math.floor((text.replace(/=+$/, '').length * 3) / 4)

function bytes(count: number) {
  return z
    .string()
    .max(200)
    .regex(/^[\w-]+={0,2}$/, 'Use base64url.')
    .refine((text) => bytesOf(text) === count, `This value needs ${count} bytes.`)
}

export const getPush = endpoint({
  method: 'GET',
  path: '/alerts/push/',
  access: 'can_list_alerts',
  summary: 'The key that a browser needs to receive push notifications, and whether a channel sends them',
  response: z.object({
    /** VAPID public key, base64url. */
    public_key: z.string(),
    /** No = an administrator has switched the channel off. */
    enabled: z.boolean(),
  }),
})

export const turnOnPush = endpoint({
  method: 'POST',
  path: '/alerts/push/',
  access: 'can_list_alerts',
  summary: "Send alerts as push notifications to the caller's browser; replaces what it subscribed before",
  /** A browser's `PushSubscription`. */
  body: z.object({
    endpoint: z.string().max(2000).refine(isHttpsUrl, HTTPS_NEEDED),
    keys: z.object({ p256dh: bytes(65), auth: bytes(16) }),
  }),
  response: Nothing,
})

export const turnOffPush = endpoint({
  method: 'DELETE',
  path: '/alerts/push/',
  access: 'can_list_alerts',
  summary: "Send no more push notifications to the caller's browser",
  response: Nothing,
})
