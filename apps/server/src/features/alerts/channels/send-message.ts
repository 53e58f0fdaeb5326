import { type ChannelSettings, MASKED_SECRET } from '@muster/contract/api/alert-channels'
import type { OutboundTargets } from '../../../platform/config/config.ts'
import type { Message } from './message.ts'
import { secretsOf } from './seal-settings.ts'
import { discordRequest, slackRequest, teamsRequest, telegramRequest } from './senders/chat.ts'
import { type MailOutcome, sendEmail } from './senders/email.ts'
import { ntfyRequest } from './senders/ntfy.ts'
import { pagerdutyRequest } from './senders/pagerduty.ts'
import { smsRequests } from './senders/sms.ts'
import { type Outcome, sendRequest, type WebRequest } from './senders/web-request.ts'
import { webhookRequest } from './senders/webhook.ts'

/** Channels that need nothing but their settings. */
export type SentSettings = Exclude<ChannelSettings, { kind: 'push' }>

/** Sends a message. Never throws: errors are part of the outcome. */
export async function sendMessage(
  settings: SentSettings,
  message: Message,
  targets: OutboundTargets,
): Promise<MailOutcome> {
  const outcome =
    settings.kind === 'email'
      ? await sendEmail(settings, message, targets)
      : await sendAll(requestsOf(settings, message), targets)
  const secrets = [
    ...secretsOf(settings),
    ...message.links.map(({ url }) => url.slice(url.lastIndexOf('/') + 1)),
  ]
  return { ...outcome, answer: withoutSecrets(outcome.answer, secrets) }
}

/** Whether one message can contain many alerts. */
export function canDigest(settings: ChannelSettings): boolean {
  switch (settings.kind) {
    case 'pagerduty':
      // Each alert is an incident of its own.
      return false
    case 'webhook':
      // A template describes one alert.
      return settings.body_template === ''
    default:
      return true
  }
}

function requestsOf(settings: Exclude<SentSettings, { kind: 'email' }>, message: Message): WebRequest[] {
  switch (settings.kind) {
    case 'webhook':
      return [webhookRequest(settings, message)]
    case 'slack':
      return [slackRequest(settings, message)]
    case 'teams':
      return [teamsRequest(settings, message)]
    case 'discord':
      return [discordRequest(settings, message)]
    case 'telegram':
      return [telegramRequest(settings, message)]
    case 'ntfy':
      return [ntfyRequest(settings, message)]
    case 'pagerduty':
      return [pagerdutyRequest(settings, message)]
    case 'sms':
      return smsRequests(settings, message)
  }
}

/** Sends one after the other. One delivery counts as success: retrying all would notify the others twice. */
async function sendAll(requests: readonly WebRequest[], targets: OutboundTargets): Promise<Outcome> {
  const outcomes: Outcome[] = []
  for (const request of requests) outcomes.push(await sendRequest(request, { targets }))
  const failed = outcomes.filter(({ ok }) => !ok)
  const [first] = outcomes
  if (first === undefined) return { ok: false, answer: 'The channel has no recipients. Add one.' }
  if (failed.length === 0) return first
  const said = failed.map(({ answer }) => answer).join('; ')
  if (failed.length < outcomes.length) {
    return {
      ok: true,
      answer: `${failed.length} of ${outcomes.length} were not delivered: ${said}`.slice(0, 600),
    }
  }
  return {
    ok: false,
    answer: failed[0]?.answer ?? said,
    ...(failed.some(({ unsure }) => unsure) ? { unsure: true } : {}),
  }
}

/** Some servers repeat the request in their response. */
function withoutSecrets(answer: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= 4)
    .sort((a, b) => b.length - a.length)
    .reduce((text, secret) => text.replaceAll(secret, MASKED_SECRET), answer)
}
