import { createHash } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Context } from '../../../../context.ts'
import type { Config, OutboundTargets } from '../../../../platform/config/config.ts'
import { openPushKeys } from '../../push/push-keys.ts'
import type { Browser } from '../../push/subscriptions.ts'
import { alertKey, consolePath, cut, type Message, subjectOf, worstOf } from '../message.ts'
import { type Outcome, sendRequest } from './web-request.ts'

/** Sent at the same time, so that slow push services do not add up. */
const AT_ONCE = 50
const LIFETIME_SECONDS = 86_400
/** Push services accept 4096 bytes, with the encryption. */
const MAX_LINE_LENGTH = 500

export type PushOutcome = Outcome & {
  /** Ids of browsers that their push service no longer knows. */
  gone?: number[]
}

/** Any user can name an address, so private networks are reached only in tests. */
export function pushTargets({ channelTargets }: Pick<Config, 'channelTargets'>): OutboundTargets {
  return channelTargets === 'any' ? 'any' : 'public'
}

/**
 * Sends a message to browsers: the headline and the path of its alert, encrypted for each. One delivery counts as
 * success, because retrying would notify the others twice.
 */
export async function sendPush(
  ctx: Pick<Context, 'config' | 'db' | 'secrets'>,
  browsers: readonly Browser[],
  message: Message,
): Promise<PushOutcome> {
  const sealFor = await openSealing(ctx, message)
  const targets = pushTargets(ctx.config)
  const outcomes: (Outcome & { browser: Browser })[] = []
  for (let from = 0; from < browsers.length; from += AT_ONCE) {
    const some = browsers.slice(from, from + AT_ONCE)
    const sent = some.map(async (browser) => ({
      ...(await sendRequest(sealFor(browser), { targets })),
      browser,
    }))
    outcomes.push(...(await Promise.all(sent)))
  }
  return summarize(outcomes)
}

function summarize(outcomes: readonly (Outcome & { browser: Browser })[]): PushOutcome {
  const delivered = outcomes.filter(({ ok }) => ok)
  const lost = outcomes.filter(({ status }) => status === 404 || status === 410)
  const gone = lost.map(({ browser }) => browser.id)
  const failed = outcomes.filter((outcome) => !outcome.ok && !lost.includes(outcome))
  const parts = [
    ...(delivered.length > 0 ? [`Delivered to ${count(delivered.length)}.`] : []),
    ...(lost.length > 0 ? [`${count(lost.length)} no longer subscribed.`] : []),
    ...(failed[0] === undefined ? [] : [`Not delivered to ${count(failed.length)}: ${reasonOf(failed[0])}`]),
  ]
  return {
    ok: delivered.length > 0,
    answer: parts.join(' ') || 'No browser is subscribed.',
    ...(failed.some(({ unsure }) => unsure) ? { unsure: true } : {}),
    ...(gone.length > 0 ? { gone } : {}),
  }
}

const count = (browsers: number) => `${browsers} ${browsers === 1 ? 'browser' : 'browsers'}`

/** Only the status: the address comes from a browser, so its response is of no use to an administrator. */
function reasonOf({ status, answer, browser }: Outcome & { browser: Browser }): string {
  if (status === undefined) return answer
  return `${new URL(browser.endpoint).host} responded ${status} ${STATUS_CODES[status] ?? ''}`.trim()
}

async function openSealing(
  ctx: Pick<Context, 'config' | 'db' | 'secrets'>,
  message: Message,
): Promise<(browser: Browser) => Parameters<typeof sendRequest>[0]> {
  const keys = await openPushKeys(ctx)
  // Loaded with the first message, to keep idle servers small.
  const { default: webpush } = await import('web-push')
  const { publicUrl } = ctx.config
  const subject = publicUrl?.startsWith('https:') === true ? publicUrl : 'mailto:muster@example.com'
  const payload = JSON.stringify({
    line: cut(subjectOf(message), MAX_LINE_LENGTH),
    path: consolePath(message),
  })
  const [only, ...others] = message.news
  const options = {
    vapidDetails: { subject, ...keys },
    contentEncoding: 'aes128gcm',
    TTL: LIFETIME_SECONDS,
    urgency: worstOf(message) === undefined ? 'normal' : 'high',
    // A phone that was away gets only the last message about an alert.
    ...(others.length === 0 ? { topic: topicOf(alertKey(message, only.alert)) } : {}),
  } as const
  return ({ endpoint, keys: own }) => {
    const sealed = webpush.generateRequestDetails({ endpoint, keys: own }, payload, options)
    const headers = Object.entries(sealed.headers).map(([name, value]) => [name.toLowerCase(), String(value)])
    return { url: endpoint, method: 'POST', headers: Object.fromEntries(headers), body: sealed.body }
  }
}

/** Up to 32 characters of base64url, which reveal nothing to the push service. */
function topicOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 32)
}
