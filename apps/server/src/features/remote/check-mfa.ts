import type { ChannelEnd } from '@muster/contract/agent/channel'
import type { ToolName } from '@muster/contract/channels'
import { CODE_MINUTES, isWithin } from '../users/sessions/prove-owner.ts'
import type { LiveCaller } from '../../platform/http/caller.ts'
import { aTool } from './tool-text.ts'

/** The tools that a code protects. The last two are not channels to a machine. */
type Guarded = ToolName | 'registry' | 'web terminal'

/** Tools before which a role may require a second factor again. */
const ASKED_BEFORE = new Set<Guarded>(['terminal', 'desktop', 'vnc', 'registry', 'web terminal'])

/** Returns why a code is required before this tool, or undefined if it is not, or was given recently. */
export function checkMfa(
  { session }: Pick<LiveCaller, 'session'>,
  tool: Guarded,
  now: Date,
): ChannelEnd | undefined {
  const { code } = session
  if (!code.isAsked || !ASKED_BEFORE.has(tool)) return undefined
  if (code.isByProvider || (code.hasPasskey && !code.hasTotp)) {
    if (isWithin(CODE_MINUTES, code.at, now)) return undefined
    const how = code.isByProvider ? 'provider' : 'passkey'
    const message = `Your role requires a sign-in within the last ${CODE_MINUTES} minutes before ${aTool(tool)} is opened. Sign out, and sign in with your ${how} again.`
    return { code: 'not_allowed', message }
  }
  if (!code.hasTotp) {
    const message = `Your role requires a code before ${aTool(tool)} is opened. Set up two-factor sign-in first, and sign in again.`
    return { code: 'not_allowed', message }
  }
  if (isWithin(CODE_MINUTES, code.at, now)) return undefined
  const message = `Your role requires a code of your authenticator app before ${aTool(tool)} is opened. It is valid for ${CODE_MINUTES} minutes.`
  return { code: 'code_needed', message }
}
