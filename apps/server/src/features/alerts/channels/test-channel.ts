import type { ChannelSettings, testAlertChannel } from '@muster/contract/api/alert-channels'
import type { Output } from '@muster/contract/endpoint'
import { randomUUID } from 'node:crypto'
import type { Context } from '../../../context.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { checkSettings } from './check-channel.ts'
import type { Message, News } from './message.ts'
import { requireChannel } from './write-channel.ts'
import { keepSecrets, openSettings } from './seal-settings.ts'
import { findBrowsersOf } from '../push/subscriptions.ts'
import { sendMessage } from './send-message.ts'
import { sendPush } from './senders/push.ts'

/** Sends a test message now. Returns the response of the receiver, good or bad. */
export async function testChannel(
  ctx: Context,
  caller: Caller,
  { id, settings: sent }: { id?: number | undefined; settings: ChannelSettings },
): Promise<Output<typeof testAlertChannel>> {
  const before = id === undefined ? undefined : await requireChannel(ctx.db, caller, id)
  const settings = keepSecrets(sent, before && openSettings(before.settings, ctx.secrets))
  checkSettings(settings)
  const startedAt = performance.now()
  const message = sampleMessage(ctx)
  if (settings.kind === 'push') {
    const browsers = await findBrowsersOf(ctx, caller.userId)
    const { ok, answer } =
      browsers.length === 0
        ? { ok: false, answer: 'You have no browser with notifications. Turn them on in the bell menu.' }
        : await sendPush(ctx, browsers, message)
    return { ok, answer, took_ms: Math.round(performance.now() - startedAt) }
  }
  let outcome = await sendMessage(settings, message, ctx.config.channelTargets)
  if (outcome.ok && settings.kind === 'pagerduty') {
    // An incident triggered by the test is resolved at once.
    const news: [News] = [{ ...message.news[0], kind: 'resolved' }]
    outcome = await sendMessage(settings, { ...message, news }, ctx.config.channelTargets)
  }
  return { ok: outcome.ok, answer: outcome.answer, took_ms: Math.round(performance.now() - startedAt) }
}

function sampleMessage(ctx: Context): Message {
  const at = ctx.now()
  const delivery = `test-${randomUUID()}`
  return {
    delivery,
    installation: delivery,
    at,
    timeZone: 'UTC',
    consoleUrl: ctx.config.publicUrl,
    links: [],
    news: [
      {
        kind: 'opened',
        alert: {
          id: 0,
          alert_type: 'custom',
          state: 'open',
          severity: 'info',
          message: 'This is a test of Muster. Alerts that go to this channel will arrive here.',
          agent_id: null,
          hostname: '',
          client_id: null,
          client: '',
          site_id: null,
          site: '',
          check_id: null,
          alert_time: at.toISOString(),
          resolved_on: null,
          flapping: false,
          resolution: '',
        },
      },
    ],
  }
}
