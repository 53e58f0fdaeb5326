import { z } from 'zod'
import type { OutboundTargets } from '../../../../platform/config/config.ts'
import type { EmailSettings } from './email.ts'
import { type Outcome, sendRequest } from './web-request.ts'

const TokenAnswer = z.object({ access_token: z.string().min(1), refresh_token: z.string().optional() })

export type Refreshed = { ok: true; accessToken: string; rotated?: string } | (Outcome & { ok: false })

/** Exchanges the refresh token for an access token, which is valid for about an hour. One per mail is simplest. */
export async function refreshToken(settings: EmailSettings, targets: OutboundTargets): Promise<Refreshed> {
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: settings.oauth2_client_id,
    refresh_token: settings.oauth2_refresh_token,
  })
  if (settings.oauth2_client_secret !== '') body.set('client_secret', settings.oauth2_client_secret)
  const outcome = await sendRequest(
    {
      url: settings.oauth2_token_url,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: body.toString(),
    },
    { targets, whole: true },
  )
  const said = (text: string) => ({ ok: false as const, answer: `No access token: ${text}`.slice(0, 500) })
  if (!outcome.ok) return said(outcome.answer)
  const parsed = TokenAnswer.safeParse(readJson(outcome.body ?? ''))
  if (!parsed.success) return said('the response of the token address contains none.')
  const { access_token: accessToken, refresh_token: rotated } = parsed.data
  const isNew = rotated !== undefined && rotated !== '' && rotated !== settings.oauth2_refresh_token
  return { ok: true, accessToken, ...(isNew ? { rotated } : {}) }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
