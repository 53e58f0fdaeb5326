import type { ChannelEnd } from '@muster/contract/agent/channel'
import type { ToolName } from '@muster/contract/channels'
import { CODE_MINUTES, hasFreshCode } from '../users/sessions/confirm-code.ts'
import type { LiveCaller } from '../../platform/http/caller.ts'
import { aTool } from './tool-text.ts'

/** What a code may be asked for; the last two are no tools with a channel to a machine. */
type Guarded = ToolName | 'registry' | 'web terminal'

/** Tools before which a role may ask for a second factor again. */
const ASKED_BEFORE = new Set<Guarded>(['terminal', 'desktop', 'vnc', 'registry', 'web terminal'])

/** Why a person has to give a code before this tool is opened; undefined where not, or one was given just now. */
export function whyCodeNeeded(
  { session }: Pick<LiveCaller, 'session'>,
  tool: Guarded,
  now: Date,
): ChannelEnd | undefined {
  const { code } = session
  if (!code.isAsked || !ASKED_BEFORE.has(tool)) return undefined
  if (!code.hasTotp) {
    const message = `Your role asks for a code before ${aTool(tool)} is opened. Set up two-factor sign-in first, and sign in again.`
    return { code: 'not_allowed', message }
  }
  if (hasFreshCode(code.at, now)) return undefined
  const message = `Your role asks for a code of your authenticator app before ${aTool(tool)} is opened. It counts for ${CODE_MINUTES} minutes.`
  return { code: 'code_needed', message }
}
