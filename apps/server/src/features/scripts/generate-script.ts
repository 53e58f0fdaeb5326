import { AppError } from '@muster/contract/errors'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { type Caller, refuseLimited } from '../../platform/http/caller.ts'

const TIMEOUT_MS = 60_000
const INSTRUCTIONS =
  'You write scripts that administrators run on machines. Answer with the code of one script only, without explanations.'

const Completion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
})

/** Requests a script from the configured server. The operator chose its address, so target rules do not apply. */
export async function generateScript(
  { config: { openAi }, log }: Context,
  caller: Caller,
  { prompt, signal }: { prompt: string; signal: AbortSignal },
): Promise<string> {
  refuseLimited(caller, 'Scripts')
  if (openAi === undefined) {
    throw new AppError('switched_off', 'Script generation is not configured. Set MUSTER_OPENAI_URL.')
  }
  try {
    const response = await fetch(`${openAi.url.replace(/\/$/, '')}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(openAi.key === undefined ? {} : { authorization: `Bearer ${openAi.key}` }),
      },
      body: JSON.stringify({
        model: openAi.model,
        messages: [
          { role: 'system', content: INSTRUCTIONS },
          { role: 'user', content: prompt },
        ],
      }),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    if (!response.ok) throw new Error(`status ${response.status}`)
    const { choices } = Completion.parse(await response.json())
    return withoutFence(choices[0]?.message.content ?? '')
  } catch (error) {
    log.warn({ err: error }, 'no script was generated')
    throw new AppError('unavailable', 'The script generation server did not respond. Try again later.', {
      cause: error,
    })
  }
}

/** Models put code into a Markdown fence, even if the prompt forbids it. */
function withoutFence(text: string): string {
  const fenced = /```[^\n]*\n(.*?)```/s.exec(text)
  return fenced?.[1] ?? text
}
